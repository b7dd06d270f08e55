package redact

import (
	"bytes"
	"slices"
	"sync"
)

// set has everything that is searched for. It is immutable.
type set struct {
	shapes  *shapeTable
	indexes []*index // indexes of values, largest first
	short   []string // values too short for an index
	filter  *filter
	closed  bool // all text is secret, because too many values were added
}

func newSet(shapes *shapeTable) *set {
	s := &set{shapes: shapes}
	s.filter = s.newFilter()
	return s
}

// with returns a set with additional needles. It merges their index with the last indexes that are less than twice as
// large. So there are only a few indexes, and a needle is sorted again only a few times.
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
		t.filter.add(n)
	}
	t.indexes = append(t.indexes, newIndex(fresh))
	return t
}

// newFilter returns a filter for the set, with room for twice as many needles.
func (s *set) newFilter() *filter {
	n, short := 0, 0
	for _, x := range s.indexes {
		n += len(x.needles)
		for _, n := range x.needles {
			if len(n.text) < longNeedle {
				short++
			}
		}
	}
	f := newFilter(2*n+100, 2*short, s.shapes)
	for _, x := range s.indexes {
		for _, n := range x.needles {
			f.add(n)
		}
	}
	return f
}

// begins reports whether a needle or a match of a shape may begin with a text of less than gramSize bytes.
func (s *set) begins(text []byte) bool {
	return s.shapes.begins(text) ||
		slices.ContainsFunc(s.indexes, func(x *index) bool { return x.begins(text) }) ||
		slices.ContainsFunc(s.short, func(v string) bool { return len(v) > len(text) && v[:len(text)] == string(text) })
}

// span is the range of a secret in a text: text[from:to]. origin is the index at which the matching shape or needle
// begins.
type span struct{ origin, from, to int }

// scan is a search through one text.
type scan struct {
	*set
	text    []byte
	past    []byte // text before the searched text, up to maxPast bytes
	head    []byte // past and the beginning of text; made on demand
	final   bool   // the text is complete
	deaf    bool   // ignore mask commands
	command bool   // the text is a command line
	label   bool   // values that are too short for an index are not replaced
	// learn is set to find only secrets that are suitable as values for later searches.
	learn  bool
	viewed bool   // the text is a view
	source source // raw text of the view
	depth  int    // number of nested views between the text and the raw text
	inDump bool   // the text is a decoded dump
	spans  []span
	masks  []string // values masked by commands in the text
	stops  *stops   // state of stopped commands at text[passed]; nil if commands never stop
	passed int
	wrote  int // end of the last written characters that were searched (see written)
	joined int // end of the last joined strings
	// begun is 0 if no unfinished expression is at the end of the text. Otherwise it is 1 + the index at which the
	// expression begins: joined strings such as "hun"+"ter", or characters such as chr(104)+chr(117).
	begun   int
	hints   *hints
	scratch *scratch
}

// scratch is working memory that searches reuse.
type scratch struct {
	views     [2]view
	seen      view
	hints     [2]hints // hints of the text and of a view
	line      dumpLine
	dumps     [dumpStyles]view
	screen    screenLine
	positions []int32   // positions of the raw text at which a needle or a shape may begin
	heads     [3][]byte // the field head of scans, by depth of the scan
}

// scratches keeps the working memory of closed streams for later streams.
var scratches = sync.Pool{New: func() any { return &scratch{} }}

// head returns the buffer for the field head of a scan at a depth. Nested scans need separate buffers.
func (s *scratch) head(depth int) *[]byte {
	if depth < len(s.heads) {
		return &s.heads[depth]
	}
	return new([]byte)
}

// room returns the working memory of the scan. It allocates the memory if there is none.
func (s *scan) room() *scratch {
	if s.scratch == nil {
		s.scratch = &scratch{}
	}
	return s.scratch
}

// stopped reports whether workflow commands are stopped at text[i].
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

// maxPast is the max number of bytes before a position that a search examines.
const maxPast = 1 << 10

// before returns the text before text[i], at most maxPast bytes.
func (s *scan) before(i int) []byte {
	if i >= maxPast || len(s.past) == 0 {
		return s.text[max(0, i-maxPast):i:i]
	}
	if len(s.head) == 0 {
		head := s.room().head(s.depth)
		*head = append(append((*head)[:0], s.past...), s.text[:min(len(s.text), maxPast)]...)
		s.head = *head
	}
	i += len(s.past)
	return s.head[max(0, i-maxPast):i:i]
}

