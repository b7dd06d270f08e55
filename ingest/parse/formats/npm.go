package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// npmFormat reads npm, Yarn, pnpm, and tools that run scripts of many packages. If a script failed, the messages of
// these tools only repeat the failure. If the tool itself failed, its message is the error.
var npmFormat = parse.Format{
	Name:  "npm",
	About: "npm, Yarn, pnpm, Lerna, Nx, Turborepo, npm-run-all",
	Triggers: []string{
		"ERR_PNPM_", "lerna ERR! ", "NX   Ran", "NX   Running target", "ERROR: command finished with error",
		"\" exited with ", "ERROR  run failed", "➤ YN0", "➤ Errors prefixed by ",
	},
	Starts: []string{
		"npm ERR!", "npm error", " ELIFECYCLE ", "\u2009ELIFECYCLE\u2009", "error ", "yarn run v", "yarn install v",
		"yarn add v", "> ", "Internal Error: ", "Usage Error: ",
	},
	Ends: []string{"npm ERR! ", "npm error "},
	New:  func() parse.Matcher { return new(npm).match },
}

type npm struct{ yarn bool } // Yarn 1 has printed its version

// yarnOwn are beginnings of errors that are always Yarn's.
var yarnOwn = []string{"Command ", "Couldn't find ", "An unexpected error occurred", "Your lockfile needs ",
	"Found incompatible module", "Package \"", "Received malformed response"}

func (n *npm) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.HasPrefix(text, "yarn ") {
		n.yarn = true
		return false
	}
	if strings.HasPrefix(text, "> ") {
		s.BeginScript()
		enterPackage(s, text[2:])
		return false
	}
	if rest, ok := cutAny(text, "npm ERR!", "npm error"); ok {
		b := &npmBlock{s: s}
		b.add(strings.TrimSpace(rest), l)
		s.Block(b.line)
		return true
	}
	if hasAnyPrefix(text, "➤ ", "Internal Error: ", "Usage Error: ") {
		return matchYarnBerry(s, l, text)
	}
	if i := strings.Index(text, "ERR_PNPM_"); i >= 0 {
		return matchPNPM(s, text, i)
	}
	var tool, message string
	switch rest, isYarn := strings.CutPrefix(text, "error "); {
	case strings.HasPrefix(text, "ELIFECYCLE"), strings.HasPrefix(text, "\u2009ELIFECYCLE"):
		tool, message = "pnpm", strings.Trim(strings.TrimPrefix(strings.Trim(text, " \u2009"), "ELIFECYCLE"), " \u2009")
	case strings.Contains(text, "lerna ERR! "):
		tool, message = "lerna", text[strings.Index(text, "lerna ERR! ")+len("lerna ERR! "):]
	case strings.HasPrefix(text, "NX "):
		if !strings.Contains(text, "fail") {
			return false
		}
		tool, message = "nx", strings.TrimSpace(text[2:])
	case strings.Contains(text, "ERROR: command finished with error"), strings.HasPrefix(text, "ERROR  run failed"):
		tool, message = "turbo", text[strings.Index(text, "ERROR")+len("ERROR"):]
	case strings.HasPrefix(text, "ERROR: \"") && strings.Contains(text, "\" exited with "):
		tool, message = "npm-run-all", strings.TrimPrefix(text, "ERROR: ")
	case isYarn && (n.yarn || hasAnyPrefix(rest, yarnOwn...)):
		return matchYarn(s, rest)
	default:
		return false
	}
	s.Add(parse.Draft{Weight: parse.Repeat,
		Event: store.Event{Tool: tool, Message: strings.Trim(message, ": "), Category: store.CategoryBuild}})
	return true
}

// matchYarn reads the text after Yarn 1's "error".
func matchYarn(s *parse.Scan, text string) bool {
	d := parse.Draft{Event: store.Event{Tool: "yarn", Message: text, Category: store.CategoryBuild}}
	if strings.HasPrefix(text, "Command failed") || strings.HasSuffix(text, ": Command failed.") {
		d.Weight = parse.Repeat
	}
	s.Add(d)
	return true
}

