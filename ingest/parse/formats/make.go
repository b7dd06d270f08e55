package formats

import (
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// makeFormat reads GNU make: the directories that it enters, its own errors, and the targets that failed.
var makeFormat = parse.Format{
	Name:     "make",
	About:    "GNU make: failed targets, missing rules, makefile errors, directories",
	Triggers: []string{" *** ", ": Entering directory ", ": Leaving directory ", "akefile:", ".mk:"},
	Starts:   []string{"make: ", "make[", "gmake: ", "gmake["},
	Ends:     []string{"make: *** ", "make[1]: *** ", "make[2]: *** ", "gmake: *** "},
	New:      func() parse.Matcher { return new(makes).match },
}

// makes follows nested makes. If a target fails, each outer make reports the failure again.
type makes struct {
	level int // level of the newest "***"
	chain int // number of the failure that outer makes repeat
}

func (m *makes) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if i := strings.Index(text, "make: *** ["); i > 0 && text[i-1] == '.' {
		text = text[i:] // a test run that died has printed a dot for each test
	}
	name, rest, ok := strings.Cut(text, ": ")
	if !ok {
		return false
	}
	level, isMake := makeLevel(name)
	if !isMake {
		return matchMakefile(s, text)
	}
	if dir, ok := strings.CutPrefix(rest, "Entering directory "); ok {
		s.Enter(unquoteDir(dir))
		return true
	}
	if dir, ok := strings.CutPrefix(rest, "Leaving directory "); ok {
		s.Leave(unquoteDir(dir))
		return true
	}
	if rest, ok = strings.CutPrefix(rest, "*** "); ok {
		return m.stop(s, level, rest)
	}
	return matchMakeRemark(s, rest)
}

// stop reads the text after "make: *** ".
func (m *makes) stop(s *parse.Scan, level int, rest string) bool {
	if strings.HasPrefix(rest, "Waiting for unfinished jobs") {
		return true
	}
	if target, ok := strings.CutPrefix(rest, "["); ok {
		i := strings.LastIndex(target, "] ")
		if i < 0 {
			return false
		}
		if strings.HasSuffix(target, "(ignored)") {
			return true
		}
		rank := parse.Mark
		if level >= m.level || m.chain == 0 {
			m.chain++
			rank = parse.Detail
		}
		m.level = level
		d := parse.Draft{Event: store.Event{Message: rest, Category: store.CategoryBuild}, Weight: parse.Repeat, Rank: rank,
			Key: "chain " + strconv.Itoa(m.chain)}
		d.File, d.Line = makefilePlace(target[:i])
		if newest := s.Newest(); !saysExitCode(target[i+2:]) && (newest == nil || !isCrashOf(newest)) {
			d.Weight = parse.Died // a signal killed the command, and nothing else reports that
		}
		s.Add(d)
		return true
	}
	m.level = level
	s.Add(parse.Draft{Event: store.Event{Message: strings.TrimSuffix(rest, "  Stop."), Category: store.CategoryBuild}})
	return true
}

// saysExitCode reports whether a target ended with an exit code: "Error 2", or "Fehler 2" in German. If a signal ended
// the command, make names the signal instead. The result is false for exit code 137, because a shell returns 137 for
// SIGKILL.
func saysExitCode(end string) bool {
	word, code, ok := strings.Cut(end, " ")
	return ok && word != "Signal" && code != "" && code != "137" && parse.AllDigits(code)
}

// matchMakefile reads an error or a warning in a makefile: "Makefile:3: *** missing separator.  Stop."
func matchMakefile(s *parse.Scan, text string) bool {
	p, rest, ok := parse.PlaceAt(text)
	if !ok {
		return false
	}
	e := store.Event{File: p.File, Line: p.Line, Category: store.CategoryBuild}
	if message, ok := strings.CutPrefix(rest, "*** "); ok && !strings.HasPrefix(message, "[") {
		e.Message = strings.TrimSuffix(message, "  Stop.")
	} else if message, ok := strings.CutPrefix(rest, "warning: "); ok && isMakefile(p.File) {
		e.Severity, e.Message = store.SeverityWarning, message
	} else {
		return false
	}
	s.Add(parse.Draft{Event: e})
	return true
}

func isMakefile(file string) bool {
	return strings.HasSuffix(file, "akefile") || strings.HasSuffix(file, ".mk") || strings.HasSuffix(file, ".mak")
}

// matchMakeRemark reads make's message about a command that make could not start. A line about the failed target
// follows, such as "Error 127". matchMakeRemark also takes lines of make that report no failure.
func matchMakeRemark(s *parse.Scan, rest string) bool {
	// These lines report no new failure: "[x] Error 1 (ignored)", "Target 'all' not remade because of errors."
	if strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "Target '") {
		return true
	}
	if program, reason, ok := cutLast(rest, ": "); ok {
		switch reason {
		case "Command not found", "No such file or directory", "Permission denied":
			s.Add(parse.Draft{Event: store.Event{Message: program + ": " + reason, Category: store.CategoryBuild},
				Weight: parse.Likely})
			return true
		}
	}
	return false
}

// makeLevel reports whether name is make's own name. It also returns the nesting level, which is 2 for make[2].
func makeLevel(name string) (level int, ok bool) {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name, depth, nested := strings.Cut(name, "[")
	switch strings.TrimSuffix(name, ".exe") {
	case "make", "gmake", "mingw32-make", "remake", "GNUmake":
	default:
		return 0, false
	}
	if nested {
		depth, closed := strings.CutSuffix(depth, "]")
		n, length := parse.Number(depth)
		return n, closed && length > 0 && length == len(depth)
	}
	return 0, true
}

// makefilePlace reads the place in "Makefile:10: target".
func makefilePlace(target string) (file string, line int) {
	p, _, ok := parse.PlaceAt(target)
	if !ok {
		return "", 0
	}
	return p.File, p.Line
}

// unquoteDir removes the quotes from a directory: 'x', `x' or ‘x’.
func unquoteDir(dir string) string {
	for _, q := range [...][2]string{{"'", "'"}, {"`", "'"}, {"‘", "’"}, {"“", "”"}, {`"`, `"`}} {
		if strings.HasPrefix(dir, q[0]) && strings.HasSuffix(dir, q[1]) && len(dir) >= len(q[0])+len(q[1]) {
			return dir[len(q[0]) : len(dir)-len(q[1])]
		}
	}
	return dir
}

// cutLast splits s at the last sep.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
