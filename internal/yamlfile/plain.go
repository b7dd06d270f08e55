package yamlfile

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Plain reads a file of plain YAML: ASCII text with keys and items in lines, scalars that end on their line, quoted
// texts without escapes, and flow collections on one line. Most files are like this, and the YAML library needs ten
// times as long for them. For any other file, Plain returns nil. The values are the same as those of the library, with
// the same lines. Comments, columns and the style of flow collections are not kept.
func Plain(text []byte) *yaml.Node {
	for _, c := range text {
		if c != '\n' && (c < ' ' || c > '~') {
			return nil
		}
	}
	r := plainReader{text: string(text), ok: true}
	r.next()
	if r.rest == "---" && r.indent == 0 {
		r.next()
	}
	if r.ended || r.indent != 0 {
		return nil
	}
	n := r.block(0)
	if !r.ok || !r.ended {
		return nil
	}
	return n
}

// plainReader reads a file by line. If ok is false, the file is not plain.
type plainReader struct {
	text   string // text after the current line
	line   int    // number of the current line, 1-based
	indent int    // column of the rest, from 0
	rest   string // rest of the current line, without spaces around it
	depth  int
	ok     bool
	ended  bool // there is no current line

	free []yaml.Node // allocated in advance
}

// next goes to the next line that is neither empty nor a comment.
func (r *plainReader) next() {
	for r.text != "" {
		var line string
		line, r.text, _ = strings.Cut(r.text, "\n")
		r.line++
		r.rest = strings.TrimLeft(line, " ")
		r.indent = len(line) - len(r.rest)
		r.rest = strings.TrimRight(r.rest, " ")
		if r.rest == "" || r.rest[0] == '#' {
			continue
		}
		if r.indent == 0 && (strings.HasPrefix(r.rest, "---") && r.depth > 0 || strings.HasPrefix(r.rest, "...")) {
			r.ok = false // a further document, or the end of one
		}
		return
	}
	r.rest, r.indent, r.ended = "", -1, true
}

// bytesOfNode is the number of bytes of text for each node that is allocated in advance. Nodes take much memory, so a
// small file gets few.
const bytesOfNode = 8

func (r *plainReader) node(kind yaml.Kind, tag string) *yaml.Node {
	if len(r.free) == 0 {
		r.free = make([]yaml.Node, min(max((len(r.rest)+len(r.text))/bytesOfNode, 8), 64))
	}
	n := &r.free[0]
	r.free = r.free[1:]
	n.Kind, n.Tag, n.Line = kind, tag, r.line
	return n
}

// fail records that the file is not plain.
func (r *plainReader) fail() *yaml.Node {
	r.ok = false
	return nil
}

// isItem reports whether the current line begins with an item of a sequence.
func (r *plainReader) isItem() bool { return r.rest == "-" || strings.HasPrefix(r.rest, "- ") }

// block reads the mapping or sequence that begins at the current line.
func (r *plainReader) block(indent int) *yaml.Node {
	if r.depth++; r.depth > maxDepth {
		return r.fail()
	}
	defer func() { r.depth-- }()
	if r.isItem() {
		return r.sequence(indent)
	}
	return r.mapping(indent)
}

func (r *plainReader) mapping(indent int) *yaml.Node {
	n := r.node(yaml.MappingNode, "!!map")
	for r.ok && r.indent == indent && !r.isItem() {
		key, value, ok := r.key(r.rest)
		if !ok {
			return r.fail()
		}
		n.Content = append(n.Content, key, r.value(value, indent, true))
	}
	return n
}

func (r *plainReader) sequence(indent int) *yaml.Node {
	n := r.node(yaml.SequenceNode, "!!seq")
	for r.ok && r.indent == indent && r.isItem() {
		item := strings.TrimLeft(r.rest[1:], " ")
		column := r.indent + len(r.rest) - len(item)
		if strings.HasPrefix(item, "#") {
			return r.fail()
		}
		_, _, mapping := r.key(item)
		if mapping || item == "-" || strings.HasPrefix(item, "- ") {
			r.indent, r.rest = column, item // a collection begins on the line of its item
			n.Content = append(n.Content, r.block(column))
			if r.indent > indent {
				return r.fail()
			}
			continue
		}
		n.Content = append(n.Content, r.value(item, indent, false))
	}
	return n
}

// value reads the value of a key or item. The value is on the same line, begins on the next line, or is missing.
func (r *plainReader) value(text string, indent int, ofKey bool) *yaml.Node {
	if text != "" && text[0] != '#' {
		n, rest := r.inline(text, "")
		if rest = strings.TrimLeft(rest, " "); rest != "" && rest[0] != '#' {
			return r.fail()
		}
		r.next()
		if r.indent > indent {
			return r.fail() // the value continues on this line
		}
		return n
	}
	null := r.node(yaml.ScalarNode, "!!null")
	r.next()
	if r.indent > indent || ofKey && r.indent == indent && r.isItem() {
		n := r.block(r.indent)
		if r.indent > indent {
			return r.fail()
		}
		return n
	}
	return null
}

