//go:build !job

package formats

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// protoOption is an option while it is parsed: its name, and the text of its value after =.
type protoOption struct {
	name, value strings.Builder
	named       bool
	depth       int // depth of braces and brackets
}

// take adds a token to the name of the option, or to the value if it comes after the equals sign.
func (o *protoOption) take(t token) {
	switch {
	case t.kind == quoted:
		o.value.WriteString(t.text)
		return
	case t.text == "{" || t.text == "[":
		o.depth++
	case t.text == "}" || t.text == "]":
		o.depth--
	}
	switch {
	case t.text == "=" && !o.named:
		o.named = true
	case o.named:
		o.value.WriteString(t.text)
	default:
		o.name.WriteString(t.text)
	}
}

// ends reports whether a token is one of the marks that end the option.
func (o *protoOption) ends(t token, marks ...string) bool {
	return o.depth == 0 && t.kind != quoted && slices.Contains(marks, t.text)
}

// setting reads an option up to its semicolon. The parser has already read the keyword option.
func (p *protoParser) setting(to map[string]string) error {
	var o protoOption
	for ; p.at < len(p.tokens); p.at++ {
		if t := p.tokens[p.at]; !o.ends(t, ";") {
			o.take(t)
			continue
		}
		p.at++
		to[o.name.String()] = o.value.String()
		return nil
	}
	return p.errorf("the end of the file is too early")
}

// brackets reads the options of a field or a value.
func (p *protoParser) brackets() (options map[string]string, err error) {
	options = map[string]string{}
	if !p.take("[") {
		return options, nil
	}
	o := &protoOption{}
	for ; p.at < len(p.tokens); p.at++ {
		t := p.tokens[p.at]
		if !o.ends(t, ",", "]") {
			o.take(t)
			continue
		}
		options[o.name.String()] = o.value.String()
		if o = (&protoOption{}); t.text == "]" {
			p.at++
			return options, nil
		}
	}
	return nil, p.errorf("%q is missing", "]")
}

// isGroup reports whether a group begins at the next token, as in group Result = 1 {. A group is a field with a
// message.
func (p *protoParser) isGroup() bool {
	at := func(i int) string {
		if p.at+i < len(p.tokens) && p.tokens[p.at+i].kind != quoted {
			return p.tokens[p.at+i].text
		}
		return ""
	}
	return at(0) == "group" && at(2) == "=" && (at(4) == "{" || at(4) == "[" && p.opens(p.at+4))
}

// opens reports whether a brace follows the brackets that begin at a token.
func (p *protoParser) opens(from int) bool {
	depth := 0
	for i := from; i < len(p.tokens); i++ {
		switch t := p.tokens[i]; {
		case t.kind == quoted:
		case t.text == "[":
			depth++
		case t.text == "]":
			if depth--; depth == 0 {
				return i+1 < len(p.tokens) && p.tokens[i+1].text == "{"
			}
		}
	}
	return false
}

// usual are the default values of options. Options without an entry default to false.
var usual = map[string]string{
	"optimize_for": "SPEED", "cc_enable_arenas": "true", "jstype": "JS_NORMAL", "ctype": "STRING",
	"idempotency_level":       "IDEMPOTENCY_UNKNOWN",
	"features.field_presence": "EXPLICIT", "features.enum_type": "OPEN", "features.utf8_validation": "VERIFY",
	"features.message_encoding": "LENGTH_PREFIXED", "features.json_format": "ALLOW",
}

// valueOf returns the value of an option, or "" for the default value.
func valueOf(options map[string]string, name string) string {
	value := options[name]
	if value == cmp.Or(usual[name], "false") {
		return ""
	}
	return value
}

// feature returns the value of an editions feature, or "" for the default value. The options of the field itself come
// first, then the options of the enclosing messages, the innermost first, and then the options of the file.
func (f *protoFiles) feature(name string, own map[string]string, scope string, file map[string]string) string {
	for {
		if own[name] != "" {
			return valueOf(own, name)
		}
		if scope == "" {
			return valueOf(file, name)
		}
		own = nil
		if m := f.messages[scope]; m != nil {
			own = m.options
		}
		scope = scope[:max(0, strings.LastIndexByte(scope, '.'))]
	}
}

// defaultOf returns the default value of a field, or "" for the usual default.
func (f *protoField) defaultOf() string {
	value := f.options["default"]
	if n, err := strconv.ParseInt(value, 0, 64); err == nil {
		value = strconv.FormatInt(n, 10)
	} else if n, err := strconv.ParseFloat(value, 64); err == nil {
		value = strconv.FormatFloat(n, 'g', -1, 64)
	}
	if slices.Contains([]string{"0", "-0", "false"}, value) && f.typ != "string" && f.typ != "bytes" {
		return ""
	}
	return value
}

// extend reads an extend block. Such a block adds fields to another message.
func (p *protoParser) extend(scope string, depth int) error {
	p.at++
	name, err := p.path()
	if err == nil {
		err = p.want("{")
	}
	if err != nil {
		return err
	}
	m := p.newMessage(scope)
	m.extends = name
	*p.extensions = append(*p.extensions, m)
	return p.members(m, "", depth)
}

// newMessage returns a message without fields.
func (p *protoParser) newMessage(name string) *protoMessage {
	return &protoMessage{name: name, fields: map[int]*protoField{}, options: map[string]string{}, file: p.options}
}
