package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// mietteFormat reads the reports of miette, with unicode or ASCII marks. miette is a library for error reports that
// tools in Rust use.
var mietteFormat = parse.Format{
	Name:     "miette",
	About:    "tools that report with miette: oxlint, swc, uv, pixi",
	Triggers: []string{"╭─[", " ,-[", "├─▶ ", "╰─▶ ", "`-> "},
	Starts: []string{"  × ", "  x ", "  ⚠ ", "  ! ", "  │ ", "Error:   × ", "Error: ERR_PNPM_",
		"Error: Failed to compile"},
	New: func() parse.Matcher { return new(miette).match },
}

// miette keeps a headline until the lines below the headline show that miette printed it. The marks of a headline are
// not enough, because test runners mark failed tests with the same marks.
type miette struct {
	head parse.Draft
	at   int // the newest line of the report, 0 if there is none
	d    *parse.Draft
}

// match reads reports such as
//
//	× Failed to build `x==1.0`
//	├─▶ The build backend returned an error
//	╰─▶ Call to `build_wheel` failed (exit status: 1)
//
// and
//
//	x eslint(no-debugger): `debugger` statement is not allowed
//	 ,-[a.js:1:1]
func (m *miette) match(s *parse.Scan, l parse.Line) bool {
	if code, ok := strings.CutPrefix(l.Text, "Error: ERR_PNPM_"); ok && strings.IndexByte(code, ' ') < 0 {
		return pnpmReport(s, "ERR_PNPM_"+code)
	}
	if rest, ok := cutAny(strings.TrimPrefix(l.Text, "Error: "), "  × ", "  x ", "  ⚠ ", "  ! "); ok {
		severity := store.SeverityError
		if hasAnyPrefix(l.Text, "  ⚠", "  !") {
			severity = store.SeverityWarning
		}
		if said := s.Said(1); len(said) > 0 && said[0].N == l.N-1 && strings.HasPrefix(said[0].Trim(), "WARNING ") {
			severity = store.SeverityWarning // Turborepo continues after this report
		}
		m.head = parse.Draft{Event: store.Event{Severity: severity, Message: rest, Category: store.CategoryBuild,
			LogLine: l.N}}
		m.at, m.d = l.N, nil
		return false
	}
	if strings.HasSuffix(l.Text, " with swc.") || l.Text == "Error: Failed to compile:" { // summaries of swc
		d := s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Message: strings.TrimPrefix(l.Text, "Error: "), Tool: "swc", Category: store.CategoryBuild}})
		s.Block(parse.Below{}.Block(d)) // files, and then a stack
		return true
	}
	if m.at == 0 || l.N != m.at+1 {
		m.at = 0
		return false
	}
	text := l.Trim()
	if rest, ok := strings.CutPrefix(text, "│ "); ok {
		rest = strings.TrimSpace(rest)
		m.at = l.N
		if m.d == nil {
			m.head.Message += " " + rest
		} else {
			m.d.Message += " " + rest
			m.d.Extend(l)
		}
		return true
	}
	if rest, ok := cutAny(text, "├─▶ ", "╰─▶ ", "`-> "); ok {
		rest = strings.TrimPrefix(strings.TrimLeft(rest, " "), "x ")
		m.report(s).Extend(l)
		m.d.Message = strings.TrimSuffix(m.d.Message, ".") + ": " + rest
		m.at = l.N
		if text[0] == '`' {
			s.Block(m.source())
		} else if strings.HasPrefix(text, "╰") {
			s.Block(m.rest())
		}
		return true
	}
	if at, ok := cutAny(text, "╭─[", ",-["); ok {
		m.report(s).Extend(l)
		at, _, _ = strings.Cut(at, "]")
		if p, _, ok := parse.PlaceAt(at + ": "); ok {
			m.d.At(p.File, p.Line, p.Column)
		}
		m.snippet(s)
		return true
	}
	return false
}

// report adds the event for the headline.
func (m *miette) report(s *parse.Scan) *parse.Draft {
	if m.d != nil {
		return m.d
	}
	// oxlint: "eslint(no-debugger): message"
	if tool, rest, ok := strings.Cut(m.head.Message, "("); ok && isRuleName(tool) {
		if rule, message, ok := strings.Cut(rest, "): "); ok && isRuleName(rule) {
			m.head.Tool, m.head.Code, m.head.Message, m.head.Category = "oxlint", rule, message, store.CategoryLint
		}
	}
	m.d = s.Add(m.head)
	return m.d
}

// pnpmReport reads the report below the code of an error of pnpm.
func pnpmReport(s *parse.Scan, code string) bool {
	d := s.Add(parse.Draft{Event: store.Event{Tool: "pnpm", Code: code, Message: code, Category: store.CategoryBuild}})
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		rest, ok := cutAny(text, "× ", "x ")
		switch more, continued := cutAny(text, "│ ", "├─▶ ", "╰─▶ "); {
		case text == "" && d.Message == code:
			return parse.Take
		case ok && d.Message == code:
			d.Message = rest
		case continued:
			d.Message += " " + more
		default:
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// source returns a block for the source lines below the last cause, in a report with ASCII marks. The frame of these
// lines begins with the place: ",-[turbo.json:1:2]".
func (m *miette) source() func(parse.Line) parse.Verdict {
	d, lines := m.d, 0
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if lines++; text == "" || l.Indent() < 6 || lines > 20 {
			return parse.Done
		}
		if at, ok := strings.CutPrefix(text, ",-["); ok {
			at, _, _ = strings.Cut(at, "]")
			if p, _, ok := parse.PlaceAt(at + ": "); ok {
				d.At(p.File, p.Line, p.Column)
			}
		}
		d.Extend(l)
		return parse.Take
	}
}

// rest returns a block for the wrapped lines of the last cause. Lines of a build's output may follow, which other
// formats read.
func (m *miette) rest() func(parse.Line) parse.Verdict {
	return parse.Below{Indent: 6, Until: []string{"["}, Join: " "}.Block(m.d)
}

// snippet takes the source lines, up to the end of their frame.
func (m *miette) snippet(s *parse.Scan) {
	d, n := m.d, 0
	m.at = 0
	if d.Category == store.CategoryBuild {
		d.Category = store.CategoryCompile
	}
	s.Block(func(l parse.Line) parse.Verdict {
		n++
		text := l.Trim()
		switch {
		case n > 100 || text == "":
			return parse.Done
		case hasAnyPrefix(text, "╰──", "`--"):
			d.Extend(l)
			return parse.Last
		}
		return parse.Take
	})
}