// run searches the text. It returns how many bytes need not be searched again. In the other bytes a secret may begin,
// a newly masked value may occur, or later text may change what a terminal shows.
func (s *scan) run() int {
	settled := s.words()
	if s.begun > 0 {
		settled = min(settled, s.begun-1)
	}
	s.shorts()
	if s.inDump {
		return settled
	}
	s.hints = &s.room().hints[0]
	if s.viewed {
		s.hints = &s.room().hints[1]
	}
	s.hints.read(s.text)
	settled = s.dumps(settled)
	if s.viewed {
		return settled
	}
	return s.holdLine(s.holdString(s.holdSource(s.holdKey(s.views(settled)))))
}

// holdLine returns how many bytes need not be searched again, at most the parameter settled. It excludes the
// unfinished line, or the last maxPast bytes of a longer one. The cursor may go back to the beginning of that line and
// replace the text that a reader sees.
func (s *scan) holdLine(settled int) int {
	if s.final {
		return settled
	}
	return min(settled, max(bytes.LastIndexByte(s.text, '\n')+1, len(s.text)-maxPast))
}

// shorts records the secret values that are too short for an index.
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

// needles records the needles (forms of secret values) that begin with the four bytes of gram at text[i:]. It
// returns true if it needs more text.
func (s *scan) needles(i int, gram uint32) (more bool) {
	for _, x := range s.indexes {
		g, ok := x.groups.get(gram)
		if !ok {
			continue
		}
		n, longer := x.at(s.text[i:], g)
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
			continue
		}
		found, more := s.shortened(i, x, g)
		if more || !found && s.wrapped(i, x, g) {
			return true
		}
	}
	return false
}

// shapesAt records the secrets with a known form that begin with the four bytes of gram at text[i:]. It returns true
// if it needs more text.
func (s *scan) shapesAt(i int, gram uint32) (more bool) {
	for _, sh := range s.shapes.of(gram) {
		if s.shape(i, sh) {
			return true
		}
	}
	return false
}

// needle records a needle that was found at text[i:]. For a needle in base64, the recorded range includes the next
// base64 character and the padding, if they follow. needle returns true if it needs more text.
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

// match matches a shape at text[i:]. It also examines the text before i: some shapes require a word boundary there, and
// others require a name before the secret.
func (s *scan) match(i int, sh *shape) match {
	if sh.within != nil {
		return sh.within(position{before: s.before(i), text: s.text[i:], final: s.final, command: s.command,
			learn: s.learn, set: s.set, depth: s.depth})
	}
	before := byte('\n')
	switch {
	case i > 0:
		before = s.text[i-1]
	case len(s.past) > 0:
		before = s.past[len(s.past)-1]
	}
	if sh.boundary[0] && wordBytes[before] && endsInEscape(s.before(i)) {
		before = '\n'
	}
	return sh.match(s.text[i:], before, s.final)
}

// maskInCommand records the value in a mask command that is part of a command line, as in echo "::add-mask::VALUE".
// It does not mask other occurrences of the value, because the mask command has not been printed yet.
func (s *scan) maskInCommand(i int, m match) {
	value := s.text[i+m.from : i+m.to]
	if n := valueLen(value, nil); n > 0 && !isVariable(string(value[:n])) {
		s.spans = append(s.spans, span{i, i + m.from, i + m.from + n})
	}
}

func (s *scan) shape(i int, sh *shape) (more bool) {
	switch {
	case sh.may != nil && !sh.may(s.text[i:]):
		return false
	case sh.tail:
		return s.tail(i)
	case sh.joined:
		return s.joinedAt(i)
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
	case !m.ok || sh.command && (s.deaf || s.stopped(i) || len(s.masks) >= maxMasks):
		return false
	}
	s.spans = append(s.spans, span{i + min(0, m.from), i + m.from, i + m.to})
	for _, p := range m.others {
		s.spans = append(s.spans, span{i, i + p.from, i + p.to})
	}
	if sh.command {
		s.masks = append(s.masks, unescape(string(s.text[i+m.from:i+m.to])))
		s.text, s.final = s.text[:i+m.to], true // the other bytes are searched again, for this value, too
	}
	return false
}
