package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// configureFormat reads the output of configure scripts of autoconf, and of the tools that generate these scripts.
var configureFormat = parse.Format{
	Name:  "configure",
	About: "configure scripts of autoconf, autoreconf and automake",
	Triggers: []string{
		"configure: error:", "configure: WARNING:", "configure.ac:", "configure.in:", "possibly undefined macro",
	},
	Starts: []string{"autoreconf: ", "automake: ", "aclocal: ", "autom4te: ", "config.status: error:"},
	Match:  matchConfigure,
}

func matchConfigure(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if before, message, ok := strings.Cut(text, "configure: error: "); ok &&
		(before == "" || strings.HasSuffix(before, "/")) {
		if strings.HasPrefix(message, "in `") && strings.HasSuffix(message, "':") {
			return true // the directory; the next line has the reason
		}
		d := s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryBuild}})
		// A configure script in a subdirectory failed. That script has printed the reason itself.
		if strings.HasSuffix(message, " failed") && strings.Contains(message, "/configure") {
			d.Weight = parse.Repeat
		}
		configureRest(s, d)
		return true
	}
	if before, message, ok := strings.Cut(text, "configure: WARNING: "); ok &&
		(before == "" || strings.HasSuffix(before, "/")) {
		s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, Message: message,
			Category: store.CategoryBuild}})
		return true
	}
	if p, rest, ok := parse.PlaceAt(text); ok {
		severity, message, ok := parse.SeverityAt(rest)
		if !ok || !strings.Contains(p.File, "configure.") {
			return false
		}
		s.Add(parse.Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Message: message,
			Tool: "autoconf", Category: store.CategoryBuild}})
		return true
	}
	tool, rest, _ := strings.Cut(text, ": ")
	severity, message, ok := parse.SeverityAt(rest)
	if !ok && tool == "autoreconf" && strings.HasSuffix(rest, " is required") { // before 2.70
		severity, message, ok = store.SeverityError, rest, true
	}
	if !ok {
		return false
	}
	d := parse.Draft{Event: store.Event{Severity: severity, Message: message, Category: store.CategoryBuild}}
	switch {
	case strings.Contains(message, " failed with exit status"):
		d.Tool, d.Weight = "autoconf", parse.Repeat
	case tool == "autoreconf" || tool == "automake" || tool == "aclocal" || tool == "autom4te":
		d.Tool = tool
	case tool == "config.status":
	default:
		return false
	}
	s.Add(d)
	return true
}

// configureRest extends an event by the lines that explain it, up to the first line that may come from another tool. If
// the message ends with a colon, the next paragraph is added to the message.
func configureRest(s *parse.Scan, d *parse.Draft) {
	lines, listed, more := 0, 0, strings.HasSuffix(d.Message, ":")
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		switch {
		case lines > 8 || l.Level != "" || strings.HasPrefix(text, "make") || strings.HasPrefix(text, "The command ") ||
			strings.Contains(text, "rror:") || strings.Contains(text, "***"):
			return parse.Done
		case text == "" && more && listed == 0:
			return parse.Take
		case text == "":
			return parse.Done
		case more:
			listed++
			d.Message += "\n" + text
			fallthrough
		case strings.HasPrefix(text, "See `"), strings.HasPrefix(text, "See '"), l.Indent() > 0,
			lines < 4 && strings.HasSuffix(text, "."):
			d.Extend(l)
			return parse.Take
		}
		return parse.Done
	})
}
