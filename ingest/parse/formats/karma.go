package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// karmaFormat reads the output of Karma's reporters: "BROWSER SUITE TEST FAILED" with indented details, once for each
// browser. It also reads errors of browsers and preprocessors.
var karmaFormat = parse.Format{
	Name:     "karma",
	About:    "Karma: failed tests, browser errors",
	Triggers: []string{" FAILED", ") ERROR", ":ERROR [", "]: Disconnected (", ":WARN [launcher]: "},
	Match:    matchKarma,
}

// karmaBrowser matches a browser's name and the text after it. Karma prints "Chrome Headless 156.0.0.0 (Linux 0.0.0)",
// but for jsdom it prints the user agent.
var karmaBrowser = lazyregexp.New(`^([A-Z][A-Za-z]*(?: [A-Za-z]+)* [\d.]+ \([^)]+\)|` +
	`(?:Node\.js|Mozilla/5\.0) \([^)]*\) AppleWebKit/\S+ \(KHTML, like Gecko\)(?: jsdom/[\d.]+)?):? (.+)$`)

// karmaGivesUp reads a warning about a browser that is missing, that does not start or end in time, or that has
// disconnected. Karma may try again.
func karmaGivesUp(text string) (message string, ok bool) {
	_, message, ok = strings.Cut(text, "]: ")
	said := hasAnyPrefix(message, "Disconnected (", "Can not load ", "Cannot load ") ||
		containsAny(message, []string{" have not captured in ", " was not killed in "})
	return message, ok && said && parse.IsDigit(text[0])
}

func matchKarma(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if i := strings.Index(text, ":ERROR ["); i > 0 && parse.IsDigit(text[0]) {
		_, message, ok := strings.Cut(text[i+len(":ERROR "):], "]: ")
		if ok && strings.TrimSpace(message) != "" && !strings.HasSuffix(message, "stdout:") &&
			!strings.HasSuffix(message, "stderr:") {
			d := s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryTest}})
			b := &karmaBlock{d: d}
			b.msg.Add(message)
			s.Block(b.line)
		}
		return ok
	}
	if strings.Contains(text, ":WARN [") {
		message, ok := karmaGivesUp(text)
		if ok {
			s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Message: message, Category: store.CategoryTest}})
		}
		return ok
	}
	g := karmaBrowser.FindStringSubmatch(text)
	if g == nil || strings.HasPrefix(g[2], "Executed ") {
		return false
	}
	d := parse.Draft{Event: store.Event{Category: store.CategoryTest}}
	if name, ok := strings.CutSuffix(g[2], " FAILED"); ok {
		d.Test = name
	} else if g[2] != "ERROR" {
		return false
	} else {
		d.Message = "error in " + g[1]
	}
	b := &karmaBlock{d: s.Add(d)}
	s.Block(b.line)
	return true
}

type karmaBlock struct {
	d     *parse.Draft
	msg   parse.Message
	trace jsTrace
}

func (b *karmaBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case text == "":
		b.msg.Add("")
		return parse.Take
	case l.Indent() == 0:
		return parse.Done
	// PhantomJS prints frames without the name of the function.
	case b.trace.add(text), strings.IndexByte(text, ' ') < 0 && b.trace.add("at "+text):
		b.msg.End()
		b.trace.tell(b.d)
	case text == "at <Jasmine>":
		b.msg.End()
	default:
		b.msg.Tell(b.d, text)
	}
	b.d.Extend(l)
	return parse.Take
}
