package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// sphinxFormat reads sphinx-build and docutils: "a.rst:3: WARNING: message", also for docstrings, and errors that end
// the build.
var sphinxFormat = parse.Format{
	Name:  "sphinx",
	About: "Sphinx and docutils: warnings and errors of documentation",
	Triggers: []string{
		": WARNING: ", ": ERROR: ", ": SEVERE: ", ": CRITICAL: ", ": (WARNING/2) ", ": (ERROR/3) ", ": (SEVERE/4) ",
		"build finished with problems",
	},
	Starts: []string{"WARNING: autodoc: failed to import", "Warning, treated as error:", "Sphinx error:",
		"Extension error:", "Extension error (", "Configuration error:", "Theme error:", "Application error:", "ThemeError:",
		"Handler <function"},
	Match: matchSphinx,
}

func matchSphinx(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.HasSuffix(text, " error:") || strings.HasPrefix(text, "Warning, treated as error:") ||
		strings.HasPrefix(text, "Extension error (") {
		sphinxFatal(s)
		return true
	}
	if strings.HasPrefix(text, "build finished with problems") {
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	}
	if message, ok := strings.CutPrefix(text, "WARNING: "); ok {
		s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, Message: message,
			Category: store.CategoryLint}})
		return true
	}
	for _, word := range [...]string{"WARNING: ", "ERROR: ", "SEVERE: ", "CRITICAL: ", "(WARNING/2) ", "(ERROR/3) ",
		"(SEVERE/4) "} {
		head, message, ok := strings.Cut(text, ": "+word)
		if !ok {
			continue
		}
		e := store.Event{Severity: store.SeverityError, Message: message, Category: store.CategoryLint}
		if strings.Contains(word, "WARNING") {
			e.Severity = store.SeverityWarning
		}
		if !sphinxPlace(&e, head) {
			return false
		}
		s.Add(parse.Draft{Event: e, Weight: parse.Likely}) // by default Sphinx succeeds after such an error
		return true
	}
	return false
}

// sphinxPlace reads "/a/b.rst:3", "/a/b.py:docstring of mod.f:3" or a file alone. The progress of the build may precede
// the place.
func sphinxPlace(e *store.Event, head string) bool {
	if i := strings.LastIndex(head, "... "); i >= 0 {
		head = head[i+4:]
	}
	file, rest, docstring := strings.Cut(head, ":docstring of ")
	if docstring {
		e.File = file
		e.Line, _ = parse.Number(rest[strings.LastIndexByte(rest, ':')+1:])
		return true
	}
	p, after, ok := parse.PlaceAt(head)
	if ok && after == "" {
		e.File, e.Line, e.Column = p.File, p.Line, p.Column
	} else {
		e.File = strings.TrimSuffix(head, ":")
	}
	for _, ext := range [...]string{".rst", ".md", ".txt", ".ipynb", ".inc", ".rest"} {
		if strings.HasSuffix(e.File, ext) {
			return true
		}
	}
	return false
}

// sphinxFatal reads the text below the title of an error that ends the build. The text may begin with a place, or
// contain a traceback.
func sphinxFatal(s *parse.Scan) {
	var d *parse.Draft
	var t *traceback
	first := s.LineNumber()
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		if t != nil {
			d.Extend(l)
			if t.read(l.Text) {
				d.Code = ""
				return parse.Last
			}
			if l.Indent() == 0 && text != "" && !strings.HasPrefix(text, "Traceback") || lines > 100 {
				return parse.Done
			}
			return parse.Take
		}
		if text == "" {
			if d == nil {
				return parse.Done
			}
			return parse.Take
		}
		if d != nil {
			if !strings.HasPrefix(text, "Traceback") {
				return parse.Done
			}
			t = &traceback{d: d}
			return parse.Take
		}
		d = s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild, LogLine: first,
			LogLineEnd: l.N}})
		if p, rest, ok := parse.PlaceAt(text); ok && rest != "" {
			d.File, d.Line, d.Message = p.File, p.Line, rest
		} else if i := strings.Index(text, ":docstring of "); i > 0 {
			d.File = text[:i]
		}
		if !strings.Contains(text, "programmable error") {
			return parse.Last
		}
		return parse.Take
	})
}
