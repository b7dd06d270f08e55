package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// nodeTestFormat reads the list of failed tests that the spec reporter of node --test prints at the end. The dot
// reporter of node --test prints the heading "Failed tests:" above its list, as Surefire does. So surefireFormat reads
// this heading, and calls foreignList for the lists of other runners.
var nodeTestFormat = parse.Format{
	Name:   "node-test",
	About:  "node --test: failing tests of the spec and dot reporters",
	Starts: []string{"✖ "},
	New:    func() parse.Matcher { return new(nodeTest).match },
}

// nodeTest keeps the names of files that died before their tests ran.
type nodeTest struct{ died map[string]bool }

func (n *nodeTest) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if text != "✖ failing tests:" {
		if file, ok := strings.CutPrefix(l.Text, "✖ "); ok && diedLoading(s, "node-test", cutDuration(file), 3) {
			if len(n.died) < parse.MaxLanes {
				n.died = addTo(n.died, cutDuration(file))
			}
			return true
		}
		return false
	}
	b := &nodeTestBlock{s: s, died: n.died}
	s.Block(b.line)
	return true
}

func addTo(set map[string]bool, name string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[name] = true
	return set
}

// diedLoading turns the newest draft into the failure of a test file, if Node.js reported the draft at most the
// given number of lines ago. If a file crashes before its tests run, the runner reports only that the file failed.
func diedLoading(s *parse.Scan, tool, file string, lines int) bool {
	d := s.Newest()
	if !isJSFile(file) || d == nil || d.Tool != "node" || d.Weight != parse.Likely ||
		d.LogLineEnd+lines < s.LineNumber() {
		return false
	}
	d.Tool, d.Weight, d.Category, d.Test = tool, parse.Certain, store.CategoryTest, file
	d.At(file, 0, 0)
	return true
}

type nodeTestBlock struct {
	s     *parse.Scan
	died  map[string]bool
	at    parse.Place // place in "test at file:line:column"
	d     *parse.Draft
	msg   parse.Message
	trace jsTrace
}

func (b *nodeTestBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case text == "":
		b.msg.Add("")
		return parse.Take
	case strings.HasPrefix(l.Text, "test at "):
		b.d = nil
		b.at, _ = jsPlace(strings.TrimSpace(l.Text[len("test at "):]))
		return parse.Take
	case strings.HasPrefix(l.Text, "✖ "):
		b.begin(strings.TrimSpace(l.Text[len("✖ "):]))
		return parse.Take
	case l.Indent() < 2:
		return parse.Done
	case b.d == nil:
		return parse.Take
	case b.trace.add(text):
		b.msg.End()
		if p := b.trace.place(); p.File != "" && (b.d.File == "" || strings.HasSuffix(p.File, b.d.File)) {
			b.d.File, b.d.Line, b.d.Column = p.File, p.Line, p.Column
		}
	case !b.trace.seen:
		b.msg.Add(text)
		b.d.Message = strings.Trim(b.msg.String(), "'")
		b.d.Merged = strings.HasSuffix(b.d.Message, " subtests failed") || b.d.Message == "1 subtest failed" // listed
	}
	b.d.Extend(l)
	return parse.Take
}

func (b *nodeTestBlock) begin(name string) {
	name, directive := cutDirective(name)
	b.d, b.msg, b.trace = nil, parse.Message{}, jsTrace{}
	if directive == "" && !b.died[cutDuration(name)] {
		b.d = b.s.Add(parse.Draft{Event: store.Event{Tool: "node-test", Category: store.CategoryTest,
			Test: cutDuration(name), File: b.at.File, Line: b.at.Line, Column: b.at.Column}})
		if b.at.File == "" && isJSFile(b.d.Test) { // the file died before its tests ran
			b.d.At(b.d.Test, 0, 0)
		}
	}
	b.at = parse.Place{}
}
