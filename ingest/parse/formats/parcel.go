package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// parcelFormat reads Parcel 2: "🚨 Build failed.", and then each diagnostic with the name of its plugin.
var parcelFormat = parse.Format{
	Name:     "parcel",
	About:    "Parcel 2",
	Triggers: []string{"🚨 Build failed"},
	Starts:   []string{"@parcel/core: "},
	Match:    matchParcel,
}

func matchParcel(s *parse.Scan, l parse.Line) bool {
	b := &parcelBlock{s: s}
	if strings.HasPrefix(l.Text, "@parcel/core: ") {
		b.line(l)
	}
	s.Block(b.line)
	return true
}

type parcelBlock struct {
	s     *parse.Scan
	d     *parse.Draft
	lines int
	blank bool // an empty line is above
}

func (b *parcelBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	b.lines++
	if text == "" && b.lines < 200 {
		b.blank = true
		return parse.Take
	}
	if text == "Building..." || strings.HasPrefix(text, "🚨 Build failed") {
		return parse.Done
	}
	blank := b.blank
	b.blank = false
	plugin, message, ok := strings.Cut(text, ": ")
	switch {
	case l.Indent() == 0 && ok &&
		(strings.HasPrefix(plugin, "@") || plugin == "Error" || plugin == "unknown" || hasAnyPrefix(plugin, "parcel-")):
		if b.d == nil || hasAnyPrefix(plugin, "@parcel/transformer", "@parcel/core") {
			b.d = b.s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryCompile}})
		}
	case b.d == nil:
		return parse.Done
	case b.place(text):
	case l.Indent() == 0 && !blank && b.d.Line == 0: // a long message has several lines
		b.d.Message += " " + text
	case isCodeFrame(text):
		if i := strings.LastIndex(text, "^ "); i > 0 { // a hint below the source
			b.d.Message += ": " + text[i+2:]
		}
	case l.Indent() == 0:
		return parse.Done
	}
	b.d.Extend(l)
	return parse.Take
}

// place reads the place of the diagnostic, which is a line of its own.
func (b *parcelBlock) place(text string) bool {
	p, ok := jsPlace(text)
	if ok = ok && p.Column > 0 && parse.IsFileName(p.File); ok {
		b.d.At(p.File, p.Line, p.Column)
	}
	return ok
}
