package mcp

import (
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"

	"fmt"
	"sort"
)

// Sizes of answers in bytes of JSON. Some clients put answers above 50,000
// characters aside, so nothing comes near that.
const (
	defaultBytes = 16 << 10
	maxBytes     = 48_000
	leastBytes   = 1_000
)

// Budget is the part of an input that bounds the answer.
type Budget struct {
	MaxBytes int `json:"max_bytes,omitempty" jsonschema:"of the answer" min:"0"`
}

func (b Budget) maxBytes() int { return b.MaxBytes }

// answerBytes returns how large the answer to an input may be: as large as
// the tool's are, or as the caller wants within bounds.
func answerBytes(usual, limit int, in any) int {
	b, ok := in.(interface{ maxBytes() int })
	if !ok || b.maxBytes() == 0 {
		return usual
	}
	return max(leastBytes, min(limit, b.maxBytes()))
}

// Truncation is the part of an answer that says what was left out.
type Truncation struct {
	Truncated []query.Omission `json:"truncated,omitempty" jsonschema:"left out: call to get it"`
}

func (t *Truncation) truncation() *Truncation { return t }

// part is a list in an answer that may be made shorter.
type part struct {
	size int                          // items that it has
	keep func(n int)                  // leaves n items, those that matter most
	cut  func(n int) []query.Omission // says what is missing when n are left, which may be more than what keep removed
}

// shortens is an answer with parts that can be cut, those first that are
// missed least.
type shortens interface {
	parts() []part
	truncation() *Truncation
}

// fit makes an answer as large as it may be. What it says of the rest names
// only tools that are offered.
func (c *call) fit(a shortens) {
	fit(a, c.bytes)
	c.server.nameOffered(a.truncation().Truncated)
}

// nameOffered leaves out calls of tools that are not offered from notes on what
// was left out.
func (s *Server) nameOffered(notes []query.Omission) {
	for i := range notes {
		if !s.has(notes[i].Next.Tool) {
			notes[i].Next = store.Call{}
		}
	}
}

// fit cuts an answer, item by item, until it has at most so many bytes, and
// says what is missing.
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

// list is the part of an answer that is a slice; its last items are cut. What
// no answer has room for goes at once, so that fit never writes all of it.
func list[T any](items *[]T, cut func(n int) []query.Omission) part {
	n := room(*items)
	all := (*items)[:n:n]
	*items = all
	return part{size: n, keep: func(n int) { *items = all[:n:n] }, cut: cut}
}

// room returns how many of the items fit into the largest answer.
func room[T any](items []T) int {
	left := maxBytes
	for i, item := range items {
		if left -= size(item); left < 0 {
			return i
		}
	}
	return len(items)
}

// omitted is the note on a list of which kept of total are there; nil for all.
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
