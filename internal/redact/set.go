package redact

import (
	"encoding/binary"
	"slices"
)

// set is what is looked for. It does not change.
type set struct {
	shapes  *shapeTable
	indexes []*index // of the values: large ones first
	filter  *filter
	closed  bool // all text is secret
}

func newSet(shapes bool) *set {
	s := &set{shapes: commandShapes()}
	if shapes {
		s.shapes = allShapes()
	}
	s.filter = s.newFilter()
	return s
}

// with returns a set that has these needles as well. Indexes of about the same
// size become one, so that there are few, and a needle is seldom sorted again.
func (s *set) with(fresh []needle) *set {
	t := &set{shapes: s.shapes, indexes: slices.Clone(s.indexes)}
	added := fresh
	for n := len(t.indexes); n > 0 && len(t.indexes[n-1].needles) < 2*len(fresh); n = len(t.indexes) {
		fresh = append(fresh, t.indexes[n-1].needles...)
		t.indexes = t.indexes[:n-1]
	}
	if s.filter.room < len(added) {
		t.indexes = append(t.indexes, newIndex(fresh))
		t.filter = t.newFilter()
		return t
	}
	t.filter = s.filter.clone()
	for _, n := range added {
		t.filter.add(gramOf(n.text))
	}
	t.indexes = append(t.indexes, newIndex(fresh))
	return t
}

// newFilter returns a filter for all that the set holds, and as much again.
func (s *set) newFilter() *filter {
	n := len(s.shapes.starts)
	for _, x := range s.indexes {
		n += len(x.needles)
	}
	f := newFilter(2 * n)
	for _, gram := range s.shapes.starts {
		f.add(gram)
	}
	for _, x := range s.indexes {
		for _, n := range x.needles {
			f.add(gramOf(n.text))
		}
	}
	return f
}

// begins says whether something begins with text, which is less than a gram.
func (s *set) begins(text []byte) bool {
	return s.shapes.begins[string(text)] || slices.ContainsFunc(s.indexes, func(x *index) bool { return x.begins(text) })
}

// span is a part of a text that is secret, from a match that begins at origin.
type span struct{ origin, from, to int }

// scan is the search through one text.
type scan struct {
	*set
	text  []byte
	prev  byte // what came before the text
	final bool // nothing comes after it
	deaf  bool // commands that mask values are not heard
	spans []span
	masks []string // values that commands in the text masked
}

// run looks for secrets and returns how much of the text is settled: what
// comes behind may be the beginning of a secret, or is to be searched again
// when the masks are known.
func (s *scan) run() int {
	i := s.skip(0)
	for ; i+gramSize <= len(s.text); i = s.skip(i + 1) {
		if s.at(i) {
			return i
		}
	}
	if s.final {
		return len(s.text)
	}
	for i = max(0, len(s.text)-gramSize+1); i < len(s.text); i++ {
		if s.begins(s.text[i:]) {
			return i
		}
	}
	return len(s.text)
}

// skip returns the first place from i on where the filter lets a gram pass, or
// one with less than a gram behind it.
func (s *scan) skip(i int) int {
	text, bits, shift := s.text, s.filter.bits, s.filter.shift&31
	for ; i+8 <= len(text); i += 5 { // five grams begin in eight bytes
		v := binary.LittleEndian.Uint64(text[i : i+8])
		a := (uint32(v) * gramMul) >> shift
		b := (uint32(v>>8) * gramMul) >> shift
		c := (uint32(v>>16) * gramMul) >> shift
		d := (uint32(v>>24) * gramMul) >> shift
		e := (uint32(v>>32) * gramMul) >> shift
		if bits[a>>6]>>(a&63)&1 != 0 {
			return i
		}
		if bits[b>>6]>>(b&63)&1 != 0 {
			return i + 1
		}
		if bits[c>>6]>>(c&63)&1 != 0 {
			return i + 2
		}
		if bits[d>>6]>>(d&63)&1 != 0 {
			return i + 3
		}
		if bits[e>>6]>>(e&63)&1 != 0 {
			return i + 4
		}
	}
	for ; i+gramSize <= len(text); i++ {
		h := (binary.LittleEndian.Uint32(text[i:i+gramSize]) * gramMul) >> shift
		if bits[h>>6]>>(h&63)&1 != 0 {
			return i
		}
	}
	return i
}

// at notes what begins at i, and says whether that takes more text to tell.
func (s *scan) at(i int) (more bool) {
	gram := binary.LittleEndian.Uint32(s.text[i : i+gramSize])
	for _, x := range s.indexes {
		n, longer := x.at(s.text[i:], gram)
		if longer && !s.final {
			return true
		}
		if n != nil && s.needle(i, n) {
			return true
		}
	}
	list, _ := s.shapes.table.get(gram)
	for _, sh := range list {
		if s.shape(i, sh) {
			return true
		}
	}
	return false
}

// needle notes a needle with what belongs to it: the last character and the
// padding of its encoding.
func (s *scan) needle(i int, n *needle) (more bool) {
	end := i + len(n.text)
	if n.base64 {
		limit := end + 1
		for end < len(s.text) && end < limit && base64Bytes[s.text[end]] {
			end++
		}
		for end < len(s.text) && end < limit+2 && s.text[end] == '=' {
			end++
		}
		if end == len(s.text) && end < limit+2 && !s.final {
			return true
		}
	}
	s.spans = append(s.spans, span{i, i, end})
	return false
}

func (s *scan) shape(i int, sh *shape) (more bool) {
	before := s.prev
	if i > 0 {
		before = s.text[i-1]
	}
	m := sh.match(s.text[i:], before, s.final)
	switch {
	case m.more:
		return true
	case !m.ok || sh.command && s.deaf:
		return false
	}
	s.spans = append(s.spans, span{i, i + m.from, i + m.to})
	if sh.command {
		s.masks = append(s.masks, unescape(string(s.text[i+m.from:i+m.to])))
		s.text, s.final = s.text[:i+m.to], true // what follows is searched with this value
	}
	return false
}
