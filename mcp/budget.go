package mcp

import (
	"fmt"
	"sort"
)

// Sizes of answers in bytes of JSON. Some clients put answers above 50,000
// characters aside, so nothing comes near that.
const (
	defaultBytes = 16 << 10
	mostBytes    = 48_000
	leastBytes   = 1_000
)

// Budget is the part of an input that bounds the answer.
type Budget struct {
	MaxBytes int `json:"max_bytes,omitempty" jsonschema:"largest answer in bytes" min:"0"`
}

func (b Budget) maxBytes() int { return b.MaxBytes }

// answerBytes returns how large the answer to an input may be.
func answerBytes(most int, in any) int {
	b, ok := in.(interface{ maxBytes() int })
	if !ok || b.maxBytes() == 0 {
		return most
	}
	return max(leastBytes, min(mostBytes, b.maxBytes()))
}

// Cut says what an answer leaves out, and the call that gets it.
type Cut struct {
	Omitted string `json:"omitted" jsonschema:"what is left out"`
	Next    string `json:"next,omitempty" jsonschema:"the call that gets it"`
}

// Truncation is the part of an answer that says what was left out.
type Truncation struct {
	Truncated []Cut `json:"truncated,omitempty" jsonschema:"what is left out, and the call that gets it"`
}

func (t *Truncation) truncation() *Truncation { return t }

// part is a list in an answer that may be made shorter.
type part struct {
	size int
	keep func(n int)            // leaves the first n, or the n that matter most
	cut  func(n int) (note Cut) // says what is missing when n are left; nil for nothing to say
}

// shortens is an answer with parts that can be cut, those first that are
// missed least.
type shortens interface {
	parts() []part
	truncation() *Truncation
}

// fit cuts an answer, item by item, until it has at most so many bytes.
func fit(out any, most int) {
	a, ok := out.(shortens)
	if !ok {
		return
	}
	for _, p := range a.parts() {
		if size(out) <= most {
			return
		}
		notes := a.truncation().Truncated
		try := func(n int) {
			p.keep(n)
			a.truncation().Truncated = notes
			if p.cut != nil && n < p.size {
				a.truncation().Truncated = append(notes[:len(notes):len(notes)], p.cut(n))
			}
		}
		// The smallest number to leave out with which it fits.
		out := sort.Search(p.size, func(gone int) bool {
			try(p.size - gone)
			return size(out) <= most
		})
		try(p.size - out)
	}
}

// list is the part of an answer that is a slice; its last items are cut.
func list[T any](items *[]T, cut func(n int) Cut) part {
	all := *items
	return part{size: len(all), keep: func(n int) { *items = all[:n:n] }, cut: cut}
}

func size(v any) int {
	text, err := marshal(v)
	if err != nil {
		return 0
	}
	return len(text)
}

func leftOut(kept, total int, what string) string {
	return fmt.Sprintf("%d of %d %s", total-kept, total, what)
}
