package redact

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"regexp/syntax"
	"slices"
	"sync"
)

// shape is a kind of secret with a known form. Its pattern is matched from the first byte on without backtracking.
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
	check    func(secret string) bool // whether a match is a secret, nil for always
	custom   func(text []byte, final bool) match
	within   func(place) match      // matches shapes that also need the text before
	may      func(text []byte) bool // whether a text with a trigger may match so far, nil for always
	triggers []string               // beginnings of a match, for shapes without parts
}

// place is a place in a text.
type place struct {
	before  []byte // the text before the place, maxPast bytes
	text    []byte // the text after the place
	final   bool   // text is complete
	command bool   // the whole text is a command line
	learn   bool   // the secret must be usable as a value, so ambiguous names do not count
}

// class is a set of bytes.
type class [256]bool

// part is a run of bytes from one class.
type part struct {
	class    *class
	min, max int
}

// match is the result of matching a shape: the secret text[from:to], or that more text is needed.
type match struct {
	from, to int
	ok, more bool
	others   []span // further secrets
}

// longestToken is the max length in bytes of an unbounded repeat. So the text that is held back is limited, too.
const longestToken = 8 << 10

// compileShape compiles a pattern in a subset of regexp's syntax: literals, classes with repeats, \b at both ends,
// and a group around the secret. Repeats are possessive: they match as much as possible.
func compileShape(name, pattern string) *shape {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(fmt.Sprintf("redact: shape %s: %v", name, err))
	}
	s := &shape{name: name, to: -1}
	s.compile(re)
	if s.to < 0 {
		s.from, s.to = 0, len(s.parts)
	}
	return s
}

func (s *shape) compile(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			s.compile(sub)
		}
	case syntax.OpCapture:
		s.from = len(s.parts)
		s.compile(re.Sub[0])
		s.to = len(s.parts)
	case syntax.OpWordBoundary:
		s.boundary[min(1, len(s.parts))] = true
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			s.parts = append(s.parts, part{literal(r, re.Flags&syntax.FoldCase != 0), 1, 1})
		}
	case syntax.OpCharClass:
		s.parts = append(s.parts, part{classOf(re), 1, 1})
	case syntax.OpQuest:
		s.parts = append(s.parts, part{classOf(re.Sub[0]), 0, 1})
	case syntax.OpRepeat:
		limit := re.Max
		if limit < 0 {
			limit = longestToken
		}
		s.parts = append(s.parts, part{classOf(re.Sub[0]), re.Min, limit})
	default:
		panic(fmt.Sprintf("redact: shape %s: %s is too much", s.name, re))
	}
}

// literals caches classes by byte. A class in the field one has only that byte. A class in the field both has that
// letter in upper and lower case.
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

func classOf(re *syntax.Regexp) *class {
	if re.Op == syntax.OpLiteral && len(re.Rune) == 1 {
		return literal(re.Rune[0], re.Flags&syntax.FoldCase != 0)
	}
	if re.Op != syntax.OpCharClass {
		panic(fmt.Sprintf("redact: %s is no class", re))
	}
	c := new(class)
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= min(re.Rune[i+1], 0xff); r++ {
			c[byte(r)] = true
		}
	}
	return c
}

