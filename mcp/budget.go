package mcp

import (
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"

	"fmt"
	"sort"
)

// These are sizes of answers, in bytes of JSON. All limits are below 50,000, because some clients move longer answers
// into files.
const (
	defaultBytes = 16 << 10
	maxBytes     = 48_000
	leastBytes   = 1_000
)

// Budget is a part of an input: the max size of the answer.
type Budget struct {
	MaxBytes int `json:"max_bytes,omitempty" jsonschema:"of answer" min:"0"`
}

func (b Budget) maxBytes() int { return b.MaxBytes }

// answerBytes returns the max size of the answer to an input, in bytes. If the input asks for a size, the result is
// that size, but at least leastBytes and at most limit. Otherwise the result is the parameter usual.
func answerBytes(usual, limit int, in any) int {
	b, ok := in.(interface{ maxBytes() int })
	if !ok || b.maxBytes() == 0 {
		return usual
	}
	return max(leastBytes, min(limit, b.maxBytes()))
}

// Truncation is a part of an answer: notes about what was left out.
type Truncation struct {
	Truncated []query.Omission `json:"truncated,omitempty" jsonschema:"left out: call to get it" schema:"unlisted"`
}

func (t *Truncation) truncation() *Truncation { return t }

// part is a list in an answer that can be shortened.
type part struct {
	size int                          // number of items in the part
	keep func(n int)                  // keeps only the n most important items
	cut  func(n int) []query.Omission // returns notes about all missing items if n items remain
}

// shortens is an answer with parts that can be cut. The method parts returns these parts, the least important part
// first.
type shortens interface {
	parts() []part
	truncation() *Truncation
}

// fit cuts an answer to its max size. The notes about missing items name only tools that are offered.
func (c *call) fit(a shortens) {
	clipEvents(a, c.bytes)
	fit(a, c.bytes)
	c.server.nameOffered(a.truncation().Truncated)
}

// nameOffered removes the calls that the client cannot make from notes about missing items (see possible).
func (s *Server) nameOffered(notes []query.Omission) {
	for i := range notes {
		next, ok := s.possible(notes[i].Next)
		if notes[i].Next = next; !ok {
			notes[i].Next = store.Call{}
		}
	}
}

// fit removes items from an answer until it has at most limit bytes. It adds notes about the missing items.
func fit(a shortens, limit int) {
	parts := a.parts()
	kept := make([]int, len(parts))
	for i, p := range parts {
		kept[i] = p.size
	}
	leave := func(i, n int) bool {
		kept[i] = n
		parts[i].keep(n)
		notes := a.truncation()
		notes.Truncated = nil
		for j, p := range parts {
			notes.Truncated = append(notes.Truncated, p.cut(kept[j])...)
		}
		return size(a) <= limit
	}
	for i, p := range parts {
		if leave(i, p.size) {
			return
		}
		gone := sort.Search(p.size, func(gone int) bool { return leave(i, p.size-gone) })
		if leave(i, p.size-gone) {
			return
		}
	}
}

// list returns a slice in an answer as a part. The function fit cuts the part at its end. Before that, list removes
// the items that do not fit into the largest answer. So fit never encodes very many items.
func list[T any](items *[]T, cut func(n int) []query.Omission) part {
	n := room(*items)
	all := (*items)[:n:n]
	*items = all
	return part{size: n, keep: func(n int) { *items = all[:n:n] }, cut: cut}
}

// room returns the number of items that fit into the largest answer.
func room[T any](items []T) int {
	left := maxBytes
	for i, item := range items {
		if left -= size(item); left < 0 {
			return i
		}
	}
	return len(items)
}

// omitted returns a note that total-kept items of a list are missing. It returns nil if no item is missing.
func omitted(kept, total int, what string, next store.Call) []query.Omission {
	if kept >= total {
		return nil
	}
	return []query.Omission{{What: fmt.Sprintf("%d of %d %s", total-kept, total, what), Next: next}}
}

func size(v any) int {
	text, err := marshal(v)
	if err != nil {
		return 0
	}
	return len(text)
}
