package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// jekyllFormat reads errors and warnings of Jekyll. Jekyll continues after an error in front matter, so such an error
// is a warning.
var jekyllFormat = parse.Format{
	Name:     "jekyll",
	About:    "Jekyll: errors of templates, converters, front matter and plugins",
	Triggers: []string{"Liquid Exception: ", "Liquid Warning: ", "Dependency Error: Yikes!", "YAML Exception reading "},
	Match:    matchJekyll,
}

func matchJekyll(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	d := parse.Draft{Event: store.Event{Category: store.CategoryBuild}}
	topic, message, ok := strings.Cut(text, ": ")
	switch {
	case !ok:
		return false
	case topic == "Liquid Exception", topic == "Liquid Warning":
		d.Message = message
		if before, file, ok := cutLast(message, " in "); ok && parse.IsFileName(file) {
			d.Message, d.File = before, file
		}
		d.Line = liquidLine(d.Message)
	case topic == "Dependency Error":
		d.Message, _, _ = strings.Cut(strings.TrimPrefix(message, "Yikes! "), " In order to use Jekyll")
	case strings.HasPrefix(topic, "YAML Exception reading "):
		d.Message, d.File, d.Severity = message, topic[len("YAML Exception reading "):], store.SeverityWarning
	default:
		return false
	}
	if topic == "Liquid Warning" {
		d.Severity = store.SeverityWarning
	}
	added := s.Add(d)
	if d.Severity != store.SeverityWarning {
		s.Block(func(l parse.Line) parse.Verdict { return jekyllTrace(added, l) })
	}
	return true
}

// jekyllTrace takes the lines below an error that repeat the error. One kind of lines is advice between two rulers. The
// other kind is the stack trace of the exception that ends Jekyll 4.
func jekyllTrace(d *parse.Draft, l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case l.N > d.LogLineEnd+200:
		return parse.Done
	case strings.HasPrefix(text, "-----"), strings.HasPrefix(text, "Jekyll ") && strings.Contains(text, "`--trace`"),
		strings.HasPrefix(text, "for any additional information or backtrace"),
		strings.HasPrefix(text, "from ") && strings.Contains(text, ":in "), strings.HasPrefix(text, "Did you mean? "),
		strings.Contains(text, ".rb:") && strings.Contains(text, ":in "), strings.Contains(text, ".rb>:") &&
			strings.Contains(text, ":in "):
		d.Extend(l)
		return parse.Take
	}
	return parse.Done
}

// liquidLine reads the line number in "Liquid syntax error (line 3): …".
func liquidLine(message string) int {
	_, rest, ok := strings.Cut(message, "(line ")
	if n, length := parse.Number(rest); ok && strings.HasPrefix(rest[length:], ")") {
		return n
	}
	return 0
}
