package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// composerFormat reads Composer's reasons why requirements cannot be resolved,
// and how Symfony's console, which it is built on, tells an exception.
var composerFormat = Format{
	Name:     "composer",
	About:    "Composer, and other programs on Symfony's console",
	Triggers: []string{"Your requirements could not be resolved", "Exception]", "Error]", "Your lock file does not contain a compatible set of packages", " handling the ", "Problem "},
	Starts:   []string{"In "},
	New:      stateless(matchComposer),
}

func matchComposer(s *Scan, l Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "Your requirements could not be resolved"), strings.HasPrefix(text, "Your lock file does not contain a compatible"):
		s.Add(Draft{Weight: Repeat, Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	case strings.HasPrefix(text, "Script ") && strings.Contains(text, " event returned with "):
		s.Add(Draft{Weight: Repeat, Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	case strings.HasPrefix(text, "Problem ") && allDigits(text[len("Problem "):]) && l.Indent() == 2:
		composerProblem(s)
		return true
	case strings.HasPrefix(l.Text, "In ") && strings.HasSuffix(text, ":"):
		file, line, ok := strings.Cut(text[3:len(text)-1], " line ")
		if _, n := number(line); ok && n == len(line) && strings.HasSuffix(file, ".php") {
			consoleException(s, l, "")
			return true
		}
	case l.Indent() == 2 && strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") && rubyClass("("+strings.ReplaceAll(text[1:len(text)-1], `\`, "::")+")") != "":
		consoleException(s, l, text[1:len(text)-1])
		return true
	}
	return false
}

// composerProblem reads the reasons below "  Problem 1".
func composerProblem(s *Scan) {
	var d *Draft
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		if !strings.HasPrefix(text, "- ") || l.Indent() < 4 {
			return Done
		}
		if d == nil {
			d = s.Add(Draft{Event: store.Event{Message: text[2:], Category: store.CategoryBuild}})
		} else if strings.Count(d.Message, "\n") < maxMessageLines {
			d.Message += "\n" + text[2:]
		}
		d.Extend(l)
		return Take
	})
}

// consoleException reads the indented box of an exception's message.
func consoleException(s *Scan, l Line, class string) {
	var d *Draft
	start, blank := l.N, 0
	var words []string
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		switch {
		case text == "":
			if blank++; d != nil || blank > 2 {
				return Done
			}
			return Take
		case l.Indent() != 2 && d == nil:
			return Done
		case d == nil && strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") && strings.IndexByte(text, ' ') < 0 && class == "":
			class = text[1 : len(text)-1]
			return Take
		case d == nil:
			d = s.Add(Draft{Event: store.Event{Code: class, Category: store.CategoryBuild, LogLine: start}})
		}
		if len(words) < maxMessageLines {
			words = append(words, text)
			d.Message = strings.Join(words, "\n")
		}
		d.Extend(l)
		return Take
	})
}
