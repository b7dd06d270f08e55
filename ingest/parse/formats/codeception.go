package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// codeceptionFormat reads Codeception. Its failures look like those of PHPUnit, but have a line with the file of the
// test.
var codeceptionFormat = parse.Format{
	Name:   "codeception",
	About:  "Codeception of PHP",
	Starts: []string{" Test  "},
	Match:  matchCodeception,
}

var codeceptionLines = parse.Lines{
	{Text: "Test  {file:.php|.feature}:{test}", Category: store.CategoryTest},
	{Text: "Test  {file:.php|.feature}", Category: store.CategoryTest},
}

// matchCodeception reads " Test  tests/unit/UserTest.php:testSaving", the reason below it, and a frame in the file.
func matchCodeception(s *parse.Scan, l parse.Line) bool {
	d, ok := codeceptionLines.Read(l.Text)
	if !ok {
		return false
	}
	if said := s.Said(1); d.Test == "" && len(said) > 0 {
		_, d.Test, _ = parse.CutNumber(said[0].Trim())
	}
	added := s.Add(d)
	var words parse.Message
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if rest, ok := strings.CutPrefix(text, "#"); ok {
			_, frame, _ := strings.Cut(rest, " ")
			if p, _, ok := parse.PlaceAt(strings.TrimSpace(frame)); ok && added.Line == 0 &&
				strings.HasSuffix(p.File, added.File) {
				added.Line = p.Line
			}
			words.End()
		} else if text == "" && words.Ended() || text == "FAILURES!" {
			return parse.Done
		} else if reason, ok := strings.CutPrefix(text, "Fail  "); ok || !strings.HasPrefix(text, "Step  ") {
			if !ok {
				reason = text
			}
			words.Tell(added, reason)
		}
		added.Extend(l)
		return parse.Take
	})
	return true
}
