package parse

// mask is a set of formats, by their place in the list.
type mask [2]uint64

func (m *mask) add(i int)      { m[i>>6] |= 1 << (i & 63) }
func (m mask) has(i int) bool  { return m[i>>6]&(1<<(i&63)) != 0 }
func (m mask) empty() bool     { return m[0]|m[1] == 0 }
func (m mask) or(o mask) mask  { return mask{m[0] | o[0], m[1] | o[1]} }
func (m mask) and(o mask) mask { return mask{m[0] & o[0], m[1] & o[1]} }

const maxFormats = 128

// triggers finds all literals of all formats in one pass over a line: an
// Aho-Corasick automaton for the literals anywhere, and a table by first byte
// for those at the start.
type triggers struct {
	class  [256]uint8 // byte → column of next; bytes in no literal share column 0
	width  int
	next   []uint16 // state*width + class → state
	out    []mask   // state → formats whose literal ends here
	starts [256][]start
}

type start struct {
	literal string
	formats mask
}

func newTriggers(formats []Format) *triggers {
	t := &triggers{width: 1}
	for _, f := range formats {
		for _, lit := range f.Triggers {
			for i := range len(lit) {
				if t.class[lit[i]] == 0 {
					t.class[lit[i]] = uint8(t.width)
					t.width++
				}
			}
		}
	}
	t.grow()
	for i, f := range formats {
		for _, lit := range f.Triggers {
			t.insert(lit, i)
		}
		for _, lit := range f.Starts {
			t.insertStart(lit, i)
		}
	}
	t.link()
	return t
}

func (t *triggers) grow() int {
	t.next = append(t.next, make([]uint16, t.width)...)
	t.out = append(t.out, mask{})
	return len(t.out) - 1
}

func (t *triggers) insert(lit string, format int) {
	s := 0
	for i := range len(lit) {
		c := int(t.class[lit[i]])
		n := int(t.next[s*t.width+c])
		if n == 0 {
			n = t.grow()
			t.next[s*t.width+c] = uint16(n)
		}
		s = n
	}
	t.out[s].add(format)
}

func (t *triggers) insertStart(lit string, format int) {
	list := t.starts[lit[0]]
	for i := range list {
		if list[i].literal == lit {
			list[i].formats.add(format)
			return
		}
	}
	s := start{literal: lit}
	s.formats.add(format)
	t.starts[lit[0]] = append(list, s)
}

// link turns the trie into an automaton without failure steps, breadth first.
func (t *triggers) link() {
	fail := make([]int, len(t.out))
	var queue []int
	for c := range t.width {
		if n := int(t.next[c]); n != 0 {
			queue = append(queue, n)
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		t.out[s] = t.out[s].or(t.out[fail[s]])
		for c := range t.width {
			n := int(t.next[s*t.width+c])
			down := t.next[fail[s]*t.width+c]
			if n == 0 {
				t.next[s*t.width+c] = down
				continue
			}
			fail[n] = int(down)
			queue = append(queue, n)
		}
	}
}

// scan returns the formats that have a literal in text.
func (t *triggers) scan(text []byte) mask {
	var m mask
	s := 0
	for _, b := range text {
		s = int(t.next[s*t.width+int(t.class[b])])
		o := &t.out[s]
		m[0] |= o[0]
		m[1] |= o[1]
	}
	if len(text) > 0 {
		for _, p := range t.starts[text[0]] {
			if len(text) >= len(p.literal) && string(text[:len(p.literal)]) == p.literal {
				m = m.or(p.formats)
			}
		}
	}
	return m
}
