package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// parcelFormat reads Parcel 2: "🚨 Build failed.", then each diagnostic with
// the plugin that it comes from.
var parcelFormat = Format{
	Name:     "parcel",
	About:    "Parcel 2",
	Triggers: []string{"🚨 Build failed"},
	New:      stateless(matchParcel),
}

func matchParcel(s *Scan, l Line) bool {
	b := &parcelBlock{s: s}
	s.Block(b.line)
	return true
}

type parcelBlock struct {
	s     *Scan
	d     *Draft
	lines int
}

func (b *parcelBlock) line(l Line) Verdict {
	text := l.Trim()
	b.lines++
	if text == "" && b.lines < 200 {
		return Take
	}
	plugin, message, ok := strings.Cut(text, ": ")
	switch {
	case l.Indent() == 0 && ok && (strings.HasPrefix(plugin, "@") || plugin == "Error" || strings.HasPrefix(plugin, "parcel-")):
		if b.d == nil || strings.HasPrefix(plugin, "@parcel/transformer") {
			b.d = b.s.Add(Draft{Event: store.Event{Message: message, Category: store.CategoryCompile}})
		}
	case b.d == nil || l.Indent() == 0:
		return Done
	default:
		if p, ok := jsPlace(text); ok && p.Column > 0 && isFileName(p.File) {
			b.d.At(p.File, p.Line, p.Column)
		}
	}
	b.d.Extend(l)
	return Take
}
