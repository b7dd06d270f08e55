package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// cmocka has the state of reading the output of cmocka. The program prints the assertion of a test before the FAILED
// line of the test: "[  ERROR   ] --- 0x1 != 0x2". It prints assertions on the standard error output. Therefore Meson
// shows all assertions after all FAILED lines.
type cmocka struct {
	unexplained []*parse.Draft // failed tests without their assertion
	explained   *parse.Draft   // the test of the newest assertion that came after its FAILED line
	part        string         // the part of a group that failed: "GROUP SETUP"
}

// maxUnexplained is the max number of failed tests that wait for their assertion.
const maxUnexplained = 500

// failed remembers a failed test without an assertion.
func (c *cmocka) failed(d *parse.Draft) {
	if d.Rank == parse.Detail && d.Message == testFailed && len(c.unexplained) < maxUnexplained {
		c.unexplained = append(c.unexplained, d)
	}
}

// group remembers whether the setup or the teardown of a group failed. The next line names the group.
func (c *cmocka) group(part string) {
	if strings.HasPrefix(part, "GROUP ") {
		c.part = part
	}
}

// errored reads the text after "[  ERROR   ]": the assertion of a test, or the name of a test or group that could not
// be run.
func (g *gtest) errored(s *parse.Scan, l parse.Line, rest string) {
	message, assertion := strings.CutPrefix(rest, "--- ")
	switch {
	case !assertion:
		g.notRun(s, l, rest)
		return
	case g.test == "" && len(g.cmocka.unexplained) > 0:
		g.cmocka.explained, g.cmocka.unexplained = g.cmocka.unexplained[0], g.cmocka.unexplained[1:]
		g.cmocka.explained.Message = message
		g.cmocka.explained.Move(l)
	default:
		g.cmocka.explained = nil
		if g.start == 0 {
			g.start = l.N
		}
		if len(g.message) < maxGtestLines && g.at.File == "" {
			g.message = append(g.message, message)
		}
	}
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if text == "" || isGtestMark(text) {
			return parse.Done
		}
		g.note(l, text)
		return parse.Take
	})
}

// note reads a line below an assertion: "a_test.c:10: error: Check of parameter a, function f failed".
func (g *gtest) note(l parse.Line, text string) {
	p, _, placed := parse.PlaceAt(text)
	if d := g.cmocka.explained; d != nil {
		if d.Extend(l); placed {
			d.At(p.File, p.Line, 0)
		}
		if strings.Count(d.Message, "\n") < parse.MaxMessageLines {
			d.Message += "\n" + text
		}
		return
	}
	if placed && g.at.File == "" {
		g.at = p
	}
	if len(g.message) < maxGtestLines {
		g.message = append(g.message, text)
	}
}

// line reads the place of an assertion: "[   LINE   ] --- a_test.c:10: error: Failure!".
func (g *gtest) line(l parse.Line, text string) {
	p, _, ok := parse.PlaceAt(text)
	if d := g.cmocka.explained; d != nil && ok {
		d.File, d.Line = p.File, p.Line
		d.Extend(l)
	} else if ok {
		g.at = p
	}
}

// notRun reads the name of a test or a group whose setup failed. It also reads the name that busted prints for a test
// that raised an error.
func (g *gtest) notRun(s *parse.Scan, l parse.Line, rest string) {
	name := gtestName(rest)
	if name == "" {
		return
	}
	if said := before(s); strings.HasPrefix(said, "Could not run test: ") && len(g.message) == 0 {
		g.message = []string{said}
	}
	if len(g.message) == 0 && g.cmocka.part != "" {
		g.message, g.cmocka.part = []string{g.cmocka.part + " failed"}, ""
	}
	if g.start == 0 {
		g.start = l.N
	}
	g.unfinished.end()
	s.Add(parse.Draft{Key: name, Event: store.Event{Test: name, Category: store.CategoryTest, File: g.at.File,
		Line: g.at.Line, Message: orElse(strings.Join(g.message, "\n"), "the test could not be run"), LogLine: g.start,
		LogLineEnd: l.N}})
	g.next("")
}

// busted reads the lines of a test of busted, whose gtest output has no mark before the failure.
func (g *gtest) busted(s *parse.Scan) {
	if !strings.Contains(g.test, ".lua @ ") {
		return
	}
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if isGtestMark(text) {
			return parse.Done
		}
		if p, message, ok := parse.PlaceAt(text); ok && g.start == 0 && strings.HasSuffix(p.File, ".lua") {
			g.start, g.at, g.message = l.N, p, []string{message}
			return parse.Take
		}
		if g.start == 0 || len(g.message) >= parse.MaxMessageLines || text == "" {
			return parse.Pass
		}
		g.message = append(g.message, text)
		return parse.Take
	})
}
