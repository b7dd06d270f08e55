package redact

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// set is everything that is searched for. It is immutable.
type set struct {
	shapes  *shapeTable
	indexes []*index // of the values, largest first
	short   []string // values too short for an index
	filter  *filter
	closed  bool // all text is secret
}

func newSet(shapes *shapeTable) *set {
	s := &set{shapes: shapes}
	s.filter = s.newFilter()
	return s
}

// with returns a set with more needles. Indexes of about the same size are merged, so that there
// are few of them and a needle is rarely sorted again.
func (s *set) with(fresh []needle) *set {
	t := &set{shapes: s.shapes, indexes: slices.Clone(s.indexes), short: slices.Clone(s.short), filter: s.filter}
	fresh = slices.DeleteFunc(slices.Clone(fresh), func(n needle) bool {
		if len(n.text) < gramSize {
			t.short = append(t.short, n.text)
		}
		return len(n.text) < gramSize
	})
	if len(fresh) == 0 {
		return t
	}
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

// newFilter returns a filter with everything in the set and room for as much again.
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

// begins reports whether a needle or shape begins with text, which is shorter than a gram.
func (s *set) begins(text []byte) bool {
	return s.shapes.begins[string(text)] ||
		slices.ContainsFunc(s.indexes, func(x *index) bool { return x.begins(text) }) ||
		slices.ContainsFunc(s.short, func(v string) bool { return len(v) > len(text) && v[:len(text)] == string(text) })
}

// span is a secret part of a text. origin is where its match begins.
type span struct{ origin, from, to int }

// scan is a search through one text.
type scan struct {
	*set
	text    []byte
	past    []byte // what stood before the text, maxPast bytes of it
	final   bool   // nothing follows the text
	deaf    bool   // ignore commands that mask values
	command bool   // the text is a command line
	label   bool   // values too short for an index stay
	learn   bool   // what is found is to be a value
	viewed  bool   // the text is a view
	inDump  bool   // the text is what was dumped
	spans   []span
	masks   []string // values masked by commands in the text
	stops   *stops   // where commands are stopped, as of text[passed]; nil for nowhere
	passed  int
	wrote   int // where the last written characters end
	begun   int // one more than where written characters begin that go on behind the text, 0 for none
}

// stopped reports whether the step stopped commands before text[i].
func (s *scan) stopped(i int) bool {
	if s.stops == nil {
		return false
	}
	if i > s.passed {
		s.stops.past(s.text[s.passed:i])
		s.passed = i
	}
	return s.stops.gate.Stopped()
}

// maxPast is the max number of bytes before a place that tell what it is.
const maxPast = 1 << 10

// before returns what stands before text[i].
func (s *scan) before(i int) []byte {
	if i >= maxPast || len(s.past) == 0 {
		return s.text[max(0, i-maxPast):i]
	}
	return append(slices.Clone(s.past[max(0, len(s.past)+i-maxPast):]), s.text[:i]...)
}

// run searches the text and returns how many of its bytes are settled. What follows may be the
// beginning of a secret, or has to be searched again for values that were just masked.
func (s *scan) run() int {
	settled := s.words()
	if s.begun > 0 {
		settled = min(settled, s.begun-1)
	}
	s.shorts()
	if s.inDump {
		return settled
	}
	settled = s.dumps(settled)
	if s.viewed {
		return settled
	}
	return s.holdKey(s.views(settled))
}

func (s *scan) words() int {
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

// shorts notes the values that are too short for an index.
func (s *scan) shorts() {
	if s.label {
		return
	}
	for _, v := range s.short {
		for i := 0; ; i += len(v) {
			n := bytes.Index(s.text[i:], []byte(v))
			if n < 0 {
				break
			}
			i += n
			s.spans = append(s.spans, span{i, i, i + len(v)})
		}
	}
}

// skip returns the first place from i on where the filter lets a gram pass, or where less than a gram is left. It
// looks at every second place for one of two parts of a gram: its first three bytes, if the gram begins there, or
// its last three, if it begins one byte before.
func (s *scan) skip(i int) int {
	text, bits, shift := s.text, s.filter.parts, s.filter.shift&31
	first := i
	for ; i+8 <= len(text); i += 6 { // eight bytes hold three parts
		v := binary.LittleEndian.Uint64(text[i : i+8])
		a := (uint32(v<<8) * gramMul) >> shift
		b := (uint32(v>>8) &^ 0xff * gramMul) >> shift
		c := (uint32(v>>24) &^ 0xff * gramMul) >> shift
		if (bits[a>>6]>>(a&63)|bits[b>>6]>>(b&63)|bits[c>>6]>>(c&63))&1 == 0 {
			continue
		}
		for at := max(first, i-1); at < i+5 && at+gramSize <= len(text); at++ {
			if s.filter.passes(binary.LittleEndian.Uint32(text[at : at+gramSize])) {
				return at
			}
		}
	}
	for i = max(first, i-1); i+gramSize <= len(text); i++ {
		if s.filter.passes(binary.LittleEndian.Uint32(text[i : i+gramSize])) {
			return i
		}
	}
	return i
}

// at notes the secrets that begin at i, and reports whether it needs more text to tell.
func (s *scan) at(i int) (more bool) {
	gram := binary.LittleEndian.Uint32(s.text[i : i+gramSize])
	for _, x := range s.indexes {
		n, longer := x.at(s.text[i:], gram)
		if longer && !s.final {
			return true
		}
		if n >= 0 {
			n = x.whole(n, func(n *needle) bool { return s.headless(i, n) })
		}
		if n >= 0 {
			if s.needle(i, &x.needles[n]) {
				return true
			}
		} else if s.wrapped(i, x, gram) {
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

// needle notes a found needle, with the last character and the padding of its encoding.
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

// match matches a shape at i.
func (s *scan) match(i int, sh *shape) match {
	if sh.within != nil {
		return sh.within(place{before: s.before(i), text: s.text[i:], final: s.final, command: s.command,
			learn: s.learn})
	}
	before := byte('\n')
	switch {
	case i > 0:
		before = s.text[i-1]
	case len(s.past) > 0:
		before = s.past[len(s.past)-1]
	}
	return sh.match(s.text[i:], before, s.final)
}

// maskInCommand notes the value of a command that masks it, in a command line that will print that command.
func (s *scan) maskInCommand(i int, m match) {
	value := s.text[i+m.from : i+m.to]
	if n := valueLen(value, nil); n > 0 && !isVariable(string(value[:n])) {
		s.spans = append(s.spans, span{i, i + m.from, i + m.from + n})
	}
}

func (s *scan) shape(i int, sh *shape) (more bool) {
	switch {
	case sh.tail:
		return s.tail(i)
	case sh.written != nil:
		return s.writtenAt(i, sh.written)
	}
	m := s.match(i, sh)
	switch {
	case m.more:
		return true
	case m.ok && sh.command && s.command:
		s.maskInCommand(i, m)
		return false
	case m.ok && sh.stops:
		if s.stops != nil {
			s.stops.seen = true
		}
		return false
	case !m.ok || sh.command && (s.deaf || s.stopped(i)):
		return false
	}
	s.spans = append(s.spans, span{i, i + m.from, i + m.to})
	if sh.command {
		s.masks = append(s.masks, unescape(string(s.text[i+m.from:i+m.to])))
		s.text, s.final = s.text[:i+m.to], true // the rest is searched again with this value
	}
	return false
}
