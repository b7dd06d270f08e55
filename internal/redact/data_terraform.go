package redact

import (
	"bytes"
	"slices"
)

// maxResource is the max number of bytes that are read of a resource in Terraform's state.
const maxResource = 4 << 10

// generatedShape returns the shape of a password that Terraform has generated, as Terraform's state
// shows it: "type": "random_password", and "result": "VALUE" below it.
func generatedShape() *shape {
	const name = `om_password"`
	return &shape{name: "generated", within: generatedPassword, triggers: []string{name[:gramSize]},
		may: func(text []byte) bool { return begins(text, []string{name}) }}
}

func generatedPassword(p position) match {
	if !hasTail(p.before, `"rand`) {
		return match{}
	}
	text := p.text[:min(len(p.text), maxResource)]
	end := len(text)
	closed := p.final || end == maxResource
	for _, next := range []string{`"type":`, "\nresource ", "\n}"} {
		if i := bytes.Index(text[:end], []byte(next)); i >= 0 {
			end, closed = i, true
		}
	}
	if !closed {
		return match{more: true}
	}
	var found match
	for at := 0; at < end; {
		i := indexOf(text[at:end], "result")
		if i < 0 {
			break
		}
		at += i + len("result")
		gap, ok := fieldGap(text[at:end])
		from := at + gap
		quote := quoteLen(text[from:end])
		if !ok || quote == 0 {
			continue
		}
		from += quote
		if n := quotedLen(text[from:end], text[from-quote:from]); n > 0 && !isVariable(string(text[from:from+n])) {
			found.addAll([]span{{from, from, from + n}})
			at = from + n
		}
	}
	return found
}

// phraseShape returns the shape of a seed phrase of a wallet: mnemonic: "abandon ability …".
func phraseShape() *shape {
	return &shape{name: "phrase", within: seedPhrase, triggers: []string{"nemo", "NEMO", "phra", "Phra"},
		may: func(text []byte) bool { return begins(text, phraseNames) }}
}

var phraseNames = []string{"nemonic", "NEMONIC", "phrase", "Phrase"}

// seedPhrase finds a seed phrase. A seed phrase has 12, 15, 18, 21 or 24 lower-case words with one space between them.
func seedPhrase(p position) match {
	if ok, more := p.begins(phraseNames...); !ok {
		return match{more: more}
	}
	left := bytes.ToLower(p.before[max(0, len(p.before)-len("recovery ")):])
	if !hasTail(left, "m") && !hasTail(left, "seed ") && !hasTail(left, "recovery ") && !hasTail(left, "seed_") {
		return match{}
	}
	text := p.text[:min(len(p.text), maxWord)]
	name := letterCount(text)
	from := len(text) - len(bytes.TrimLeft(text[name:], "\"':= \t\r\n"))
	at, words := from, 0
	for at < len(text) {
		n := 0
		for at+n < len(text) && text[at+n] >= 'a' && text[at+n] <= 'z' {
			n++
		}
		if at+n == len(text) && !p.final && len(text) < maxWord {
			return match{more: true}
		}
		if n < 3 || n > 8 {
			break
		}
		words++
		if at += n; at+1 >= len(text) || text[at] != ' ' || text[at+1] < 'a' || text[at+1] > 'z' {
			break
		}
		at++
	}
	if at+1 >= len(text) && !p.final && len(text) < maxWord {
		return match{more: true}
	}
	return match{from: from, to: at, ok: from > name && slices.Contains([]int{12, 15, 18, 21, 24}, words)}
}

// readKeys reads the keys that a development blockchain prints below the title Private Keys, in lines such as (0)
// 0xVALUE. text[end] is the end of the title. readKeys reports whether it needs more text.
func (n *named) readKeys(end int) (more bool) {
	const hexKey = 64 // digits of a key
	text := n.text[end:min(len(n.text), end+maxTable)]
	if n.prefix != "private_" || !isPlural(n.name) || !hasHead(text, "\n") && !hasHead(text, "\r\n") {
		return false
	}
	from := 0
	for line := range bytes.Lines(text) {
		if line[len(line)-1] != '\n' && !n.final && len(text) < maxTable {
			return true
		}
		body := bytes.TrimSpace(line)
		key := bytes.TrimPrefix(body[bytes.LastIndexByte(body, ' ')+1:], []byte("0x"))
		switch {
		case hasHead(body, "(") && len(key) == hexKey && hexLen(key) == hexKey:
			at := end + from + bytes.Index(line, key)
			n.cells = append(n.cells, span{at, at, at + hexKey})
		case len(bytes.Trim(body, "=-")) > 0:
			return false
		}
		from += len(line)
	}
	return !n.final && len(text) < maxTable
}
