package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// latexFormat reads TeX, LaTeX, latexmk and BibTeX. Undefined references are warnings. Overfull boxes are left out.
var latexFormat = parse.Format{
	Name:     "latex",
	About:    "TeX, LaTeX, latexmk and BibTeX: errors, undefined references",
	Triggers: []string{"LaTeX Warning: ", "Fatal error occurred, no output", ".tex:", ".sty:", ".cls:", "---line "},
	Starts:   []string{"! ", "LaTeX2e <", "This is ", "Latexmk: ", "Collected error summary", "(There w"},
	Lines: parse.Lines{
		{Text: "^Latexmk: «Could not find file {*}»", Tool: "latexmk", Category: store.CategoryCompile},
		{Text: "^{message}---line {line} of file {path}", Tool: "bibtex", Category: store.CategoryCompile},
		{Text: "^(«There {:was|were} {#} error message{*}»)", Tool: "bibtex", Category: store.CategoryCompile,
			Weight: parse.Repeat},
	},
	New: func() parse.Matcher { return new(latex).match },
}

type latex struct {
	run  bool         // TeX has printed its name; other programs also begin lines with "! "
	last *parse.Draft // the newest error of this run
}

func (x *latex) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(l.Text, "---line "):
		return bibtexPlace(s, l)
	case strings.HasPrefix(text, "LaTeX2e <"), strings.HasPrefix(text, "This is ") && strings.Contains(text, "TeX"):
		x.run, x.last = true, nil
		return true
	case strings.HasPrefix(text, "! ") && !x.run &&
		!hasAnyPrefix(text[2:], "LaTeX Error: ", "Package ", "Undefined control sequence", "Emergency stop", "Missing "):
		return false
	case strings.Contains(text, "==> Fatal error occurred"):
		if x.last == nil {
			s.Add(parse.Draft{Weight: parse.Repeat,
				Event: store.Event{Message: "Fatal error occurred, no output PDF file produced!", Category: store.CategoryCompile}})
		}
		x.last = nil
		return true
	case strings.HasPrefix(l.Text, "! Emergency stop."):
		if x.last != nil { // TeX stops because of the reported error
			x.last.Extend(l)
			return true
		}
		x.begin(s, text[2:])
		return true
	case strings.HasPrefix(l.Text, "! "):
		x.begin(s, strings.TrimSpace(l.Text[2:]))
		return true
	case strings.HasPrefix(text, "LaTeX Warning: "):
		latexWarning(s, text[len("LaTeX Warning: "):])
		return true
	case strings.HasPrefix(text, "Latexmk: Errors"), strings.HasPrefix(text, "Collected error summary"):
		s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Tool: "latexmk", Message: strings.TrimPrefix(text, "Latexmk: "), Category: store.CategoryBuild}})
		return true
	}
	return x.placed(s, text)
}

var bibtexBelow = parse.Lines{{Text: "---line {line} of file {path}", Tool: "bibtex", Category: store.CategoryCompile}}

// bibtexPlace reads a place of BibTeX and the message in the line above.
func bibtexPlace(s *parse.Scan, l parse.Line) bool {
	d, ok := bibtexBelow.Read(l.Text)
	if d.Message = before(s); !ok || d.Message == "" {
		return false
	}
	d.LogLine, d.LogLineEnd = l.N-1, l.N
	s.Add(d)
	return true
}

// placed reads "./sub.tex:2: Undefined control sequence.", which TeX prints with -file-line-error.
func (x *latex) placed(s *parse.Scan, text string) bool {
	p, message, ok := parse.PlaceAt(text)
	if !ok || p.Column > 0 || message == "" {
		return false
	}
	switch p.File[strings.LastIndexByte(p.File, '.')+1:] {
	case "tex", "sty", "cls", "ltx", "bbl":
	default:
		return false
	}
	if _, _, hasSeverity := parse.SeverityAt(message); hasSeverity || strings.HasPrefix(message, "Overfull") {
		return false
	}
	x.begin(s, message)
	x.last.File, x.last.Line = p.File, p.Line
	return true
}

// begin adds an error and waits for "l.12 \nowhere". That line has the line number and shows where TeX stopped reading.
func (x *latex) begin(s *parse.Scan, message string) {
	message, code := strings.TrimSuffix(message, "."), ""
	for _, prefix := range [...]string{"LaTeX Error: ", "Package ", "Class "} {
		if rest, ok := strings.CutPrefix(message, prefix); ok && prefix == "LaTeX Error: " {
			message = rest
		} else if ok {
			if name, rest, found := strings.Cut(rest, " Error: "); found && strings.IndexByte(name, ' ') < 0 {
				message, code = rest, name
			}
		}
	}
	d := s.Add(parse.Draft{Event: store.Event{Message: message, Code: code, Category: store.CategoryCompile}})
	x.last = d
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if lines++; lines > 25 || strings.HasPrefix(l.Text, "! ") || strings.HasPrefix(l.Text, "LaTeX Warning") ||
			strings.Contains(text, "==> Fatal error") {
			return parse.Done
		}
		rest, ok := strings.CutPrefix(l.Text, "l.")
		line, n := parse.Number(rest)
		if !ok || n == 0 {
			return parse.Pass
		}
		if d.Line == 0 {
			d.Line = line
		}
		if seen := strings.TrimSpace(rest[n:]); seen != "" && strings.HasPrefix(d.Message, "Undefined control sequence") {
			d.Message += ": " + seen[strings.LastIndexByte(seen, ' ')+1:]
		}
		d.Extend(l)
		return parse.Last
	})
}

// latexWarning reads "Reference `x' on page 1 undefined on input line 9.".
func latexWarning(s *parse.Scan, text string) {
	if strings.HasPrefix(text, "There were ") || strings.HasPrefix(text, "Label(s) may have changed") {
		return
	}
	e := store.Event{Severity: store.SeverityWarning, Message: strings.TrimSuffix(text, "."),
		Category: store.CategoryCompile}
	if message, rest, ok := strings.Cut(text, " on input line "); ok {
		e.Message = message
		e.Line, _ = parse.Number(rest)
	}
	s.Add(parse.Draft{Event: e})
}
