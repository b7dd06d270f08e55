package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// toxFormat reads tox 3, tox 4 and nox, which run other tools. Most of their messages only repeat messages of these
// tools.
var toxFormat = parse.Format{
	Name:  "tox",
	About: "tox and nox: environments that failed, missing interpreters",
	Triggers: []string{
		"ERROR: InvocationError", "InterpreterNotFound: ", "commands failed", ": FAIL code ", ": exit ", "nox > ",
		"could not install deps", "could not find python interpreter",
	},
	Starts: []string{"ERROR: unknown environment '", "ERROR: tox config file", "ERROR: toxini file"},
	Match:  matchTox,
}

func matchTox(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if _, rest, ok := strings.Cut(text, "nox > "); ok {
		return matchNox(s, rest)
	}
	message, marked := strings.CutPrefix(text, "ERROR: ")
	message = strings.TrimSpace(message)
	d := parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: message, Category: store.CategoryBuild}}
	env, rest, _ := strings.Cut(message, ": ")
	switch {
	case marked && strings.HasPrefix(message, "InterpreterNotFound: "):
		return true // the summary repeats the message with the environment's name
	case marked && (strings.HasPrefix(rest, "InterpreterNotFound: ") ||
		strings.HasPrefix(message, "unknown environment") || strings.Contains(message, "config file")):
		d.Weight = parse.Certain
	case strings.Contains(rest, "failed with could not find python interpreter"):
		d.Weight = parse.Certain
	case marked && (strings.HasPrefix(message, "InvocationError") || rest == "commands failed" ||
		strings.Contains(message, "could not install deps")):
		if strings.Contains(message, "could not find executable") {
			d.Weight = parse.Certain
		}
		toxCause(s, l)
	case l.Indent() == 2 && strings.HasPrefix(rest, "FAIL code "), isToxExit(env, rest):
		d.Key = env
		if l.Indent() == 2 {
			d.Rank = parse.Summary
		}
		toxCause(s, l)
	default:
		return false
	}
	s.Add(d)
	return true
}

// toxCause changes the weight of the newest error, such as a traceback, from Likely to Certain. The error must end at
// most two lines before tox's message about the failed command. Without this change, tox's message about a missing
// interpreter of another environment would be taken for the cause.
func toxCause(s *parse.Scan, l parse.Line) {
	if d := s.Newest(); d != nil && d.Weight == parse.Likely && d.LogLineEnd >= l.N-2 {
		d.Weight = parse.Certain
	}
}

// isToxExit reports whether a line is an exit message of tox 4: "py38: exit 1 (0.05 seconds) /a> pytest pid=12".
func isToxExit(env, rest string) bool {
	rest, ok := strings.CutPrefix(rest, "exit ")
	code, _ := parse.Number(strings.TrimPrefix(rest, "-"))
	return ok && code != 0 && strings.Contains(rest, " seconds) ") && strings.IndexByte(env, ' ') < 0
}

func matchNox(s *parse.Scan, text string) bool {
	d := parse.Draft{Event: store.Event{Tool: "nox", Message: text, Category: store.CategoryBuild}}
	switch {
	case strings.HasPrefix(text, "Program ") && strings.HasSuffix(text, " not found."),
		strings.HasPrefix(text, "Session ") && strings.Contains(text, " failed: Python interpreter "),
		strings.HasPrefix(text, "Sessions not found"), strings.HasPrefix(text, "Failed to load Noxfile"):
	case strings.HasPrefix(text, "Command ") && strings.Contains(text, " failed with exit code "),
		strings.HasPrefix(text, "Session ") && (strings.HasSuffix(text, " failed.") || strings.Contains(text, " aborted")),
		strings.HasPrefix(text, "* ") &&
			strings.HasSuffix(text, ": failed"), strings.HasPrefix(text, "Error while collecting sessions"):
		d.Weight = parse.Repeat
	default:
		return true
	}
	s.Add(d)
	return true
}
