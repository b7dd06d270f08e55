package realm

import (
	"bytes"
	"encoding/json"
	"sort"
)

// canonical returns a JSON value in canonical form (RFC 8785). It accepts only values without spaces, with ASCII texts
// without escapes, and with short whole numbers, because the values of most contracts have this form. It reports false
// for other values.
func canonical(value json.RawMessage) ([]byte, bool) {
	c := canonicalizer{in: value, out: make([]byte, 0, len(value))}
	ok := c.value(0) && c.at == len(value)
	return c.out, ok
}

type canonicalizer struct {
	in  []byte
	at  int
	out []byte
}

// maxCanonicalDepth is the max depth of nested values that canonical reads.
const maxCanonicalDepth = 100

// value appends the value that begins at the current byte. It reports false if canonical does not accept the value.
func (c *canonicalizer) value(depth int) bool {
	if c.at == len(c.in) || depth > maxCanonicalDepth {
		return false
	}
	switch b := c.in[c.at]; {
	case b == '{':
		return c.object(depth)
	case b == '[':
		return c.array(depth)
	case b == '"':
		text := c.text()
		c.out = append(c.out, text...)
		return text != nil
	case b >= '0' && b <= '9':
		return c.number()
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(c.in[c.at:], []byte(word)) {
			c.at += len(word)
			c.out = append(c.out, word...)
			return true
		}
	}
	return false
}

func (c *canonicalizer) number() bool {
	start := c.at
	for c.at < len(c.in) && c.in[c.at] >= '0' && c.in[c.at] <= '9' {
		c.at++
	}
	number := c.in[start:c.at]
	c.out = append(c.out, number...)
	return len(number) <= 15 && (number[0] != '0' || len(number) == 1) // callers refuse a dot after the number
}

// text returns the text that begins at the current byte, with its quotation marks. It returns nil for a text that
// canonical does not accept.
func (c *canonicalizer) text() []byte {
	start := c.at
	for c.at++; c.at < len(c.in); c.at++ {
		switch b := c.in[c.at]; {
		case b == '"':
			c.at++
			return c.in[start:c.at]
		case b < ' ' || b > '~' || b == '\\':
			return nil
		}
	}
	return nil
}

// skip skips the byte b. It reports false if the current byte is another byte.
func (c *canonicalizer) skip(b byte) bool {
	if c.at == len(c.in) || c.in[c.at] != b {
		return false
	}
	c.at++
	return true
}

func (c *canonicalizer) array(depth int) bool {
	c.at++
	c.out = append(c.out, '[')
	for first := true; !c.skip(']'); first = false {
		if !first {
			if !c.skip(',') {
				return false
			}
			c.out = append(c.out, ',')
		}
		if !c.value(depth + 1) {
			return false
		}
	}
	c.out = append(c.out, ']')
	return true
}

// object appends an object. Its members are sorted by their keys.
func (c *canonicalizer) object(depth int) bool {
	c.at++
	type member struct {
		key      []byte
		from, to int // offsets of the member in the output
	}
	var members []member
	begin := len(c.out)
	for !c.skip('}') {
		if len(members) > 0 && !c.skip(',') {
			return false
		}
		if c.at == len(c.in) || c.in[c.at] != '"' {
			return false
		}
		m := member{key: c.text(), from: len(c.out)}
		if m.key == nil || !c.skip(':') {
			return false
		}
		c.out = append(append(c.out, m.key...), ':')
		if !c.value(depth + 1) {
			return false
		}
		m.key, m.to = m.key[1:len(m.key)-1], len(c.out)
		members = append(members, m)
	}
	sort.Slice(members, func(i, j int) bool { return bytes.Compare(members[i].key, members[j].key) < 0 })
	written := bytes.Clone(c.out[begin:])
	c.out = append(c.out[:begin], '{')
	for i, m := range members {
		if i > 0 {
			if bytes.Equal(m.key, members[i-1].key) {
				return false
			}
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, written[m.from-begin:m.to-begin]...)
	}
	c.out = append(c.out, '}')
	return true
}
