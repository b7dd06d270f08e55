package redact

import (
	"bytes"
	"path"
	"strings"
)

// printingCommands are parts of commands that may print a secret on the next line. A part leaves out the beginning of
// the command, and may leave out its arguments.
var printingCommands = []string{
	"tial-password", // argocd admin initial-password
	"auth token", "t-login-password", "t-access-token", "t-identity-token",
	"op read ", "bw get password ", "kv get -field", "oc whoami -t",
	"pass show ", "tenv ", "cat ", "ut -raw ", "e64 -d", "e64 --decode", "e64 -D", "onpath=",
}

// minPrinted is the min length in bytes of a secret that a command prints without its name.
const minPrinted = 8

// printedShape returns the shape of a secret below the command that prints it.
func printedShape() *shape {
	return &shape{name: "printed", within: printedValue, triggers: printingCommands,
		may: func(text []byte) bool { return begins(text, printingCommands) }}
}

func printedValue(p position) match {
	if ok, more := p.begins(printingCommands...); !ok || !isCommand(p.before) {
		return match{more: more}
	}
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	if p.command || !p.printsSecret(line) {
		return match{}
	}
	at := len(line) + 1
	for at < len(p.text) && p.text[at] == '+' { // set -x prints all commands of a pipe before their output
		next := bytes.IndexByte(p.text[at:], '\n')
		if next < 0 {
			return match{more: !p.final && len(p.text)-at < maxWord}
		}
		at += next + 1
	}
	if at >= len(p.text) {
		return match{more: !p.final}
	}
	value, _, whole := cutAt(p.text[at:min(len(p.text), at+maxWord)], "\n")
	if !whole && !p.final && len(value) < maxWord {
		return match{more: true}
	}
	v := string(bytes.TrimSpace(value))
	at += bytes.Index(value, []byte(v))
	return match{from: at, to: at + len(v),
		ok: len(v) >= minPrinted && isGiven(v) && !isLocation(v) && !isFileName(v) && !strings.Contains(v, "://")}
}

// printsSecret reports whether a command prints a secret. The parameter line is the command line from one of
// printingCommands on.
func (p position) printsSecret(line []byte) bool {
	words := bytes.Fields(line)
	last := string(bytes.Trim(words[len(words)-1], `"'`))
	switch {
	case hasHead(line, "cat "):
		return len(words) == 2 && (path.Base(path.Dir(last)) == "secrets" || isSecretFile(last))
	case hasHead(line, "tenv "), hasHead(line, "ut -raw "):
		return len(words) > 1 && isSecretName(bytes.Trim(words[len(words)-1], `"'`))
	case hasHead(line, "onpath="):
		return contains(thisLine(p.before), "get secret") && bytes.IndexByte(line, '|') < 0
	case hasHead(line, "e64 "): // kubectl get secret NAME -o jsonpath=… | base64 -d
		above := p.before[:bytes.LastIndexByte(p.before, '\n')+1]
		above = thisLine(bytes.TrimRight(above, "\r\n"))
		return contains(thisLine(p.before), "secret") || hasHead(above, "+") &&
			contains(above, "secret")
	}
	return !bytes.ContainsAny(line, "|>)") // otherwise the output goes elsewhere
}
