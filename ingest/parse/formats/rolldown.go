package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// countsErrors reports whether a line is "Build failed with 2 errors:", above Rolldown's list of errors.
func countsErrors(text string) bool {
	_, count, ok := strings.Cut(text, "Build failed with ")
	return ok && (strings.HasSuffix(count, " error:") || strings.HasSuffix(count, " errors:"))
}

// matchRolldown reads the list of errors that the command rolldown prints at its end. esbuild's list begins in the same
// way, but each of its lines begins with a place.
func matchRolldown(s *parse.Scan, text string) bool {
	if !countsErrors(text) {
		return false
	}
	b := &viteBlock{s: s, items: true}
	s.Block(func(l parse.Line) parse.Verdict {
		if b.d != nil {
			return b.line(l)
		}
		switch text := l.Trim(); {
		case text == "" && b.lines == 0:
			b.lines++
			return parse.Take
		case text != "" && text[0] == '[' || strings.HasPrefix(text, "Error: "):
			b.d = s.Add(parse.Draft{Event: store.Event{Tool: "rolldown", Category: store.CategoryCompile}})
			return b.line(l)
		}
		return parse.Done
	})
	return true
}

// item reads a line of Rolldown's list. Each error has one of the forms
//
//	[PARSE_ERROR] Unexpected token
//	[plugin vite:css] /src/a.css:1:22
//
// and then an excerpt with its place: "╭─[ src/a.js:1:11 ]".
func (b *viteBlock) item(l parse.Line, text string) bool {
	if at, ok := strings.CutPrefix(text, "╭─[ "); ok {
		if p, ok := jsPlace(strings.TrimSuffix(at, " ]")); ok {
			b.d.At(p.File, p.Line, p.Column)
		}
		b.msg.End()
		return true
	}
	if isExcerpt(text) {
		b.msg.End()
		return true
	}
	code, message, ok := strings.Cut(strings.TrimPrefix(text, "["), "]")
	if !ok || text[0] != '[' {
		return false
	}
	plugin, isPlugin := strings.CutPrefix(code, "plugin ")
	if !isPlugin && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
		return false
	}
	if b.d.Message != "" || b.d.Code != "" {
		b.d = b.s.Add(parse.Draft{Event: store.Event{Tool: b.d.Tool, Category: store.CategoryCompile}})
	}
	b.msg, b.trace, b.lines = parse.Message{}, jsTrace{}, 0
	b.d.Move(l)
	message = strings.TrimSpace(message)
	if !isPlugin {
		b.d.Code = code
		b.msg.Tell(b.d, message)
		return true
	}
	b.d.Code = plugin
	if p, ok := jsPlace(message); ok {
		b.d.At(p.File, p.Line, p.Column)
	} else if parse.IsFileName(message) {
		b.d.At(message, 0, 0)
	} else if message != "" {
		b.msg.Tell(b.d, message)
	}
	return true
}

// isExcerpt reports whether a line belongs to an excerpt of the source: "1 │ const a = ;".
func isExcerpt(text string) bool {
	_, n := parse.Number(text)
	text = strings.TrimLeft(text[n:], " ")
	return strings.HasPrefix(text, "│") || strings.HasPrefix(text, "───")
}
