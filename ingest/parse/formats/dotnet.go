package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// dotnetFormat reads exceptions that end a program of .NET or Mono.
var dotnetFormat = parse.Format{
	Name:     "dotnet",
	About:    ".NET and Mono: unhandled exceptions",
	Triggers: []string{"Unhandled exception. ", "Unhandled Exception:", "FATAL UNHANDLED EXCEPTION: "},
	New:      func() parse.Matcher { return new(dotnet).match },
}

// dotnet keeps the newest exception, because Mono prints it twice.
type dotnet struct{ last *parse.Draft }

func (n *dotnet) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	message := ""
	for _, w := range [...]string{"FATAL UNHANDLED EXCEPTION: ", "Unhandled exception. ", "Unhandled Exception:"} {
		if _, rest, ok := strings.Cut(text, w); ok {
			message = strings.TrimSpace(rest)
			break
		}
	}
	if i := strings.IndexAny(message, ": "); message != "" && (i < 0 || strings.IndexByte(message[:i], '.') < 0) {
		return false // another program prints the same words
	}
	d := n.last
	if d == nil || l.N > d.LogLineEnd+3 || message == "" {
		draft := parse.Draft{Weight: parse.Died,
			Event: store.Event{Message: message, Category: store.CategoryRuntime, LogLine: l.N}}
		if message == "" {
			n.wait(s, draft)
			return true
		}
		n.last = s.Add(draft)
	}
	s.Block(func(l parse.Line) parse.Verdict { return n.frame(l) })
	return true
}

// wait reads the exception on the line below "Unhandled Exception:".
func (n *dotnet) wait(s *parse.Scan, draft parse.Draft) {
	s.Block(func(l parse.Line) parse.Verdict {
		message := l.Trim()
		if i := strings.IndexAny(message, ": "); i < 0 || strings.IndexByte(message[:i], '.') < 0 {
			return parse.Done
		}
		draft.Message = message
		n.last = s.Add(draft)
		n.last.Extend(l)
		s.Block(func(l parse.Line) parse.Verdict { return n.frame(l) })
		return parse.Take
	})
}

// frame reads the further lines of the message, and the stack trace.
func (n *dotnet) frame(l parse.Line) parse.Verdict {
	text := l.Trim()
	p, ok := dotnetFrame(text)
	switch {
	case ok:
		n.last.At(p.File, p.Line, 0)
	case strings.HasPrefix(text, "---") || strings.HasPrefix(text, "Parameter name: "):
	default:
		return parse.Done
	}
	n.last.Extend(l)
	return parse.Take
}
