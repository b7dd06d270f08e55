package docs

import (
	"cmp"
	"slices"
	"sort"

	"github.com/blq-ci/blq/facts/docs/markup"
)

// untitled is the heading for text without a heading.
const untitled = "Document"

// A document without headings is cut into windows of at most window lines. In a document with headings, a block is cut
// in the same way if it has more than maxBlock lines.
const (
	maxBlock = 400
	window   = 200
)

// block is a heading with the text up to the next heading, or a window of a long text.
type block struct {
	Range
	level   int    // level of the heading, 0 for text above the first heading
	heading string // "" if the block is not the first window of its text
	above   int    // number of the block of the enclosing heading, -1 for none
}

// continues reports whether a block is not the first window of its text.
func (b block) continues() bool { return b.heading == "" }

// split cuts a document into blocks. The title of a front matter counts as a heading above all other headings. It
// does not count if the document has a heading of the first level.
func split(outline markup.Outline, lines *markup.Lines) (all []block) {
	headings := outline.Headings
	first := lines.Len() + 1
	if len(headings) > 0 {
		first = headings[0].Line
	}
	heads := outline.Title != "" &&
		!slices.ContainsFunc(headings, func(h markup.Heading) bool { return h.Level == 1 })
	if above := (Range{1, first - 1}); heads || hasText(outline, lines, above) {
		limit := maxBlock
		if len(headings) == 0 {
			limit = window
		}
		all = appendWindows(all, block{above, 0, cmp.Or(outline.Title, untitled), -1}, limit)
	}
	var open []int // blocks of the headings that enclose the next heading
	if heads {
		open = []int{0}
	}
	for i, h := range headings {
		end := lines.Len()
		if i+1 < len(headings) {
			end = headings[i+1].Line - 1
		}
		for len(open) > 0 && all[open[len(open)-1]].level >= h.Level {
			open = open[:len(open)-1]
		}
		if isPlaceholder(h) {
			continue
		}
		b := block{Range{h.Line, end}, h.Level, cmp.Or(h.Text, untitled), -1}
		if len(open) > 0 {
			b.above = open[len(open)-1]
		}
		open = append(open, len(all))
		all = appendWindows(all, b, maxBlock)
	}
	return all
}

// hasText reports whether the lines above the first heading contain more than front matter, imports and exports. In a
// document without headings, front matter counts as text.
func hasText(outline markup.Outline, lines *markup.Lines, above Range) bool {
	if len(outline.Headings) > 0 {
		above.From = outline.First
	}
	for _, m := range outline.Modules {
		if m.From > above.To {
			break
		}
		if !isBlank(lines, Range{above.From, m.From - 1}) {
			return true
		}
		above.From = m.To + 1
	}
	return !isBlank(lines, above)
}

// isPlaceholder reports whether a heading is the title of a "404" page.
func isPlaceholder(h markup.Heading) bool { return h.Level == 1 && h.Text == "404" }

// isBlank reports whether all lines of a range are blank.
func isBlank(lines *markup.Lines, r Range) bool {
	for n := r.From; n <= r.To; n++ {
		for _, c := range lines.Line(n) {
			if c != ' ' && c != '\t' {
				return false
			}
		}
	}
	return true
}

// appendWindows adds a block. A block of more than limit lines is added as windows.
func appendWindows(all []block, b block, limit int) []block {
	if b.To-b.From < limit {
		return append(all, b)
	}
	for from := b.From; from <= b.To; from += window {
		all = append(all, block{Range{from, min(b.To, from+window-1)}, b.level, b.heading, b.above})
		b.heading = ""
	}
	return all
}

// outline is the list of blocks of a document, in order.
type outline []block

// at returns the number of the block that contains a line, or -1 if there is none.
func (o outline) at(line int) int {
	return sort.Search(len(o), func(i int) bool { return o[i].From > line }) - 1
}

// start returns the number of the block that begins the text under block i's heading. Block i may be a later window of
// the same text.
func (o outline) start(i int) int {
	for i > 0 && o[i].continues() {
		i--
	}
	return i
}

// path returns the headings that enclose block i, and the heading of block i, from the highest level down.
func (o outline) path(i int) []string {
	path := []string{}
	for i >= 0 {
		i = o.start(i)
		path = append(path, o[i].heading)
		i = o[i].above
	}
	slices.Reverse(path)
	return path
}

// end returns the last line of the section of block i.
func (o outline) end(i int) int {
	last := o[i].To
	for n := i + 1; n < len(o) && (o[n].continues() || o[n].above >= i); n++ {
		last = o[n].To
	}
	return last
}

// section returns the smallest section that contains a range. If no section contains the whole range, the result
// spans several sections, from the first to the last section of the range. A range that begins above the first block
// is returned unchanged.
func (o outline) section(r Range) Range {
	i := o.at(r.From)
	if i < 0 {
		return r
	}
	first := Range{}
	for i = o.start(i); i >= 0; i = o[i].above {
		first = Range{o[i].From, o.end(i)}
		if r.To <= first.To {
			return first
		}
	}
	last := o.start(o.at(r.To))
	for o[last].above >= 0 {
		last = o[last].above
	}
	return Range{min(first.From, r.From), max(o.end(last), r.To)}
}
