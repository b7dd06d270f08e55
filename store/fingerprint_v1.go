package store

import "strings"

// fingerprintV1 returns the fingerprint of an event under the rules of version 1. It is needed to compare older runs
// with newer runs. These rules must not change.
func fingerprintV1(e Event) string {
	if e.Test != "" && e.Category == CategoryTest {
		return label(e, digest("v1", "test", e.Tool, stripVolatileV1(e.Test), stripVolatileV1(e.File)))
	}
	return label(e, digest("v1", "event", e.Tool, e.Code, stripVolatileV1(e.File), stripVolatileV1(e.Message)))
}

// stripVolatileV1 replaces parts that vary between two runs of the same failure: addresses, UUIDs, dates and times,
// durations, temporary paths, and the numbers of lines, columns, offsets, processes and ports. Everything else stays as
// it is.
func stripVolatileV1(s string) string {
	if !strings.ContainsAny(s, "0123456789") && !strings.Contains(s, "/tmp") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := temporaryPathV1(s[i:]); n > 0 && !wordBefore(s, i) {
			b.WriteString("<tmp>")
			i += n
			continue
		}
		if isWord(s[i]) && !wordBefore(s, i) {
			n := wordLen(s[i:])
			if r := volatileWordV1(s, i, n); r != "" {
				b.WriteString(r)
				i += volatileLenV1(s, i, n)
				continue
			}
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// volatileWordV1 returns the placeholder for the word at s[i:], whose length is n. It returns "" if the word stays.
func volatileWordV1(s string, i, n int) string {
	w := s[i : i+n]
	switch {
	case len(w) > 4 && strings.HasPrefix(w, "0x") && allHex(w[2:]):
		return "<addr>"
	case uuidLen(s[i:]) > 0:
		return "<uuid>"
	case clockLen(s[i:]) > 0:
		return "<time>"
	case !allDigits(w):
		if d := durationDigits(w); d > 0 {
			return "<duration>"
		}
		return ""
	case decimalSeconds(s[i:]) > 0:
		return "<duration>"
	case i > 0 && s[i-1] == ':' && i > 1 && s[i-2] != ' ', followsLineV1(s[:i]):
		return "<n>"
	}
	return ""
}

// volatileLenV1 returns the length of the part of s[i:] that the placeholder replaces. This is the whole UUID, clock
// time or duration that begins at s[i], or else the word of n bytes.
func volatileLenV1(s string, i, n int) int {
	for _, f := range []func(string) int{uuidLen, clockLen, decimalSeconds} {
		if m := f(s[i:]); m > 0 {
			return m
		}
	}
	return n
}

// followsLineV1 reports whether the text before a number says that the number is a position, a process ID or a port.
func followsLineV1(before string) bool {
	before = strings.TrimRight(before, " (#")
	for _, w := range [...]string{
		"line", "lines", "Line", "column", "col", "offset", "position", "pid", "PID", "port",
	} {
		if strings.HasSuffix(before, w) && !wordBefore(before, len(before)-len(w)) {
			return true
		}
	}
	return false
}

// temporaryPathV1 returns the length of the path of a temporary directory at the start of s, including the random part.
func temporaryPathV1(s string) int {
	if s[0] != '/' {
		return 0
	}
	for _, root := range [...]string{
		"/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/", "/private/var/folders/", "/dev/shm/",
	} {
		if !strings.HasPrefix(s, root) {
			continue
		}
		parts := 1
		if strings.HasSuffix(root, "folders/") {
			parts = 4 // two parts for the user, T, and the random part
		}
		n := len(root)
		for ; parts > 0 && n < len(s); parts-- {
			for n < len(s) && s[n] != '/' && !strings.ContainsRune(" \t'\"`:;,)", rune(s[n])) {
				n++
			}
			if parts > 1 && n < len(s) && s[n] == '/' {
				n++
			}
		}
		return n
	}
	return 0
}
