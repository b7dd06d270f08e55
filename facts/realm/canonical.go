package realm

import (
	"bytes"
	"encoding/json"
	"sort"
)

// canonical returns a JSON value in canonical form (RFC 8785). It knows only what the values of most contracts are made
// of: no spaces, texts of ASCII without escapes, and short whole numbers. It reports false for other values.
func canonical(value json.RawMessage) ([]byte, bool) {
	c := canonicalizer{in: value, out: make([]byte, 0, len(value))}
	return c.out, c.value(0) && c.at == len(value)
}

type canonicalizer struct {
	in  []byte
	at  int
	out []byte
}

// maxCanonicalDepth is the depth of nested values up to which canonical reads a value.
const maxCanonicalDepth = 100

// value appends the value that begins here. It reports false if the value is of another form.
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
	return len(number) <= 15 && (number[0] != '0' || len(number) == 1) // what follows has to be the end of a value
}

// text returns the text that begins here, with its quotation marks, or nil.
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

// skip skips a byte. It reports false if the byte is not there.
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

// object appends the members sorted by their keys.
func (c *canonicalizer) object(depth int) bool {
	c.at++
	type member struct {
		key      []byte
		from, to int // of the member in the output
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
