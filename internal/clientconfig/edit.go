package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/blq-ci/blq/internal/lazyregexp"
)

// member is the position of a member of a JSON object: from the beginning of the key to the end of the value.
type member struct {
	key        string
	start      int // offset of the key
	value, end int
}

// object is the position of a JSON object in a text, with its braces and members.
type object struct {
	open, close int
	members     []member
}

func (o object) find(key string) (member, bool) {
	for _, m := range o.members {
		if m.key == key {
			return m, true
		}
	}
	return member{}, false
}

var byteOrderMark = []byte("\ufeff")

// add returns the text with an entry for blq.
func (f File) add(text []byte, force bool) ([]byte, Outcome, error) {
	if rest, ok := bytes.CutPrefix(text, byteOrderMark); ok {
		changed, outcome, err := f.add(rest, force)
		return append(bytes.Clone(byteOrderMark), changed...), outcome, err
	}
	top, err := parse(text, 0, len(text))
	if err != nil {
		return nil, Same, err
	}
	style := styleOf(text, top)
	servers, ok := top.find(f.servers)
	if !ok {
		return style.insert(text, top, 1, f.servers, map[string]entry{"blq": f.entry}), Added, nil
	}
	list, err := parse(text, servers.value, servers.end)
	if err != nil {
		return nil, Same, fmt.Errorf("%s in it is not an object", f.servers)
	}
	old, ok := list.find("blq")
	switch {
	case !ok:
		return style.insert(text, list, 2, "blq", f.entry), Added, nil
	case f.has(text[old.value:old.end]):
		return nil, Same, nil
	case !force:
		return nil, Differs, nil
	}
	return splice(text, old.value, old.end, style.value(2, f.entry)), Replaced, nil
}

// has reports whether a value equals the entry that Install writes.
func (f File) has(value []byte) bool {
	var e map[string]any
	var ours map[string]any
	want, err := json.Marshal(f.entry)
	return err == nil && json.Unmarshal(value, &e) == nil && json.Unmarshal(want, &ours) == nil &&
		reflect.DeepEqual(e, ours)
}

// parse parses the object at text[from:to].
func parse(text []byte, from, to int) (object, error) {
	part := text[from:to]
	var all json.RawMessage
	if err := json.Unmarshal(part, &all); err != nil {
		return object{}, badJSON(text, err)
	}
	d := json.NewDecoder(bytes.NewReader(part))
	open, err := d.Token()
	if err != nil || open != json.Delim('{') {
		return object{}, errors.New("it is no JSON object")
	}
	o := object{open: from + int(d.InputOffset()) - 1}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return object{}, err
		}
		keyEnd := int(d.InputOffset())
		quoted := bytes.LastIndexByte(part[:keyEnd-1], '"')
		for quoted > 0 && part[quoted-1] == '\\' {
			quoted = bytes.LastIndexByte(part[:quoted], '"')
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return object{}, err
		}
		end := from + int(d.InputOffset())
		o.members = append(o.members, member{fmt.Sprint(key), from + quoted, end - len(value), end})
	}
	if _, err := d.Token(); err != nil {
		return object{}, err
	}
	o.close = from + int(d.InputOffset()) - 1
	return o, nil
}

// badJSON returns an error that says where the text stops being valid JSON.
func badJSON(text []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return errors.New("it is not valid JSON")
	}
	at := min(int(syntax.Offset), len(text))
	return fmt.Errorf("it is not valid JSON (line %d); comments and trailing commas are not JSON",
		1+bytes.Count(text[:at], []byte("\n")))
}

// style is the layout of a file.
type style struct {
	indent  string // indent of one level; "" for a file on one line
	newline string
}

// styleOf derives the layout of a file from its first member.
func styleOf(text []byte, top object) style {
	s := style{"  ", "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if len(top.members) == 0 {
		return s
	}
	before := string(text[top.open+1 : top.members[0].start])
	i := strings.LastIndexByte(before, '\n')
	if i < 0 {
		return style{}
	}
	if before[i+1:] != "" {
		s.indent = before[i+1:]
	}
	return s
}

// argsLines matches the arguments "mcp" and "serve" as json.MarshalIndent writes them: one on each line.
var argsLines = lazyregexp.New(`\[\s*"mcp",\s*"serve"\s*\]`)

// value returns a value as JSON in the style, indented for a depth.
func (s style) value(depth int, v any) string {
	if s.newline == "" {
		text, _ := json.Marshal(v) // cannot fail: plain data
		return string(text)
	}
	text, _ := json.MarshalIndent(v, strings.Repeat(s.indent, depth), s.indent)
	short := argsLines.ReplaceAllString(string(text), `["mcp", "serve"]`)
	return strings.ReplaceAll(short, "\n", s.newline)
}

// insert adds a member at the end of an object. The parameter depth is the depth of the object's members.
func (s style) insert(text []byte, o object, depth int, key string, v any) []byte {
	added := fmt.Sprintf("%q: %s", key, s.value(depth, v))
	gap := s.newline + strings.Repeat(s.indent, depth)
	if n := len(o.members); n > 0 {
		if s.newline == "" {
			gap = " "
		}
		return splice(text, o.members[n-1].end, o.members[n-1].end, ","+gap+added)
	}
	end := s.newline + strings.Repeat(s.indent, depth-1)
	return splice(text, o.open+1, o.close, gap+added+end)
}

func splice(text []byte, from, to int, with string) []byte {
	return append(append(bytes.Clone(text[:from]), with...), text[to:]...)
}
