package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// hugoFormat reads the output of Hugo. In an error of Hugo, the place of the page or template is between other words.
var hugoFormat = parse.Format{
	Name:     "hugo",
	About:    "Hugo: errors of pages, templates and configuration",
	Triggers: []string{"ailed: template: ", "ror building site: ", "add site dependencies: ", " as a Hugo Module "},
	Starts: []string{"hugo v", "Start building sites", "Building sites", "ERROR ", "WARN ", "Error: ",
		"Total in "},
	New: func() parse.Matcher { return new(hugo).match },
}

// hugo knows whether Hugo is running.
type hugo struct{ runs bool }

func (h *hugo) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case hasAnyPrefix(text, "hugo v", "Start building sites"):
		h.runs = true
		return false
	case strings.HasPrefix(text, "Total in "):
		h.runs = false
		return false
	}
	text = strings.TrimPrefix(text, "Building sites … ") // old versions print no line end here
	if message, ok := strings.CutPrefix(text, "WARN "); ok && h.runs {
		s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, Message: afterHugoTime(message),
			Category: store.CategoryBuild}})
		return true
	}
	message, ok := cutAny(text, "Error: ", "ERROR ")
	if !ok || !h.runs && !isHugoError(message) {
		return false
	}
	message = afterHugoTime(message)
	for _, w := range [...]string{"Error building site: ", "error building site: ", "add site dependencies: ",
		"load resources: "} {
		message = strings.TrimPrefix(message, w)
	}
	d := parse.Draft{Event: store.Event{Message: message, Category: store.CategoryBuild}}
	hugoPlace(&d)
	if strings.HasPrefix(message, "logged ") && strings.HasSuffix(message, " error(s)") {
		d.Weight = parse.Repeat
	}
	d.Key = d.Message
	if s.Reported("hugo", d.Key) == nil {
		s.Add(d)
	}
	return true
}

// isHugoError reports whether only Hugo prints an error with this message. Other errors count only after Hugo's start.
func isHugoError(message string) bool {
	return strings.Contains(message, "ror building site: ") || strings.Contains(message, " as a Hugo Module ") ||
		strings.HasPrefix(message, "add site dependencies: ") ||
		strings.HasPrefix(message, "render of ") && strings.Contains(message, " failed: template: ")
}

// afterHugoTime removes a time such as "2026/11/29 08:07:41 ". Versions of Hugo before 0.112 print it.
func afterHugoTime(message string) string {
	if at := strings.SplitN(message, " ", 3); len(at) == 3 && strings.Count(at[0], "/") == 2 &&
		strings.Count(at[1], ":") == 2 && parse.IsDigit(at[0][0]) {
		return at[2]
	}
	return strings.TrimSpace(message)
}

// hugoPlace moves the place out of the message: `render of "page" failed: "/site/layouts/single.html:2:7": …`.
func hugoPlace(d *parse.Draft) {
	for from := 0; ; {
		open := strings.IndexByte(d.Message[from:], '"')
		if open < 0 {
			return
		}
		open += from
		end := strings.Index(d.Message[open+1:], `": `)
		if end < 0 {
			return
		}
		end += open + 1
		if p, rest, ok := parse.PlaceAt(d.Message[open+1:end] + ":"); ok && rest == "" && p.Line > 0 &&
			!strings.Contains(p.File, `"`) {
			d.File, d.Line, d.Column = p.File, p.Line, p.Column
			d.Message = d.Message[:open] + d.Message[end+len(`": `):]
			return
		}
		from = open + 1
	}
}
