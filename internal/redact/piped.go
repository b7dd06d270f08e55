package redact

import (
	"bytes"
	"strings"
)

// readers are programs and options that read a secret from standard input.
var readers = []string{"--password-stdin", "--with-token", "chpasswd", "sudo -S", "--passphrase-fd",
	"kinit", "cryptsetup", "gcloud secrets", " passwd ", "smbpasswd", "vncpasswd", "mkpasswd", "secret put", "secret set",
	"secret create",
	"-pass stdin", "-passin stdin", "-passout stdin"}

// reads reports whether a command line reads a secret from standard input.
func reads(line []byte) bool {
	for _, r := range readers {
		if bytes.Contains(line, []byte(r)) {
			return true
		}
	}
	return false
}

// begins reports whether the text begins with one of some words. more reports whether more text is needed for the
// decision.
func (p place) begins(words ...string) (ok, more bool) {
	for _, w := range words {
		head := p.text[:min(len(p.text), len(w))]
		if string(head) == w {
			return true, false
		}
		more = more || !p.final && string(head) == w[:len(head)]
	}
	return false, more
}

// hereValue finds the secret in chpasswd <<< SECRET and similar commands.
func hereValue(p place) match {
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	if !reads(append([]byte(" "), thisLine(p.before)...)) && !reads(line) {
		return match{}
	}
	from := len("<<< ")
	if hasHead(line[from:], "$'") {
		from++
	}
	quote := quoteLen(line[from:])
	to := from + quote + valueLen(line[from+quote:], line[from:from+quote])
	from += quote
	return match{from: from, to: to, ok: from < to && !isVariable(string(line[from:to]))}
}

// printers are programs that print a secret into a pipe.
var printers = []string{"echo ", "printf "}

func isPrinted(text []byte) bool { return begins(text, printers) }

// pipedValue finds the secret in echo SECRET | docker login --password-stdin, in printf %s SECRET | …, and in
// --password-file <(echo SECRET).
func pipedValue(p place) match {
	ok, more := p.begins(printers...)
	if !ok {
		return match{more: more}
	}
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	pipe := bytes.IndexByte(line, '|')
	before := thisLine(p.before)
	switch {
	case hasTail(before, "<("):
		if before = bytes.ToLower(before); !bytes.Contains(before, []byte("pass")) && !bytes.Contains(before, []byte("key")) {
			return match{}
		}
		if pipe = bytes.IndexByte(line, ')'); pipe < 0 {
			return match{}
		}
	case pipe < 0, !reads(append(bytes.Clone(line[pipe:]), ' ')):
		return match{}
	}
	line = line[:pipe]
	at := bytes.IndexByte(line, ' ')
	for at >= 0 && at < len(line) {
		at += blankLen(line[at:])
		quote := quoteLen(line[at:])
		from := at + quote
		to := from + valueLen(line[from:], line[at:from])
		v := string(line[from:to])
		if v == "" {
			break
		}
		if v[0] != '-' && !strings.Contains(v, "%s") {
			return match{from: from, to: to, ok: !isVariable(v)}
		}
		at = to + quote
	}
	return match{}
}