// match matches the shape at the beginning of a text. before is the byte before the text. final says that the text is
// complete.
func (s *shape) match(text []byte, before byte, final bool) match {
	if s.boundary[0] && wordBytes[before] {
		return match{}
	}
	if s.custom != nil {
		return s.custom(text, final)
	}
	m := match{ok: true}
	at := 0
	for i := range s.parts {
		p := &s.parts[i]
		if i == s.from {
			m.from = at
		}
		n, limit := 0, min(p.max, len(text)-at)
		for n < limit && p.class[text[at+n]] {
			n++
		}
		at += n
		if n < p.max && at == len(text) && !final {
			return match{more: true}
		}
		if n < p.min {
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

var wordBytes = bytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")

// starts returns the possible first grams of a match.
func (s *shape) starts() []uint32 {
	if len(s.triggers) > 0 {
		var grams []uint32
		for _, t := range s.triggers {
			grams = append(grams, gramOf(t))
		}
		return grams
	}
	grams := []uint32{0}
	at := 0
	for _, p := range s.parts {
		bytes := p.class.bytes()
		for n := 0; n < p.max && at < gramSize; n, at = n+1, at+1 {
			if n >= p.min {
				panic("redact: shape " + s.name + " begins too loosely")
			}
			longer := make([]uint32, 0, len(grams)*len(bytes))
			for _, g := range grams {
				for _, b := range bytes {
					longer = append(longer, g|uint32(b)<<(8*at))
				}
			}
			grams = longer
		}
		if at == gramSize {
			break
		}
	}
	return grams
}

// bytes returns the bytes of a class.
func (c *class) bytes() []byte {
	var list []byte
	for b := range c {
		if c[b] {
			list = append(list, byte(b))
		}
	}
	return list
}

// shapeTable finds shapes by their first gram.
type shapeTable struct {
	heads shapeSet // first grams of matches
	parts partSet
	table grams[uint16] // index of a gram in lists
	lists [][]*shape    // shapes with the same first gram
	grams []uint32      // the grams, sorted by their text
}

func newShapeTable(shapes []*shape) *shapeTable {
	var pairs []uint64 // a gram in the order of its text, and the index of a shape
	for i, s := range shapes {
		for _, gram := range s.starts() {
			pairs = append(pairs, uint64(bits.ReverseBytes32(gram))<<32|uint64(i))
		}
	}
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	n := 0
	for i, p := range pairs {
		if i == 0 || p>>32 != pairs[i-1]>>32 {
			n++
		}
	}
	t := &shapeTable{table: newGrams[uint16](n), grams: make([]uint32, 0, n)}
	known := map[string]uint16{} // indexes in lists by shapes
	var key []byte
	for len(pairs) > 0 {
		sorted := uint32(pairs[0] >> 32)
		key = key[:0]
		n := 0
		for ; n < len(pairs) && uint32(pairs[n]>>32) == sorted; n++ {
			key = binary.LittleEndian.AppendUint16(key, uint16(pairs[n]))
		}
		list, ok := known[string(key)]
		if !ok {
			list = uint16(len(t.lists))
			known[string(key)] = list
			t.lists = append(t.lists, shapesOf(pairs[:n], shapes))
		}
		gram := bits.ReverseBytes32(sorted)
		t.heads.add(gram)
		t.parts.add(gram)
		t.table.put(gram, list)
		t.grams = append(t.grams, sorted)
		pairs = pairs[n:]
	}
	return t
}

// shapesOf returns the shapes with the indexes in the pairs.
func shapesOf(pairs []uint64, shapes []*shape) []*shape {
	list := make([]*shape, len(pairs))
	for i, p := range pairs {
		list[i] = shapes[uint32(p)]
	}
	return list
}

// of returns the shapes with a first gram.
func (t *shapeTable) of(gram uint32) []*shape {
	list, ok := t.table.get(gram)
	if !ok {
		return nil
	}
	return t.lists[list]
}

// begins reports whether a text that is shorter than a gram is the beginning of a shape.
func (t *shapeTable) begins(text []byte) bool {
	var first [gramSize]byte
	copy(first[:], text)
	i, _ := slices.BinarySearch(t.grams, binary.BigEndian.Uint32(first[:]))
	if i == len(t.grams) {
		return false
	}
	at := binary.BigEndian.AppendUint32(nil, t.grams[i])
	return string(at[:len(text)]) == string(text)
}

// commandShapes are searched even if Options.Shapes is not set.
var commandShapes = sync.OnceValue(func() *shapeTable { return newShapeTable(maskCommands()) })

// allShapes are the shapes of commands and tokens, compiled once.
var allShapes = sync.OnceValue(newAllShapes)

func newAllShapes() *shapeTable {
	list := append(maskCommands(), privateKey(), keyTail(), puttyKey(), accessKey(), userToken(), urlPassword(),
		bearerToken(), dataSource(), oracleSource())
	list = append(append(append(list, spoken()...), writtenShapes()...), joinedShape(), pairShape(), loginShape(),
		flagShape(), webToken(), argumentsShape(), insertShape(), redisShape(), formShape())
	list = append(append(list, framedShapes()...), rareShapes()...)
	return newShapeTable(append(list, compileShapes(false)...))
}

// tokenShapes are the tokens that only their form identifies, compiled once.
var tokenShapes = sync.OnceValue(func() *shapeTable {
	return newShapeTable(append([]*shape{privateKey(), puttyKey()}, compileShapes(true)...))
})

// framed are the names of shapes that need surrounding text.
const framed = "bearer basic token sql-bare setuser setuser-quoted pgpass pgpass-any ftp smtp imap npm-ident tacacs " +
	"pragma-key logon elastic elastic-reset radius isakmp pre-shared-key powershell-plain url-auth oracle sonar sql " +
	"sql-set " +
	"powershell powershell-string powershell-credential kubectl-literal npmrc docker-config " +
	"url-signature snmp snmp-server terraform-output bcrypt crypt-sha512 crypt-yescrypt argon2 crypt-md5 crypt-sha256 " +
	"crypt-apache cisco-7 cisco-7-key cisco-8 cisco-9 aws-configure curl-cookie curl-cookie-again"

// compileShapes compiles the shapes of tokens. If alone is set, it leaves out shapes that need surrounding text.
func compileShapes(alone bool) []*shape {
	var list []*shape
	names := wordSet(framed)
	for _, s := range shapes {
		if alone && names[s.name] {
			continue
		}
		c := compileShape(s.name, s.pattern)
		switch s.name {
		case "aws-access-key-id":
			c.check = func(v string) bool { return !isDocumented(v) }
		case "snmp", "snmp-server", "kubectl-literal", "sql-bare", "ftp", "tacacs", "radius", "isakmp", "pre-shared-key",
			"pgpass", "pgpass-any":
			c.check = func(v string) bool { return !isPlaceholder(v) }
		}
		list = append(list, c)
	}
	return append(list, compilePrefixed()...)
}