// key splits a line into a key and the text after the colon.
func (r *plainReader) key(text string) (key *yaml.Node, value string, ok bool) {
	end := 0
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		key, value = r.quoted(text)
		end = len(text) - len(value)
	} else {
		for end < len(text) && isOfKey(text[end]) {
			end++
		}
		if end > 0 && text[0] != '-' && text[0] != '.' {
			key = r.scalar(text[:end])
		}
	}
	value, ok = strings.CutPrefix(text[end:], ":")
	if key == nil || !ok || end > 1000 || value != "" && value[0] != ' ' {
		return nil, "", false
	}
	return key, strings.TrimLeft(value, " "), true
}

func isOfKey(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_$/.-", c) >= 0
}

// inline reads the value at the beginning of the text, and returns the text after it. In a flow collection, a plain
// scalar ends before one of the characters of ends.
func (r *plainReader) inline(text, ends string) (n *yaml.Node, rest string) {
	switch {
	case text == "":
		return r.fail(), ""
	case text[0] == '"' || text[0] == '\'':
		if n, rest = r.quoted(text); n == nil {
			r.ok = false
		}
		return n, rest
	case text[0] == '{' || text[0] == '[':
		return r.flow(text)
	case !isOfKey(text[0]) && strings.IndexByte("^~+", text[0]) < 0:
		return r.fail(), ""
	}
	end := len(text)
	if ends != "" {
		if end = strings.IndexAny(text, ",[]{}?:#"); end < 0 || strings.IndexByte(ends, text[end]) < 0 {
			return r.fail(), ""
		}
	} else if comment := strings.Index(text, " #"); comment >= 0 {
		end = comment
	}
	value := strings.TrimRight(text[:end], " ")
	if value[0] == '-' && (len(value) == 1 || value[1] == ' ') || strings.Contains(value, ": ") ||
		value[len(value)-1] == ':' {
		return r.fail(), ""
	}
	return r.scalar(value), text[end:]
}

// scalar returns a plain scalar.
func (r *plainReader) scalar(value string) *yaml.Node {
	tag := "!!str"
	switch c := value[0]; {
	case isInteger(value):
		tag = "!!int"
	case c >= '0' && c <= '9' || strings.IndexByte("yYnNtTfFoO~.-+", c) >= 0:
		tag = (&yaml.Node{Kind: yaml.ScalarNode, Value: value}).ShortTag()
	}
	n := r.node(yaml.ScalarNode, tag)
	n.Value = value
	return n
}

// isInteger reports whether a scalar is 0, or consists of at most 15 digits and does not begin with 0.
func isInteger(value string) bool {
	if len(value) == 0 || len(value) > 15 || value[0] == '0' && len(value) > 1 {
		return false
	}
	for i := range len(value) {
		if value[i] < '0' || value[i] > '9' {
			return false
		}
	}
	return true
}

// quoted reads a text in quotation marks, and returns the text after it. It returns nil if the text has escapes or ends
// on another line.
func (r *plainReader) quoted(text string) (*yaml.Node, string) {
	value, rest, closed := strings.Cut(text[1:], text[:1])
	if !closed || text[0] == '"' && strings.Contains(value, `\`) || text[0] == '\'' && strings.HasPrefix(rest, "'") {
		return nil, ""
	}
	n := r.node(yaml.ScalarNode, "!!str")
	n.Value, n.Style = value, yaml.SingleQuotedStyle
	if text[0] == '"' {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n, rest
}

// flow reads a mapping in braces or a sequence in brackets, and returns the text after it.
func (r *plainReader) flow(text string) (n *yaml.Node, rest string) {
	if r.depth++; r.depth > maxDepth {
		return r.fail(), ""
	}
	defer func() { r.depth-- }()
	closing := byte(']')
	if text[0] == '{' {
		n, closing = r.node(yaml.MappingNode, "!!map"), '}'
	} else {
		n = r.node(yaml.SequenceNode, "!!seq")
	}
	rest = strings.TrimLeft(text[1:], " ")
	if rest != "" && rest[0] == closing {
		return n, rest[1:]
	}
	for r.ok && rest != "" {
		if closing == '}' {
			var key *yaml.Node
			var found bool
			if key, rest, found = r.key(rest); !found || rest == "" {
				return r.fail(), ""
			}
			n.Content = append(n.Content, key)
		}
		var value *yaml.Node
		value, rest = r.inline(rest, ",]}")
		n.Content = append(n.Content, value)
		if rest = strings.TrimLeft(rest, " "); rest == "" || rest[0] != ',' && rest[0] != closing {
			break
		}
		if rest[0] == closing {
			return n, rest[1:]
		}
		rest = strings.TrimLeft(rest[1:], " ")
	}
	return r.fail(), ""
}
