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
	Match:    matchParcel,
}

func matchParcel(s *parse.Scan, l parse.Line) bool {
	b := &parcelBlock{s: s}
	s.Block(b.line)
	return true
}

type parcelBlock struct {
	s     *parse.Scan
	d     *parse.Draft
	lines int
}

func (b *parcelBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	b.lines++
	if text == "" && b.lines < 200 {
		return parse.Take
	}
	plugin, message, ok := strings.Cut(text, ": ")
	switch {
	case l.Indent() == 0 && ok &&
		(strings.HasPrefix(plugin, "@") || plugin == "Error" || strings.HasPrefix(plugin, "parcel-")):
		if b.d == nil || strings.HasPrefix(plugin, "@parcel/transformer") {
			b.d = b.s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryCompile}})
		}
	case b.d == nil || l.Indent() == 0:
		return parse.Done
	default:
		if p, ok := jsPlace(text); ok && p.Column > 0 && parse.IsFileName(p.File) {
			b.d.At(p.File, p.Line, p.Column)
		}
	}
	b.d.Extend(l)
	return parse.Take
}
