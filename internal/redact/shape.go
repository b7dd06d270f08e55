package redact

import (
	"sync"
)

// shape is a kind of secret with a known form. A pattern or a function describes the form. A pattern is matched from
// its first byte on, without backtracking.
type shape struct {
	name     string
	parts    []part
	boundary [2]bool                  // whether the match must begin and end at a word boundary
	from, to int                      // indexes of the secret parts
	command  bool                     // the shape is a mask command
	stops    bool                     // the shape is a command that stops other commands
	tail     bool                     // the shape is the end of a key
	joined   bool                     // the shape is the text between joined strings
	written  *written                 // a form of written characters, nil for other shapes
	check    func(secret string) bool // reports whether a match is a secret; nil if every match is
	custom   func(text []byte, final bool) match
	within   func(position) match   // matches shapes that also need the text before
	may      func(text []byte) bool // reports whether a text with a trigger may match; nil if every such text may
	triggers []string               // beginnings of a match, for shapes without parts
}

// position is the position at which a shape is matched, and the text around it.
type position struct {
	before  []byte // the text before the position, maxPast bytes
	text    []byte // the text after the position
	final   bool   // text is complete
	command bool   // the whole text is a command line
	// learn is set if the secret is wanted as a value for later searches. Then a value is no secret if its name, such
	// as key, also has other meanings.
	learn bool
	set   *set // what is searched for, also in text that a shape decodes
	depth int  // number of decoded texts around the position
}

// class is a set of bytes.
type class [256]bool

// part is one element of a pattern: a number of consecutive bytes from a class.
type part struct {
	class    *class
	min, max int32
}

// match is the result of matching a shape: the secret text[from:to], or that more text is needed.
type match struct {
	from, to int
	ok, more bool
	others   []span // further secrets
}

// longestToken is the max number of bytes that a repeat without a limit matches. It limits the text that is held back.
const longestToken = 8 << 10

// literals caches the results of literal. The field one has the class of each byte. The field both has the class of
// each letter in both cases.
var literals struct {
	sync.Mutex
	one, both [256]*class
}

// literal returns the class of one byte, or of a letter in both cases.
func literal(r rune, fold bool) *class {
	literals.Lock()
	defer literals.Unlock()
	fold = fold && 'A' <= r&^0x20 && r&^0x20 <= 'Z'
	kept := &literals.one[byte(r)]
	if fold {
		kept = &literals.both[byte(r)]
	}
	if *kept == nil {
		c := new(class)
		c[byte(r)] = true
		if fold {
			c[byte(r)^0x20] = true
		}
		*kept = c
	}
	return *kept
}

// match matches the shape at the beginning of a text. previous is the byte before the text. final is true if no more
// text follows.
func (s *shape) match(text []byte, previous byte, final bool) match {
	if s.boundary[0] && wordBytes[previous] {
		return match{}
	}
	if s.custom != nil {
		if m := s.custom(text, final); !m.ok || !s.command || !isEmptyMask(text[m.from:m.to], previous) {
			return m
		}
		return match{}
	}
	m := match{ok: true}
	at := 0
	for i := range s.parts {
		p := &s.parts[i]
		if i == s.from {
			m.from = at
		}
		n, limit := 0, min(int(p.max), len(text)-at)
		for n < limit && p.class[text[at+n]] {
			n++
		}
		at += n
		if n < int(p.max) && at == len(text) && !final {
			return match{more: true}
		}
		if n < int(p.min) {
			return match{}
		}
		if i == s.to-1 {
			m.to = at
		}
	}
	if s.check != nil && !s.check(string(text[m.from:m.to])) {
		return match{}
	}
	if !s.boundary[1] {
		return m
	}
	if at == len(text) && !final {
		return match{more: true}
	}
	m.ok = at == len(text) || !wordBytes[text[at]]
	return m
}

// word has the bytes of the class \w.
const word = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

var wordBytes = bytesOf(word)

// gramLister lists the first grams of shapes. It reuses its memory for the next shape.
type gramLister struct {
	grams, longer []uint32
	bytes         map[*class][]byte
}

// of returns the grams with which a match of the shape may begin. They are valid until the next call.
func (l *gramLister) of(s *shape) []uint32 {
	l.grams = l.grams[:0]
	for _, t := range s.triggers {
		l.grams = append(l.grams, gramOf(t))
	}
	if len(s.triggers) > 0 {
		return l.grams
	}
	l.grams = append(l.grams, 0)
	at := 0
	for _, p := range s.parts {
		for n := int32(0); n < p.max && at < gramSize; n, at = n+1, at+1 {
			if n >= p.min {
				panic("redact: shape " + s.name + " begins too loosely")
			}
			l.longer = l.longer[:0]
			for _, g := range l.grams {
				for _, b := range l.bytesOf(p.class) {
					l.longer = append(l.longer, g|uint32(b)<<(8*at))
				}
			}
			l.grams, l.longer = l.longer, l.grams
		}
		if at == gramSize {
			break
		}
	}
	return l.grams
}

// bytesOf returns the bytes in a class. It computes them only once.
func (l *gramLister) bytesOf(c *class) []byte {
	list, known := l.bytes[c]
	if !known {
		for b := range c {
			if c[b] {
				list = append(list, byte(b))
			}
		}
		l.bytes[c] = list
	}
	return list
}
