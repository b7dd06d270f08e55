package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// gitFormat reads git. Most "fatal:" lines are only guesses, because build scripts also ask git questions that may
// fail. The "fatal:" lines of a failed clone or fetch are likely errors, because scripts seldom go on without the
// repository.
var gitFormat = parse.Format{
	Name:  "git",
	About: "git: fatal errors, merge conflicts, rejected pushes",
	Triggers: []string{
		"CONFLICT (", "atal: ", "error: pathspec", "error: failed to push", "error: could not apply",
		"would be overwritten by", "! [rejected]", "! [remote rejected]", "remote: Repository not found",
		"error: patch failed", "error: RPC failed", "is not a git command.", "Changes not staged for commit:",
	},
	Starts: []string{"Schwerwiegend: ", "fatal\u00a0: "}, // in German and French
	Match:  matchGit,
}

func matchGit(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	e := store.Event{Message: text, Category: store.CategoryBuild}
	weight := parse.Likely
	switch {
	case strings.HasPrefix(text, "fatal: ["): // printed by Ansible
		return false
	case strings.HasPrefix(text, "fatal: Could not read from remote repository"):
		return true // the reason is in a message of ssh or git
	case strings.HasPrefix(text, "fatal: "):
		return gitFatal(s, l, text[len("fatal: "):])
	case hasAnyPrefix(text, "Schwerwiegend: ", "fatal\u00a0: "):
		_, e.Message, _ = strings.Cut(text, ": ")
		weight = parse.Guess
	case text == "Changes not staged for commit:":
		gitStatus(s)
		return true
	case strings.HasPrefix(text, "CONFLICT ("):
		kind, rest, _ := strings.Cut(text[len("CONFLICT ("):], "): ")
		e.Code, e.Message = kind, rest
		if i := strings.LastIndex(rest, "Merge conflict in "); i >= 0 {
			e.File = rest[i+len("Merge conflict in "):]
		}
	case strings.HasSuffix(text, "is not a git command. See 'git --help'."):
		e.Message, weight = strings.TrimSuffix(text, " See 'git --help'."), parse.Guess
	case strings.HasPrefix(text, "error: patch failed: "):
		p, _, _ := parse.PlaceAt(text[len("error: patch failed: "):])
		e.File, e.Line, e.Message = p.File, p.Line, "patch failed"
	case strings.HasPrefix(text, "error: failed to push"), strings.HasPrefix(text, "error: could not apply"):
		e.Message, weight = text[len("error: "):], parse.Repeat
	case strings.HasPrefix(text, "error: "):
		e.Message = text[len("error: "):]
	case strings.HasPrefix(text, "! [re"):
		e.Message = strings.Join(strings.Fields(text[2:]), " ")
	case !strings.HasPrefix(text, "remote: "):
		return false
	}
	s.Add(parse.Draft{Weight: weight, Event: e})
	return true
}

// gitStatus reads the changed files that git status lists. A step may fail because a command changed files.
func gitStatus(s *parse.Scan) {
	var d *parse.Draft
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		kind, file, ok := strings.Cut(text, ": ")
		switch {
		case ok && (kind == "modified" || kind == "deleted" || kind == "typechange"):
			file = strings.TrimSpace(file)
			if d == nil {
				d = s.Add(parse.Draft{Weight: parse.Shown, Event: store.Event{File: file, Category: store.CategoryLint,
					Message: "the working tree has changes:"}})
			}
			if len(d.Message) < 500 {
				d.Message += "\n" + kind + ": " + file
			}
			d.Extend(l)
			return parse.Take
		case d == nil && (text == "" || text[0] == '('):
			return parse.Take
		}
		return parse.Done
	})
}

// gitFatal reads a line that begins with "fatal: ". message is the text after that.
func gitFatal(s *parse.Scan, l parse.Line, message string) bool {
	// A clone that breaks off prints several such lines.
	if d := s.Newest(); d != nil && d.Tool == "git" && d.LogLineEnd+3 > l.N && hasAnyPrefix(message, afterBreak...) {
		d.Extend(l)
		return true
	}
	weight := parse.Guess
	if hasAnyPrefix(message, noRepository...) || hasAnyPrefix(message, afterBreak...) {
		weight = parse.Likely
	}
	if s.Reported("git", message) == nil { // scripts try three times
		s.Add(parse.Draft{Weight: weight, Key: message,
			Event: store.Event{Message: message, Category: store.CategoryBuild}})
	}
	return true
}

// noRepository are beginnings of messages of clone and fetch.
var noRepository = []string{"unable to access '", "unable to connect to ", "unable to look up ", "repository '",
	"Remote branch ", "could not read Username ", "could not read Password ", "Authentication failed for '",
	"remote error: ", "reference is not a tree: ", "Couldn't find remote ref ", "couldn't find remote ref ", "clone of '"}

// afterBreak are beginnings of messages about a connection that broke.
var afterBreak = []string{"The remote end hung up", "the remote end hung up", "early EOF", "index-pack failed",
	"fetch-pack: ", "unpack-objects failed"}
