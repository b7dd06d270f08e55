package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ginkgoFormat reads Ginkgo 1 and 2.
var ginkgoFormat = parse.Format{
	Name:  "ginkgo",
	About: "Ginkgo: failed specs",
	Triggers: []string{
		"• [FAILED]", "• [PANICKED]", "• [TIMEDOUT]", "• [INTERRUPTED]", "• Failure", "•... Panic", "•! Panic",
		"• Failure in Spec Setup",
	},
	Match: matchGinkgo,
}

// ginkgoSpec reads the report of a failed spec, up to the line of dashes below it.
type ginkgoSpec struct {
	draft *parse.Draft
	names []string // names of containers and spec, as version 1 lists them
	lines int
	said  bool
	stack bool // the stack trace of a panic has begun
	found bool // a frame of the project was found in the stack trace
}

func matchGinkgo(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if !strings.HasPrefix(text, "•") || !strings.Contains(text, "[") {
		return false
	}
	g := &ginkgoSpec{draft: s.Add(parse.Draft{Event: store.Event{Message: "spec failed", Category: store.CategoryTest}})}
	s.Block(func(l parse.Line) parse.Verdict {
		if g.lines++; g.lines > 2000 || strings.HasPrefix(l.Text, "------------") || isGoTestLine(l.Text) {
			return parse.Done
		}
		if text := l.Trim(); text != "" {
			g.line(l, text)
			g.draft.Extend(l)
		}
		return parse.Take
	})
	return true
}

func (g *ginkgoSpec) line(l parse.Line, text string) {
	d := g.draft
	if strings.HasPrefix(text, "Full Stack Trace") {
		g.stack = true
	}
	if g.stack {
		if at, ok := goFrame(l); ok && !g.found {
			d.File, d.Line = at.File, at.Line
			g.found = true
		}
		return
	}
	if at, ok := ginkgoPlace(text); ok {
		if d.File == "" || !strings.Contains(at.File, "/usr/local/go/") {
			d.File, d.Line = at.File, at.Line
		}
		return
	}
	switch {
	case strings.HasPrefix(text, "In [") && strings.Contains(text, " at: "):
		_, text, _ = strings.Cut(text, " at: ")
		text, _, _ = strings.Cut(text, " ")
		if at, ok := ginkgoPlace(text); ok && !strings.Contains(at.File, "/usr/local/go/") {
			d.File, d.Line = at.File, at.Line
		}
		g.said = g.said && !strings.Contains(d.Message, "Panicked")
	case d.Message == "spec failed" && ginkgoFailure(text) != "":
		d.Message, g.said = ginkgoFailure(text), true
		if d.Message == "Test Panicked" {
			g.said = false
		}
	case g.said:
		if len(d.Message) < 1000 && l.Indent() > 0 {
			d.Message += "\n" + text
		}
	case d.Message == "Test Panicked":
		d.Message = "panic: " + text
	case d.Test == "" && len(g.names) < 20 && d.Message == "spec failed":
		g.name(text)
	case d.Message == "spec failed" && l.Indent() > 0:
		d.Message, g.said = text, true
	}
}

// name reads "Cart with items [It] adds up". Version 1 prints the containers and the spec on separate lines.
func (g *ginkgoSpec) name(text string) {
	g.names = append(g.names, strings.TrimSuffix(strings.TrimSuffix(text, " [It]"), " [Measurement]"))
	if strings.Contains(text, "[It]") || strings.Contains(text, "[BeforeEach]") ||
		strings.Contains(text, "[AfterEach]") || strings.Contains(text, "[BeforeSuite]") ||
		strings.Contains(text, "[AfterSuite]") || strings.Contains(text, "[SynchronizedBeforeSuite]") {
		g.draft.Test = strings.ReplaceAll(strings.Join(g.names, " "), "[It] ", "")
	}
}

// ginkgoFailure returns the text after "[FAILED] " in a report.
func ginkgoFailure(text string) string {
	for _, w := range [...]string{"[FAILED] ", "[PANICKED] ", "[TIMEDOUT] ", "[INTERRUPTED] "} {
		if rest, ok := strings.CutPrefix(text, w); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// ginkgoPlace reads a line that consists of an absolute file name and a line number. Reports and their stack traces
// have such lines. In a stack trace, an offset such as +0x1d may follow.
func ginkgoPlace(text string) (parse.Place, bool) {
	text, _, _ = strings.Cut(text, " +0x")
	i := strings.LastIndex(text, ".go:")
	if i < 0 || !parse.IsAbs(text) {
		return parse.Place{}, false
	}
	line, n := parse.Number(text[i+4:])
	return parse.Place{File: text[:i+3], Line: line}, n > 0 && i+4+n == len(text)
}
