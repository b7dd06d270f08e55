package redact

import (
	"bytes"
	"strings"
)

// longestLine is the max length in bytes of a mask command.
const longestLine = 64 << 10

// maxMasks is the max number of mask commands that one search of a text executes.
const maxMasks = 8

// maskCommands returns the shapes of the commands that mask a value, and of the command that stops workflow commands.
// Both GitHub Actions, with its deprecated commands, and Azure Pipelines are covered.
func maskCommands() []*shape {
	v2, v1 := compileShape("add-mask", "::(?i:add-mask)"), compileShape("add-mask", `##\[(?i:add-mask)`)
	azure := compileShape("add-mask", `##vso\[task\.setsecret`)
	azureValue := compileShape("add-mask", `##vso\[task\.setvariable`)
	for _, s := range []*shape{v2, v1, azure, azureValue} {
		s.command = true
	}
	v2.custom = func(text []byte, final bool) match { return maskedValue(text, "::add-mask", "::", final) }
	v1.custom = func(text []byte, final bool) match { return maskedValue(text, "##[add-mask", "]", final) }
	azure.custom = func(text []byte, final bool) match { return maskedValue(text, "##vso[task.setsecret", "]", final) }
	azureValue.custom = func(text []byte, final bool) match {
		m := maskedValue(text, "##vso[task.setvariable", "]", final)
		if m.ok && !contains(bytes.ToLower(text[:m.from]), "issecret=true") {
			return match{}
		}
		return m
	}
	return []*shape{v2, v1, azure, azureValue, stopCommand()}
}

// maskedValue finds the value in a mask command: the text after its properties, up to the end of the line.
func maskedValue(text []byte, command, close string, final bool) match {
	head := text[:min(len(text), len(command))]
	if !strings.EqualFold(string(head), command[:len(head)]) {
		return match{}
	}
	line := text[:min(len(text), longestLine)]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	} else if !final && len(line) < longestLine {
		return match{more: true}
	}
	if len(line) < len(command) {
		return match{}
	}
	i := bytes.Index(line[len(command):], []byte(close))
	if i < 0 {
		return match{}
	}
	from := len(command) + i + len(close)
	to := from + len(bytes.TrimRight(line[from:], "\r"))
	return match{from: from, to: to, ok: to > from}
}

// isEmptyMask reports whether a mask command without a value is a string in source code: Contains(line,
// "::add-mask::"). The parameter value is the text after the command, and previous is the byte before the command.
//
//go:noinline
func isEmptyMask(value []byte, previous byte) bool {
	return quoteLen([]byte{previous}) > 0 && value[0] == previous &&
		(len(value) == 1 || strings.IndexByte(" ,;)]}", value[1]) >= 0)
}

// unescape replaces the escapes in a command's value.
func unescape(data string) string { return commandText.Replace(data) }

var commandText = strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%0d", "\r", "%0a", "\n", "%5D",
	"]", "%3B", ";")
