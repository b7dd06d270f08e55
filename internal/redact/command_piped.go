package redact

import (
	"bytes"
	"path"
	"strings"
)

// readers are programs and options that read a secret from standard input.
var readers = []string{"--password-stdin", "--with-token", "chpasswd", "sudo -S", "--passphrase-fd",
	"kinit", "cryptsetup", "gcloud secrets", " passwd ", "smbpasswd", "vncpasswd", "mkpasswd", "secret put", "secret set",
	"secret create", "env add ",
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

// begins reports whether the text begins with one of the words. undecided is true if the text is too short for the
// decision.
func (p position) begins(words ...string) (ok, undecided bool) {
	for _, w := range words {
		head := p.text[:min(len(p.text), len(w))]
		if string(head) == w {
			return true, false
		}
		undecided = undecided || !p.final && string(head) == w[:len(head)]
	}
	return false, undecided
}

// hereValue finds the secret in chpasswd <<< SECRET and similar commands.
func hereValue(p position) match {
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

// isTraced reports whether set -x printed a command. The parameter head is the text before the command on its line:
// plus signs and a blank if set -x printed the command.
func isTraced(head []byte) bool {
	return len(head) > 1 && len(bytes.Trim(head, "+")) == 1 && head[len(head)-1] == ' '
}

// readsBeside reports whether the line before or after a traced line reads a secret from standard input. The shell
// prints the commands of a pipe in any order, so both lines are examined. The result more is true if further text is
// needed.
func (p position) readsBeside(line []byte) (ok, more bool) {
	before := p.before[:bytes.LastIndexByte(p.before, '\n')+1]
	before = thisLine(bytes.TrimRight(before, "\r\n"))
	if hasHead(before, "+") && reads(append(bytes.Clone(before), ' ')) {
		return true, false
	}
	next := bytes.TrimPrefix(p.text[len(line):], []byte("\n"))
	after, _, whole := cutAt(next[:min(len(next), maxWord)], "\n")
	if !whole && !p.final && len(next) < maxWord {
		return false, len(after) == 0 || after[0] == '+'
	}
	return hasHead(after, "+") && reads(append(bytes.Clone(after), ' ')), false
}

// isKept reports whether a command writes its output into a file whose name is that of a secret: > vault_pass.txt.
func isKept(line []byte) bool {
	to := bytes.LastIndexByte(line, '>') + 1
	words := bytes.Fields(line[to:])
	return to > 0 && len(words) == 1 && isSecretFile(string(bytes.Trim(words[0], `"'`)))
}

// isSecretFile reports whether the name of a file says that the file contains only a secret.
func isSecretFile(file string) bool {
	file = strings.TrimPrefix(path.Base(file), ".")
	switch end := path.Ext(file); end {
	case "", ".txt", ".key", ".token", ".secret", ".pass", ".password":
		return isSecretName([]byte(strings.TrimSuffix(file, end)))
	}
	return false
}

// pipedValue finds the secret in echo SECRET | docker login --password-stdin, in printf %s SECRET | …, in echo SECRET >
// vault_pass.txt, and in --password-file <(echo SECRET).
func pipedValue(p position) match {
	ok, more := p.begins(printers...)
	if !ok {
		return match{more: more}
	}
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	pipe, uncertain := bytes.IndexByte(line, '|'), false
	before := thisLine(p.before)
	switch {
	case hasTail(before, "<("):
		if before = bytes.ToLower(before); !contains(before, "pass") && !contains(before, "key") {
			return match{}
		}
		if pipe = bytes.IndexByte(line, ')'); pipe < 0 {
			return match{}
		}
	case pipe < 0 && isKept(line):
		pipe, uncertain = bytes.IndexByte(line, '>'), true
	case pipe < 0 && isTraced(before):
		if read, more := p.readsBeside(line); !read {
			return match{more: more}
		}
		pipe, uncertain = len(line), true
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
			return match{from: from, to: to, ok: !isVariable(v) && (!uncertain || isGiven(v))}
		}
		at = to + quote
	}
	return match{}
}
