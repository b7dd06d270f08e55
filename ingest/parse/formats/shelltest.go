package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// batsFormat reads the output of bats in its format "pretty". tapFormat reads the TAP output of bats.
var batsFormat = parse.Format{
	Name:     "bats",
	About:    "bats: tests of shell scripts",
	Triggers: []string{"✗ "},
	Match:    matchBats,
}

func matchBats(s *parse.Scan, l parse.Line) bool {
	text := l.Text
	i := strings.LastIndex(text, " ✗ ")
	if i < 0 {
		return false
	}
	name := strings.TrimSpace(text[i+len(" ✗ "):])
	var d *parse.Draft
	var words parse.Message
	s.Block(func(below parse.Line) parse.Verdict {
		text := below.Trim()
		if below.Indent() < 3 || text == "" || strings.Contains(text, " ✗ ") || strings.Contains(text, " ✓ ") {
			return parse.Done
		}
		if d == nil {
			if !hasAnyPrefix(text, "(in test file ", "(from function ", "(in file ") && name != "setup_file failed" {
				return parse.Done
			}
			d = s.Add(parse.Draft{Event: store.Event{Test: name, Message: "test failed", Category: store.CategoryTest,
				LogLine: l.N}})
		}
		d.Extend(below)
		if file, rest, ok := batsPlace(text); ok {
			if d.File == "" || strings.HasSuffix(file, ".bats") {
				d.File = file
				d.Line, _ = parse.Number(rest)
			}
			return parse.Take
		}
		words.Tell(d, text)
		return parse.Take
	})
	return false
}

// batsPlace reads "(in test file a.bats, line 6)". It also reads lines of a stack, which begin with "(from function `f'
// in file lib.bash, line 3,".
func batsPlace(text string) (file, line string, ok bool) {
	i := strings.Index(text, "file ")
	if i < 0 || !hasAnyPrefix(text, "(", "in test file ", "in file ", "from function ") {
		return "", "", false
	}
	return strings.Cut(text[i+len("file "):], ", line ")
}

// shunit2Format reads shUnit2: "ASSERT:the sum expected:<3> but was:<2>" below the name of the test.
var shunit2Format = parse.Format{
	Name:   "shunit2",
	About:  "shUnit2: tests of shell scripts",
	Starts: []string{"ASSERT:", "shunit2:ERROR ", "shunit2:FATAL "},
	Match:  matchShunit2,
}

func matchShunit2(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if message, ok := strings.CutPrefix(text, "ASSERT:"); ok {
		e := store.Event{Message: message, Category: store.CategoryTest}
		if e.Message == "" {
			e.Message = "assertion failed"
		}
		// The name of the running test is on a line of its own.
		if last, n := s.LastWords(); n > 0 && isDotted(strings.TrimSpace(last)) {
			e.Test = strings.TrimSpace(last)
		}
		s.Add(parse.Draft{Event: e})
		return true
	}
	message := text[strings.IndexByte(text, ' ')+1:]
	d := parse.Draft{Event: store.Event{Message: message, Category: store.CategoryTest}}
	if strings.HasSuffix(message, "returned non-zero return code.") {
		d.Weight = parse.Repeat
		d.Test = cutAt(message, '(')
	}
	s.Add(d)
	return true
}
