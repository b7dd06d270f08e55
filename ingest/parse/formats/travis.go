package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// travisFormat reads the lines of Travis CI itself. Travis CI prints a line with the outcome after each command of a
// build.
var travisFormat = parse.Format{
	Name:  "travis",
	About: "Travis CI: outcomes of the commands of a build",
	Triggers: []string{
		`The command "`, `" exited with `, `" failed and exited with `, "Done. Your build exited with",
		"Your build has been stopped", "No output has been received in the last", "The job exceeded the maximum",
		"shell_session_update: ",
	},
	Starts: []string{"travis_fold:", "travis_time:", "$ "},
	Ends:   []string{"travis_fold:", "travis_time:", `The command "`, "Done. Your build exited with"},
	New:    newTravis,
}

// travis follows the commands of a build. A command has passed if another command follows and no line says that the
// command failed. A phase whose commands print no outcome stops at the first failure.
type travis struct {
	open string // ID of the running command
	echo int    // line that shows the command
	seen bool   // the log has marks of Travis CI
	gave bool   // travis_retry gave up in the running command
}

func newTravis() parse.Matcher { return new(travis).match }

func (t *travis) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "$ "):
		if l.N == t.echo {
			t.shown(s, text[2:])
		}
		return l.N == t.echo
	case strings.HasPrefix(text, "travis_time:"):
		t.time(s, l.N, text)
		return true
	case strings.HasPrefix(text, "travis_fold:"):
		t.seen = true
		return true
	case strings.HasSuffix(text, "shell_session_update: command not found"): // at the end of each job on macOS
		return true
	case strings.HasPrefix(text, "No output has been received in the last"),
		strings.HasPrefix(text, "The job exceeded the maximum"):
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryCI, Code: "timeout"}})
		s.EndStep(parse.Failed)
		return true
	case strings.HasPrefix(text, "Done. Your build exited"), strings.HasPrefix(text, "Your build has been stopped"):
		if t.gave {
			s.Fail()
		}
		s.BeginStep(parse.Unknown)
		return true
	}
	command, rest, ok := cutTravisCommand(text)
	if !ok {
		return t.seen && strings.HasPrefix(text, `The command "`) && t.repeated(s)
	}
	if strings.Contains(rest, " Retrying, ") {
		return true // travis_retry tries again; only the last outcome counts
	}
	message := "The command " + command + strings.TrimSuffix(rest, ".")
	if strings.HasSuffix(rest, " times.") { // travis_retry; the end of the command follows, except in after_script
		t.gave = true
		return true
	}
	t.open = ""
	code, _ := strings.CutPrefix(rest, " exited with ")
	switch strings.TrimSuffix(code, ".") {
	case "0":
		s.EndStep(parse.Passed)
		return true
	case "124", "137": // exit codes of timeout, and of a command that was killed, usually for lack of memory
		s.Add(parse.Draft{Weight: parse.Died, Event: store.Event{Message: message, Category: store.CategoryCI}})
	default:
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: message, Category: store.CategoryCI}})
	}
	s.EndStep(parse.Failed)
	return true
}

// maxShown is the max number of lines of a command that Travis CI shows.
const maxShown = 40

// shown skips the further lines of a command that Travis CI shows before it runs the command.
func (t *travis) shown(s *parse.Scan, command string) {
	var sh shellText
	if sh.line(command); !sh.open() {
		return
	}
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		if lines++; lines > maxShown || strings.HasPrefix(l.Text, "travis_") || isUnclosed(l) {
			return parse.Done
		}
		if sh.line(l.Text); !sh.open() {
			return parse.Last
		}
		return parse.Take
	})
}

// isUnclosed reports whether a line is a shell's message about a command with an open quote. Such a command has no
// further lines.
func isUnclosed(l parse.Line) bool {
	e, ok := shellError(l.Trim())
	return ok && strings.HasPrefix(e.Message, "unexpected EOF while ")
}

// repeated skips the further lines of a command that Travis CI repeats after the end of the command. The last of them
// has the outcome.
func (t *travis) repeated(s *parse.Scan) bool {
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		_, _, ended := cutTravisCommand(text)
		if lines++; ended || lines > maxShown || hasAnyPrefix(text, "travis_", "Done. Your build") {
			return parse.Done
		}
		return parse.Take
	})
	return true
}

// time reads travis_time:start:ID and travis_time:end:ID:start=…. Scripts may print such pairs inside of a command.
// Only the outer pairs are steps.
func (t *travis) time(s *parse.Scan, n int, text string) {
	what, id, _ := strings.Cut(text[len("travis_time:"):], ":")
	id, _, _ = strings.Cut(id, ":")
	t.seen = true
	switch {
	case what == "start" && t.open == "":
		t.open, t.echo, t.gave = id, n, false
		s.BeginStep(parse.Passed)
	case what == "end" && id == t.open:
		t.open = ""
	}
}

// cutTravisCommand splits `The command "make" exited with 2.` The command may begin on an earlier line.
func cutTravisCommand(text string) (command, rest string, ok bool) {
	for _, end := range []string{`" exited with `, `" failed and exited with `, `" failed `, `" failed.`} {
		i := strings.LastIndex(text, end)
		if i < 0 {
			continue
		}
		rest = text[i+1:]
		if strings.HasPrefix(text, `The command "`) {
			return text[len("The command ") : i+1], rest, true
		}
		if strings.HasPrefix(text, `ERROR: "`) {
			continue // npm-run-all ends a script with the same words
		}
		if code, found := strings.CutPrefix(rest, " exited with "); found && strings.HasSuffix(code, ".") &&
			parse.AllDigits(code[:len(code)-1]) {
			return `"` + text[:i+1], rest, true
		}
	}
	return "", "", false
}
