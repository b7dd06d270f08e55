package redact

import (
	"bytes"
)

// puttyKey returns the shape of the private lines in a PuTTY key.
func puttyKey() *shape {
	s := compileShape("putty-key", "Private-Lines: ")
	s.custom = puttyLines
	return s
}

// maxPuttyLines is the max number of private lines in a PuTTY key.
const maxPuttyLines = 200

// puttyLines finds the private lines of a PuTTY key. The text begins with the number of these lines: Private-Lines: 14.
func puttyLines(text []byte, final bool) match {
	const head = "Private-Lines: "
	if len(text) < len(head) || !hasHead(text, head) {
		return match{more: !final && bytes.HasPrefix([]byte(head), text)}
	}
	lines, at := 0, len(head)
	for at < len(text) && text[at] >= '0' && text[at] <= '9' && lines < maxPuttyLines {
		lines = 10*lines + int(text[at]-'0')
		at++
	}
	m := match{}
	for n := 0; n <= min(lines, maxPuttyLines); n++ {
		end, next := lineEnd(text[at:])
		if end < 0 {
			if !final && len(text) < longestKey {
				return match{more: true}
			}
			end, next = len(text)-at, len(text)-at
		}
		if n > 0 && keyLine(text[at:at+end]) == 0 {
			break
		}
		if n == 0 {
			m.from = at + next
		}
		m.to, m.ok = at+end, n > 0
		at += next
	}
	return m
}

// lineEnd returns the end of the first line of a text, and the beginning of the next line. The end is -1 if the line
// is incomplete. A line also ends at \n in escaped form, a backslash and an n.
func lineEnd(text []byte) (end, next int) {
	end = bytes.IndexByte(text, '\n')
	if i := indexOf(text, `\n`); i >= 0 && (end < 0 || i < end) {
		return i, i + len(`\n`)
	}
	return end, end + 1
}