func matchPNPM(s *parse.Scan, text string, i int) bool {
	code, message, _ := strings.Cut(text[i:], " ")
	code, message = strings.Trim(code, "\u2009"), strings.Trim(message, " \u2009")
	if message == "" {
		return false
	}
	d := parse.Draft{Event: store.Event{Tool: "pnpm", Code: code, Message: message, Category: store.CategoryBuild}}
	if strings.Contains(code, "RECURSIVE") && strings.Contains(code, "FAIL") || code == "ERR_PNPM_EXEC_COMMAND_FAILED" {
		d.Weight = parse.Repeat
	}
	s.Add(d)
	return true
}

// npmBlock collects the lines that npm prints for one failure.
type npmBlock struct {
	s     *parse.Scan
	d     *parse.Draft
	words []string
	other int
}

func (b *npmBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	rest, ok := cutAny(text, "npm ERR!", "npm error")
	if !ok {
		if b.other++; text != "" || b.other > 3 {
			return parse.Done
		}
		return parse.Pass
	}
	b.other = 0
	b.add(strings.TrimSpace(rest), l)
	return parse.Take
}

// add reads one line without npm's prefix. Some lines begin the next failure if the current failure has a code or is a
// certain error. These are lines with a code, lines about a missing script, and the heading of a lifecycle script.
func (b *npmBlock) add(text string, l parse.Line) {
	key, value, _ := strings.Cut(text, " ")
	begins := key == "code" || strings.HasPrefix(text, "Missing script:") ||
		strings.HasPrefix(text, "missing script:") || strings.HasPrefix(text, "Lifecycle script ")
	if b.d == nil || begins && (b.d.Code != "" || b.d.Weight == parse.Certain) {
		b.d = b.s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Category: store.CategoryBuild}})
		b.words = nil
	}
	if b.d.Extend(l); b.d.Code == "" && len(b.words) == 0 {
		b.d.LogLine = l.N // npm 4 and older begin with lines about where npm ran
	}
	if key == "code" {
		b.d.Code = value
		if len(value) > 1 && value[0] == 'E' && value != "ELIFECYCLE" {
			b.d.Weight = parse.Certain
		}
		return
	}
	if key == "path" && len(b.words) > 0 && strings.HasPrefix(b.words[0], "Lifecycle script ") {
		b.s.RanIn(value)
	}
	if npmNoise[key] || text == "" || strings.HasPrefix(text, "A complete log") || strings.HasPrefix(text, "node v") ||
		len(b.words) >= 2 {
		return
	}
	if hasAnyPrefix(text, "Missing script:", "missing script:") {
		b.d.Weight = parse.Certain
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "notarget "), b.d.Code+" ")
	if len(b.words) == 1 && (!strings.HasSuffix(b.words[0], ":") && !strings.HasSuffix(b.words[0], " or")) {
		return
	}
	b.words = append(b.words, text)
	b.d.Message = strings.Join(b.words, " ")
}

// npmNoise are beginnings of lines about where and how npm ran.
var npmNoise = map[string]bool{"errno": true, "syscall": true, "path": true, "cwd": true, "argv": true, "node": true,
	"npm": true, "workspace": true, "location": true, "Linux": true, "Darwin": true, "Windows_NT": true, "System": true,
	"dest": true}

// enterPackage reads "shop-web@1.0.0 test", which npm prints before it runs a script. File names in the output of the
// script are relative to the directory of its package.
func enterPackage(s *parse.Scan, text string) {
	id, script, ok := strings.Cut(text, " ")
	i := strings.LastIndexByte(id, '@')
	if !ok || i <= 0 || script == "" || i+1 < len(id) && !parse.IsDigit(id[i+1]) {
		return
	}
	s.Package("package.json", id[:i])
}
