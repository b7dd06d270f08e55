package redact

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// patternReader compiles the patterns of shapes. A pattern is a regular expression that may only have bytes, classes,
// repeats, \b at both ends, texts in either case, and a group around the secret. Hundreds of patterns are compiled when
// the program starts, and regexp/syntax would take several times as long.
type patternReader struct {
	shape   *shape
	pattern string // the whole pattern
	rest    string
	fold    bool // letters match in either case
	parts   []part
	classes map[string]*class // by their text, see classOf
}

// compileShape compiles a pattern. Repeats are possessive: they match as much as possible, and never less.
func compileShape(name, pattern string) *shape {
	var r patternReader
	return r.compile(name, pattern)
}

// compile compiles a pattern. Patterns that are compiled by the same reader share classes.
func (r *patternReader) compile(name, pattern string) *shape {
	r.shape, r.pattern, r.rest, r.fold = &shape{name: name, to: -1}, pattern, pattern, false
	r.parts = r.parts[:0]
	for r.rest != "" {
		r.next()
	}
	s := r.shape
	if s.parts = append(make([]part, 0, len(r.parts)), r.parts...); s.to < 0 {
		s.from, s.to = 0, len(s.parts)
	}
	return s
}

// next reads one element of the pattern.
func (r *patternReader) next() {
	switch {
	case r.skip(`\b`):
		r.shape.boundary[min(1, len(r.parts))] = true
	case r.skip("(?i:"):
		r.fold = true
	case r.skip("(?"):
		r.refuse("(?" + r.rest)
	case r.skip("("):
		r.shape.from = len(r.parts)
	case r.fold && r.skip(")"):
		r.fold = false
	case r.skip(")"):
		r.shape.to = len(r.parts)
	case r.skip("{"):
		r.repeat()
	case r.skip("?"):
		r.parts[len(r.parts)-1].min = 0
	default:
		r.parts = append(r.parts, part{r.class(), 1, 1})
	}
}

// skip skips the given text if the rest of the pattern begins with it. It reports whether it has skipped the text.
func (r *patternReader) skip(text string) (found bool) {
	r.rest, found = strings.CutPrefix(r.rest, text)
	return found
}

// repeat reads the numbers of a repeat, such as 2,4} in [a-z]{2,4}. It stores them in the part that was added last.
func (r *patternReader) repeat() {
	numbers, rest, _ := strings.Cut(r.rest, "}")
	least, most, isRange := strings.Cut(numbers, ",")
	p := &r.parts[len(r.parts)-1]
	p.min = r.number(least)
	switch {
	case !isRange:
		p.max = p.min
	case most == "":
		p.max = longestToken
	default:
		p.max = r.number(most)
	}
	r.rest = rest
}

func (r *patternReader) number(text string) int32 {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n > math.MaxInt16 {
		r.refuse(text)
	}
	return int32(n)
}

// class reads a byte or a class.
func (r *patternReader) class() *class {
	end := 1
	switch r.rest[0] {
	case '[':
		for end = 1; r.rest[end] != ']'; end++ {
			if r.rest[end] == '\\' {
				end++
			}
		}
		end++
	case '\\':
		end = 2
	case '.', '*', '+', '|', '^', '$':
		r.refuse(r.rest[:1])
	}
	text := r.rest[:end]
	r.rest = r.rest[end:]
	if text[0] == '[' || text == `\w` {
		return r.classOf(text)
	}
	c := text[0]
	if c == '\\' {
		c = r.escaped(text[1])
	}
	return literal(rune(c), r.fold)
}

// classOf returns the class that a text such as [0-9a-f] describes.
func (r *patternReader) classOf(text string) *class {
	if known := r.classes[text]; known != nil {
		return known
	}
	if r.fold {
		r.refuse(text)
	}
	if r.classes == nil {
		r.classes = map[string]*class{}
	}
	c, named := new(class), [...]string{'w': word, 's': "\t\n\f\r "}
	inside := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	inside, negated := strings.CutPrefix(inside, "^")
	for inside != "" {
		var from, to byte
		switch {
		case strings.HasPrefix(inside, `\w`), strings.HasPrefix(inside, `\s`):
			c.include(named[inside[1]])
			inside = inside[2:]
			continue
		case inside[0] == '\\':
			from, inside = r.escaped(inside[1]), inside[2:]
		default:
			from, inside = inside[0], inside[1:]
		}
		if to = from; len(inside) > 1 && inside[0] == '-' {
			if to, inside = inside[1], inside[2:]; to == '\\' || to < from {
				r.refuse(text)
			}
		}
		for b := int(from); b <= int(to); b++ {
			c[b] = true
		}
	}
	for b := range c {
		c[b] = c[b] != negated
	}
	r.classes[text] = c
	return c
}

func (c *class) include(bytes string) {
	for i := range len(bytes) {
		c[bytes[i]] = true
	}
}

// escaped returns the byte that a backslash and b represent.
func (r *patternReader) escaped(b byte) byte {
	switch {
	case b == 'n':
		return '\n'
	case b == 't':
		return '\t'
	case wordBytes[b]:
		r.refuse(`\` + string(b))
	}
	return b
}

func (r *patternReader) refuse(what string) {
	panic(fmt.Sprintf("redact: shape %s: %s in %s is too much", r.shape.name, what, r.pattern))
}
