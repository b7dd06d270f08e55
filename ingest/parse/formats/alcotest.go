package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// alcotestFormat reads Alcotest and OUnit.
var alcotestFormat = parse.Format{
	Name:     "alcotest",
	About:    "OCaml tests: Alcotest, OUnit",
	Triggers: []string{"[FAIL]  ", " (in the log)."},
	Starts:   []string{"FAILED: Cases: ", "-- "},
	Match:    matchAlcotest,
}

func matchAlcotest(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.HasPrefix(text, "FAILED: Cases: ") {
		s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Message: text, Tool: "ounit", Category: store.CategoryTest}})
		return true
	}
	if name, ok := strings.CutSuffix(text, " Failed --"); ok && strings.HasPrefix(name, "-- ") {
		return alcotestOld(s, strings.Join(strings.Fields(name[3:]), " "))
	}
	if name, ok := strings.CutSuffix(text, " (in the log)."); ok {
		name, ok = strings.CutPrefix(name, "Error: ")
		return ok && ounit(s, name)
	}
	boxed := strings.HasPrefix(text, "│")
	text = strings.TrimSpace(strings.Trim(text, "│> "))
	words := strings.Fields(strings.TrimPrefix(text, "[FAIL]"))
	if !strings.HasPrefix(text, "[FAIL]") || len(words) < 3 {
		return false
	}
	i := 1 // suite, number, name; suite and name may contain blanks
	for i < len(words)-1 && !parse.AllDigits(words[i]) {
		i++
	}
	suite, name := strings.Join(words[:i], " "), strings.TrimSuffix(strings.Join(words[i+1:], " "), ".")
	d := parse.Draft{Key: suite + "\x00" + words[i], Rank: parse.Mark,
		Event: store.Event{Test: suite + "." + name, Message: "failed", Category: store.CategoryTest}}
	if !boxed {
		s.Add(d)
		return true
	}
	d.Rank = parse.Detail
	added := s.Add(d)
	var msg []string
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case strings.HasPrefix(text, "└"), text == "":
			return parse.Take
		case strings.HasPrefix(text, "Logs saved to "), strings.HasPrefix(text, "────"), len(msg) > 60:
			return parse.Done
		}
		added.Extend(l)
		if msg = append(msg, text); len(msg) <= 4 && !hasAnyPrefix(text, "Raised ", "Called ", "Re-raised ") {
			added.Message = strings.TrimPrefix(added.Message+"\n"+text, "failed\n")
		}
		return parse.Take
	})
	return true
}

// alcotestOld reads "-- Parse URI.  9 Failed --" of Alcotest before version 0.8, and the output of the test below.
func alcotestOld(s *parse.Scan, name string) bool {
	dot := strings.LastIndexByte(name, '.')
	if number := strings.TrimSpace(name[dot+1:]); dot < 1 || number == "" || !parse.AllDigits(number) {
		return false // a ruler of another program
	}
	d := s.Add(testDraft(name, testFailed))
	msg, lines := parse.Message{Max: 4}, 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if lines++; lines > 12 || hasAnyPrefix(text, "-- ", "Raised ", "Called ", "The full test results ") {
			return parse.Done
		}
		if text != "" {
			msg.Tell(d, text)
			d.Extend(l)
		}
		return parse.Take
	})
	return true
}

// ounit reads OUnit's log of a failed test: the place where the exception was raised, an empty line, and the exception.
func ounit(s *parse.Scan, name string) bool {
	d := s.Add(parse.Draft{Event: store.Event{Test: name, Message: name, Tool: "ounit", Category: store.CategoryTest}})
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		switch {
		case strings.HasPrefix(text, "-----"), strings.HasPrefix(text, "====="), lines > 60:
			return parse.Done
		case text == "":
			return parse.Take
		case hasAnyPrefix(text, "Raised ", "Called ", "Re-raised "):
			if _, at, ok := strings.Cut(text, `in file "`); ok {
				file, line, _ := strings.Cut(at, `", line `)
				if n, _ := parse.Number(line); n > 0 && !strings.Contains(file, "oUnit") && !strings.HasPrefix(file, "stdlib") &&
					file != "list.ml" {
					d.At(file, n, 0)
				}
			}
		case d.Message == name:
			d.Message = text
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
