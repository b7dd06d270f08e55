package redact

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// Some programs encode whole documents and command lines. Such text is decoded, and the decoded text is searched
// separately.

const (
	maxDecoded = 8 << 10 // max bytes of a base64 text that is decoded
	minDecoded = 24      // min bytes of such a text
	maxDepth   = 6       // max nesting depth of decoded texts
)

// secretsIn returns the secrets in a decoded text.
func (p position) secretsIn(text []byte, command bool) []span {
	if p.set == nil || p.depth > maxDepth {
		return nil
	}
	found := scan{set: p.set, text: text, final: true, deaf: true, command: command, label: true, depth: p.depth + 1}
	found.run()
	return found.spans
}

// encodedShape returns the shape of a base64 text with secrets. The text is a JSON document or a kubeconfig.
func encodedShape() *shape {
	s := &shape{name: "encoded", within: encodedDocument, may: mayBeDocument,
		triggers: []string{"eyAi", "ewog", "ewoJ", "ewoi", "ew0K", kubeconfigHead[:gramSize]}}
	for c := range base64Bytes {
		if base64Bytes[c] {
			s.triggers = append(s.triggers, "eyJ"+string(rune(c)))
		}
	}
	return s
}

// lineWidths are the widths of lines of base64.
var lineWidths = []int{60, 64, 72, 76, 80}

// kubeconfigHead is the beginning of the base64 form of a kubeconfig, which begins with "apiVersion:".
const kubeconfigHead = "YXBpVmVyc2lvbj"

func mayBeDocument(text []byte) bool {
	return text[0] == 'e' || begins(text, []string{kubeconfigHead})
}

func encodedDocument(p position) match {
	if n := len(p.before); n > 0 && (base64Bytes[p.before[n-1]] || p.before[n-1] == '.') && !endsInEscape(p.before) {
		return match{}
	}
	text := p.text[:min(len(p.text), maxDecoded)]
	final := p.final || len(text) == maxDecoded
	to := encodedLen(text)
	for width := to; slices.Contains(lineWidths, width) && to+1 < len(text) && text[to] == '\n'; {
		next := encodedLen(text[to+1:])
		if to+1+next == len(text) && !final {
			return match{more: true}
		}
		if next == 0 || next > width || text[to-1] == '=' {
			break
		}
		if to += 1 + next; next < width {
			break
		}
	}
	if rest := text[to:]; !final && (len(rest) == 0 || len(rest) == 1 && rest[0] == '\n') {
		return match{more: true}
	}
	if to < minDecoded || to < len(text) && text[to] == '.' {
		return match{}
	}
	word := strings.NewReplacer("\n", "", "=", "", "-", "+", "_", "/").Replace(string(text[:to]))
	decoded, _ := base64.RawStdEncoding.DecodeString(word[:len(word)/4*4])
	if len(decoded) == 0 || !utf8.Valid(decoded[:len(decoded)/2]) || bytes.IndexByte(decoded, 0) >= 0 {
		return match{}
	}
	return match{to: to, ok: len(p.secretsIn(decoded, false)) > 0}
}

// encodedLen returns the length of the base64 at the beginning of a text.
func encodedLen(text []byte) int {
	n := 0
	for n < len(text) && base64Bytes[text[n]] {
		n++
	}
	for n < len(text) && text[n] == '=' {
		n++
	}
	return n
}

// proctitleShape returns the shape of a command line in hex, as auditd logs it: proctitle=6D7973716C00…
func proctitleShape() *shape {
	return &shape{name: "proctitle", within: auditedTitle, triggers: []string{"tle="}}
}

func auditedTitle(p position) match {
	const head = "tle="
	if !hasTail(p.before, "procti") {
		return match{}
	}
	text := p.text[:min(len(p.text), maxDecoded)]
	var line view
	at := len(head)
	for ; at+1 < len(text) && isHex(text[at]) && isHex(text[at+1]); at += 2 {
		line.addArgument(text[at:at+2], at)
	}
	if at+1 >= len(text) && !p.final && len(text) < maxDecoded {
		return match{more: true}
	}
	return p.secretsOf(&line)
}

// addArgument adds a byte of a command line. The byte is given as hex digits. A zero byte separates two arguments,
// so a blank is added in its place.
func (v *view) addArgument(digits []byte, at int) {
	c, _, _ := hexCode(append([]byte("%"), digits...), 1, 2)
	if c[0] == 0 {
		c[0] = ' '
	}
	v.add(c[0], at, at+len(digits))
}

// execveShape returns the shape of a command line as a list of arguments, as auditd logs it: a0="sshpass" a1="-p".
func execveShape() *shape {
	return &shape{name: "execve", within: auditedArguments, triggers: []string{`a0="`}}
}

func auditedArguments(p position) match {
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	var found view
	for at := 0; at < len(line); {
		equal := bytes.IndexByte(line[at:], '=')
		if equal < 2 || line[at] != 'a' || digits(line[at+1:at+equal]) != equal-1 {
			break
		}
		if at > 0 && line[at+1] == '0' {
			break // here another command line begins, which is searched later
		}
		if at > 0 {
			found.copy([]byte(" "), at-1)
		}
		at += equal + 1
		if quote := quoteLen(line[at:]); quote > 0 {
			length := max(0, bytes.IndexByte(line[at+quote:], '"'))
			found.copy(line[at+quote:at+quote+length], at+quote)
			at += quote + length + quote
		}
		for ; at+1 < len(line) && isHex(line[at]) && isHex(line[at+1]); at += 2 {
			found.addArgument(line[at:at+2], at)
		}
		at += blankLen(line[min(at, len(line)):])
	}
	return p.secretsOf(&found)
}

// secretsOf returns the secrets in a decoded command line.
func (p position) secretsOf(line *view) (found match) {
	for _, s := range p.secretsIn(line.text, true) {
		found.addAll(line.raw(s, 0))
	}
	return found
}

// dockerAuthShape returns the shape of the name and the password of a user in base64, as in Docker's config.json. The
// shape docker-config finds long values.
func dockerAuthShape() *shape {
	s := compileShape("docker-auth", `"auth":[ ]?"([A-Za-z0-9+/]{6,}={0,2})"`)
	s.check = func(v string) bool {
		text, err := base64.StdEncoding.DecodeString(v)
		return err == nil && bytes.IndexByte(text, ':') > 0 && utf8.Valid(text)
	}
	return s
}
