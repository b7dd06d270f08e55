package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// composerFormat reads Composer: the reasons why requirements cannot be resolved, and exceptions. Composer uses
// Symfony's console, which prints exceptions in a box.
var composerFormat = parse.Format{
	Name:  "composer",
	About: "Composer, and other programs on Symfony's console",
	Triggers: []string{
		"Your requirements could not be resolved", "Exception]", "Error]",
		"Your lock file does not contain a compatible set of packages", " handling the ", "Problem ",
	},
	Starts: []string{"In ", "Composer could not find a composer.json file", "# Publish errors",
		"# General errors", "# Lock file errors", "  Command \"", "  There are no commands defined "},
	Match: matchComposer,
}

func matchComposer(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "Your requirements could not be resolved"),
		strings.HasPrefix(text, "Your lock file does not contain a compatible"):
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	case strings.HasPrefix(text, "Script ") && strings.Contains(text, " event returned with "):
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	case strings.HasPrefix(text, "Problem ") && parse.AllDigits(text[len("Problem "):]) && l.Indent() == 2:
		composerProblem(s)
		return true
	case strings.HasPrefix(text, "Composer could not find a composer.json file"),
		l.Indent() == 2 && (strings.HasPrefix(text, "There are no commands defined ") ||
			strings.HasPrefix(text, `Command "`) && strings.HasSuffix(text, `" is not defined.`)):
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	case strings.HasPrefix(text, "# ") && strings.HasSuffix(text, " errors") && saidOfManifest(s):
		s.Block(parse.Rows(func(l parse.Line) bool {
			row, ok := strings.CutPrefix(l.Text, "- ")
			if ok {
				s.Add(parse.Draft{Event: store.Event{File: "composer.json", Message: row,
					Category: store.CategoryLint}})
			}
			return ok
		}))
		return true
	case strings.HasPrefix(l.Text, "In ") && strings.HasSuffix(text, ":"):
		file, line, ok := strings.Cut(text[3:len(text)-1], " line ")
		if _, n := parse.Number(line); ok && n == len(line) && strings.HasSuffix(file, ".php") {
			consoleException(s, l, "")
			return true
		}
	case l.Indent() == 2 && strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") &&
		rubyClass("("+strings.ReplaceAll(text[1:len(text)-1], `\`, "::")+")") != "":
		consoleException(s, l, text[1:len(text)-1])
		return true
	}
	return false
}

// saidOfManifest reports whether one of the last lines is Composer's message about its manifest.
func saidOfManifest(s *parse.Scan) bool {
	for _, l := range s.Said(4) {
		if strings.Contains(l.Text, "composer.json is ") {
			return true
		}
	}
	return false
}

// composerProblem reads the reasons below "  Problem 1".
func composerProblem(s *parse.Scan) {
	var d *parse.Draft
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if !strings.HasPrefix(text, "- ") || l.Indent() < 4 {
			return parse.Done
		}
		if d == nil {
			d = s.Add(parse.Draft{Event: store.Event{Message: text[2:], Category: store.CategoryBuild}})
		} else if strings.Count(d.Message, "\n") < parse.MaxMessageLines {
			d.Message += "\n" + text[2:]
		}
		d.Extend(l)
		return parse.Take
	})
}

// consoleException reads the indented box with an exception's message.
func consoleException(s *parse.Scan, l parse.Line, class string) {
	var d *parse.Draft
	start, blank := l.N, 0
	var words parse.Message
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case text == "":
			if blank++; d != nil || blank > 2 {
				return parse.Done
			}
			return parse.Take
		case l.Indent() != 2 && d == nil:
			return parse.Done
		case d == nil && strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") && strings.IndexByte(text, ' ') < 0 &&
			class == "":
			class = text[1 : len(text)-1]
			return parse.Take
		case d == nil:
			d = s.Add(parse.Draft{Event: store.Event{Code: class, Category: store.CategoryBuild, LogLine: start}})
		}
		words.Tell(d, text)
		d.Extend(l)
		return parse.Take
	})
}
