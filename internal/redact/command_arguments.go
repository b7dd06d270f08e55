package redact

import (
	"bytes"
	"strings"
)

// maxArguments is the max length in bytes of an argument list that is read as a command line.
const maxArguments = 1 << 10

// argumentsShape returns the shape of secrets in a command line that is a list of strings: ["sshpass", "-p", "VALUE"].
func argumentsShape() *shape {
	s := &shape{name: "arguments", within: listedArguments, may: mayBeListed}
	for _, tool := range optionTools() {
		word, _, _ := strings.Cut(tool, " ")
		for _, quote := range []string{`"`, `'`} {
			s.triggers = append(s.triggers, (quote + word + quote)[:gramSize])
		}
	}
	return s
}

// mayBeListed reports whether a comma follows the string at the beginning of a text, as in a list. It also returns true
// if the text ends within the string or directly after it.
func mayBeListed(text []byte) bool {
	end := bytes.IndexByte(text[1:min(len(text), maxWord/4)], text[0])
	return end < 0 && len(text) < maxWord/4 || end > 0 && (len(text) == end+2 || text[end+2] == ',')
}

// listedArguments finds the secrets in an argument list. The text begins with the name of the program.
func listedArguments(p position) match {
	text := p.text[:min(len(p.text), maxArguments)]
	var line []byte
	var items []span // for each item: its index in line, its index in text, its length
	for at := 0; ; {
		if at == len(text) || text[at] != '"' && text[at] != '\'' {
			if at == len(text) && !p.final && at < maxArguments {
				return match{more: true}
			}
			break
		}
		end := bytes.IndexByte(text[at+1:], text[at])
		if end < 0 {
			if !p.final && len(text) < maxArguments && bytes.IndexByte(text[at:], '\n') < 0 {
				return match{more: true}
			}
			break
		}
		item := text[at+1 : at+1+end]
		items = append(items, span{len(line), at + 1, len(item)})
		line = append(append(line, bytes.ReplaceAll(item, []byte(" "), []byte("_"))...), ' ')
		at += end + 2
		next := trimLeft(text[at:])
		if len(next) > 0 && next[0] != ',' {
			break
		}
		at = len(text) - len(bytes.TrimLeft(text[at:], " \t\r\n,["))
	}
	if len(items) < 2 {
		return match{}
	}
	var found match
	m := shortOption(position{text: line, final: true, command: true})
	if m.ok {
		m.others = append(m.others, span{m.from, m.from, m.to})
	}
	for _, s := range m.others {
		v := string(line[s.from:s.to])
		if !isGiven(v) {
			continue
		}
		for _, item := range items {
			if s.from >= item.origin && s.to <= item.origin+item.to {
				from := item.from + s.from - item.origin
				found.addAll([]span{{from, from, from + len(v)}})
			}
		}
	}
	return found
}
