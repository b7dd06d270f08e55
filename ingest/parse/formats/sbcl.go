package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// sbclFormat reads Steel Bank Common Lisp: unhandled conditions, and errors and warnings of its compiler.
var sbclFormat = parse.Format{
	Name:  "sbcl",
	About: "SBCL: unhandled conditions, errors and warnings of the compiler",
	Starts: []string{"Unhandled ", "debugger invoked on a", "; caught ", "; file: ",
		"While evaluating the form starting at line "},
	New: func() parse.Matcher { return new(sbcl).match },
}

// sbcl keeps the file that is being compiled, and the form that is being loaded.
type sbcl struct {
	file string
	form parse.Place
	at   int // line of the form
}

func (c *sbcl) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if file, ok := strings.CutPrefix(text, "; file: "); ok {
		c.file = file
		return false
	}
	if severity, ok := strings.CutPrefix(text, "; caught "); ok {
		return c.caught(s, severity)
	}
	if at, ok := strings.CutPrefix(text, "While evaluating the form starting at line "); ok {
		c.form.Line, _ = parse.Number(at)
		s.Block(c.formFile)
		return true
	}
	condition, ok := cutAny(text, "Unhandled ", "debugger invoked on an ", "debugger invoked on a ")
	condition, _, inThread := strings.Cut(condition, " in thread #<")
	if !ok || !inThread || strings.IndexByte(condition, ' ') >= 0 {
		return false
	}
	d := unhandled(s, condition)
	if c.form.File != "" && l.N == c.at+1 {
		d.At(c.form.File, c.form.Line, 0)
	}
	return true
}

// formFile reads the file of a form that is being loaded: `  of #P"/shop/a.lisp":`.
func (c *sbcl) formFile(l parse.Line) parse.Verdict {
	file, ok := strings.CutPrefix(l.Trim(), `of #P"`)
	if !ok {
		return parse.Done
	}
	c.form.File, c.at = strings.TrimSuffix(file, `":`), l.N
	return parse.Last
}

// unhandled reads the indented message of a condition and its backtrace.
func unhandled(s *parse.Scan, condition string) *parse.Draft {
	d := s.Add(parse.Draft{Weight: parse.Likely,
		Event: store.Event{Code: condition, Message: condition, Category: store.CategoryRuntime}})
	words := parse.Message{Between: " "} // the message has several lines; the first may be just "The value"
	lines, trace := 0, false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		trace = trace || strings.HasPrefix(text, "Backtrace for: ")
		switch {
		case lines > 200 || l.Indent() == 0 && !trace && text != "":
			return parse.Done
		case trace && text == "", trace && text[0] != 'B' && !parse.IsDigit(text[0]) && l.Indent() == 0:
			return parse.Last
		case trace || text == "":
			return parse.Take
		case strings.HasSuffix(text, "}>:"): // the text names the thread
		default:
			if _, at, ok := strings.Cut(text, `for "file `); ok {
				file, _, _ := strings.Cut(at, `"`)
				d.At(file, 0, 0)
			}
			if at, ok := strings.CutPrefix(text, "(in form starting at line: "); ok && d.Line == 0 {
				d.Line, _ = parse.Number(at)
				return parse.Take
			}
			words.More(text)
			d.Message = words.String()
		}
		d.Extend(l)
		return parse.Take
	})
	return d
}

// caught reads the message below "; caught WARNING:".
func (c *sbcl) caught(s *parse.Scan, severity string) bool {
	d := parse.Draft{Event: store.Event{File: c.file, Category: store.CategoryCompile}}
	switch severity {
	case "ERROR:":
		d.Severity = store.SeverityError
	case "WARNING:", "STYLE-WARNING:":
		d.Severity = store.SeverityWarning
	default:
		return false
	}
	added := s.Add(d)
	var words parse.Message
	s.Block(func(l parse.Line) parse.Verdict {
		text, ok := strings.CutPrefix(l.Text, ";   ")
		if !ok {
			return parse.Done
		}
		words.Tell(added, text)
		added.Extend(l)
		return parse.Take
	})
	return true
}
