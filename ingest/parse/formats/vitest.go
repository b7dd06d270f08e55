package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// vitestFormat reads the final sections of a vitest run: failed suites, failed tests, type errors and unhandled
// errors. Each failure has its message and stack. vitestFormat also reads errors without a section, such as a missed
// coverage threshold.
var vitestFormat = parse.Format{
	Name:  "vitest",
	About: "vitest: failed tests and suites, unhandled errors, type checks; coverage of Istanbul, nyc and c8",
	Triggers: []string{
		"⎯ Failed ", "⎯ Unhandled ", "⎯ Uncaught ", "⎯ Startup Error", "⎯ Source Error", "⎯ Typecheck Error",
		"No test files found, exiting with code", "ERROR: Coverage for ", "::error ", "MISSING DEPENDENCY ",
		"Test Files  ", "Vitest caught ",
	},
	Levels: true,
	Starts: []string{" FAIL ", "FAIL "},
	New:    func() parse.Matcher { return (&vitest{said: said{}}).match },
}

type vitest struct {
	section bool
	ran     bool // vitest printed its totals
	said    said
}

func (v *vitest) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if v.said.again(l) {
		return true
	}
	if l.Level != "" {
		return false
	}
	switch {
	case strings.HasPrefix(text, "Test Files  "):
		v.ran = true
		return false
	case strings.HasPrefix(text, "ERROR: Coverage for "):
		v.coverage(s, text)
		return true
	case strings.HasPrefix(text, "⎯"):
		title := strings.TrimSpace(strings.Trim(text, "⎯"))
		v.section = true
		if strings.HasPrefix(title, "Failed ") || strings.HasSuffix(title, "Errors") {
			return true
		}
		b := &vitestBlock{s: s, said: v.said,
			drafts: []*parse.Draft{s.Add(parse.Draft{Event: store.Event{Message: title, Category: store.CategoryTest}})}}
		s.Block(b.line)
		return true
	case strings.HasPrefix(text, "Vitest caught ") && strings.Contains(text, " unhandled error"):
		s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Message: text, Category: store.CategoryTest}})
		return true // the errors follow, unless a reporter has its own form for them
	case hasAnyPrefix(text, "No test files found, exiting with code", "MISSING DEPENDENCY "):
		message := strings.TrimSpace(strings.TrimPrefix(text, "MISSING DEPENDENCY "))
		s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryTest}})
		return true
	}
	if !v.section || !strings.HasPrefix(text, "FAIL  ") {
		return false
	}
	b := &vitestBlock{s: s, said: v.said}
	b.add(text)
	s.Block(b.line)
	return true
}

// coverage reads a coverage threshold that is not met. Istanbul, nyc, c8 and vitest print the same words.
func (v *vitest) coverage(s *parse.Scan, text string) {
	d := parse.Draft{Event: store.Event{Message: strings.TrimPrefix(text, "ERROR: "), Category: store.CategoryTest}}
	if !v.ran {
		d.Tool = "istanbul"
	}
	if _, file, ok := strings.Cut(d.Message, "%) for "); ok && parse.IsFileName(file) {
		d.At(file, 0, 0)
	}
	s.Add(d)
}

// vitestBlock reads one failure. Several FAIL lines may share one message.
type vitestBlock struct {
	s      *parse.Scan
	said   said
	drafts []*parse.Draft
	msg    parse.Message
	trace  jsTrace
}

// add reads "FAIL  a.test.ts > suite > test" and "FAIL  a.test.ts [ a.test.ts ]".
func (b *vitestBlock) add(text string) {
	name := strings.TrimSpace(strings.TrimPrefix(text, "FAIL"))
	if strings.HasPrefix(name, "|") { // name of a project in the workspace
		_, after, _ := strings.Cut(name[1:], "|")
		name = strings.TrimSpace(after)
	}
	title, _, _ := strings.Cut(name, " [ ")
	b.said.add(title)
	file, test, _ := strings.Cut(name, " > ")
	if i := strings.LastIndex(file, "  "); i >= 0 {
		file = strings.TrimSpace(file[i:])
	}
	file, _, _ = strings.Cut(file, " [ ")
	if len(b.drafts) < parse.MaxLanes {
		b.drafts = append(b.drafts, b.s.Add(parse.Draft{Event: store.Event{Category: store.CategoryTest, File: file,
			Test: test}}))
	}
}

func (b *vitestBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "⎯"):
		return parse.Done
	case strings.HasPrefix(text, "FAIL  ") && b.msg.Empty():
		b.add(text)
		return parse.Take
	case text == "":
		b.msg.Add("")
		return parse.Take
	case b.trace.add(text):
		b.msg.End()
		b.at()
	case strings.HasPrefix(text, "File: ") || strings.HasPrefix(text, "At file: "):
		if p, ok := jsPlace(text[strings.Index(text, ": ")+2:]); ok {
			b.set(p)
		}
		b.msg.End()
	case strings.HasPrefix(text, "Test Files ") || strings.HasPrefix(text, "Duration "):
		return parse.Done
	case isCodeFrame(text), strings.HasPrefix(text, "╭─["):
		b.msg.End()
		if p, ok := jsPlace(strings.Trim(text, "╭─[] ")); ok {
			b.set(p)
		}
	case !b.msg.Ended() && !b.trace.seen:
		b.msg.Add(text)
		for _, d := range b.drafts {
			d.Message = b.msg.String()
			b.said.add(d.Message)
		}
	}
	for _, d := range b.drafts {
		d.Extend(l)
	}
	return parse.Take
}

// at sets the place of each failure without a line. The place is the innermost frame in a test file, or else the
// innermost frame of the project. If the file of a failure is known, the frame must be in that file.
func (b *vitestBlock) at() { b.set(b.trace.place()) }

func (b *vitestBlock) set(p parse.Place) {
	for _, d := range b.drafts {
		switch {
		case p.File == "" || d.Line > 0:
		case d.File == "":
			d.At(p.File, p.Line, p.Column)
		case isSameFile(p.File, d.File):
			d.Line, d.Column = p.Line, p.Column
		}
	}
}
