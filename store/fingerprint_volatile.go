package store

import (
	"strings"
	"unicode/utf8"
)

// normalize returns a message without parts that vary between two runs of the same failure: kinds of quotes, addresses,
// UUIDs, dates and times, durations, temporary names, process IDs, ports, and line and column numbers. Inside quotes it
// replaces only parts that a machine generated, because the user wrote the rest.
func normalize(s string) string { return string(appendNormalized(nil, s, true, true)) }

// appendName appends the name of a file or test without the parts that a machine generated.
func appendName(b []byte, s string) []byte { return appendNormalized(b, s, false, false) }

func appendNormalized(b []byte, s string, prose, quotes bool) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if quotes && mayQuote(c) {
			if q, ok := quoteAt(s, i); ok {
				b = append(b, q.plain)
				// Quotes inside quotes are normalized only in a sentence. In any other quoted text, a quotation mark
				// belongs to the content.
				b = append(appendNormalized(b, q.content, false, strings.Contains(q.content, " ")), q.plain)
				i += q.len
				continue
			}
			if apostrophe(s, i) {
				b = append(b, '\'')
				i += len("’")
				continue
			}
		}
		n := max(1, plainLen(s[i:]))
		if c == '/' || isASCIIWord(c) {
			if with, varies := volatileAt(s, i, n, prose); varies > 0 {
				b = append(b, with...)
				i += varies
				continue
			}
		}
		b = append(b, s[i:i+n]...)
		i += n
	}
	return b
}

// plainLen returns the length of the word at the start of s. The word ends before a quotation mark outside of ASCII. If
// s starts with such a mark, plainLen returns the length of the mark.
func plainLen(s string) int {
	n := 0
	for n < len(s) && isWord(s[n]) {
		if n > 0 && s[n] >= utf8.RuneSelf && utf8.RuneStart(s[n]) && startsQuote(s[n:]) {
			break
		}
		n++
	}
	if n == 0 || s[0] < utf8.RuneSelf {
		return n
	}
	if startsQuote(s) {
		_, n = utf8.DecodeRuneInString(s)
	}
	return n
}

// volatileAt returns the placeholder for the varying part that begins at s[i], and the length of that part. If
// nothing is to be replaced, it returns the length 0. s[i] is a slash, or the first byte of a word with wordLen
// bytes. The parameter prose is true for text that the tool itself wrote, and false for quoted text and names.
func volatileAt(s string, i, wordLen int, prose bool) (with string, n int) {
	if i > 0 && isASCIIWord(s[i-1]) {
		return "", 0
	}
	if s[i] == '/' || isLetter(s[i]) {
		if with, n := temporaryPath(s[i:]); n > 0 {
			return with, n
		}
	}
	if !isASCIIWord(s[i]) {
		return "", 0
	}
	w := s[i : i+wordLen]
	if !isHexOrDate(w[0]) && w != "blq" {
		return "", 0
	}
	switch {
	case isAddress(s[:i], w):
		return "<addr>", len(w)
	case uuidLen(s[i:]) > 0:
		return "<uuid>", uuidLen(s[i:])
	case w == "blq" && scriptLen(s[i:]) > 0:
		return "blq-<n>", scriptLen(s[i:])
	case isHash(w) && inPath(s, i, i+len(w)):
		return "<hash>", len(w)
	case allDigits(w) && (afterPlace(s[:i]) || afterHost(s[:i], s[i:], w)):
		return "<n>", len(w)
	}
	if prose {
		return volatileProse(s, i, w)
	}
	return "", 0
}

// volatileProse returns the placeholder for a time, a duration, a position or a process ID at s[i], and the length of
// the replaced text. w is the word at s[i]. For other text, it returns the length 0.
func volatileProse(s string, i int, w string) (with string, n int) {
	if n := max(dateLen(s[i:]), clockLen(s[i:])); n > 0 {
		return "<time>", n
	}
	if n := durationLen(s[i:]); n > 0 {
		return "<duration>", n
	}
	if allDigits(w) && (followsPosition(s[:i]) || isProcess(s[:i], s[i+len(w):])) {
		return "<n>", len(w)
	}
	return "", 0
}

// isAddress reports whether a word is a memory address. A short number such as 0xC0000005 is a code,
// unless the text before it says that it is an address.
func isAddress(before, w string) bool {
	if len(w) < 3 || w[0] != '0' || w[1] != 'x' || !allHex(w[2:]) {
		return false
	}
	if len(w) > 2+8 {
		return true
	}
	for _, said := range [...]string{
		" at ", " at address ", "address ", "addr ", "addr=", "pc=", "sp=", "fp=", "bp=", "@ ", "@", "+", "pointer ",
		"ptr=", "ptr ",
	} {
		if strings.HasSuffix(before, said) {
			return true
		}
	}
	return strings.HasPrefix(before, "at ") && len(before) == len("at ")
}

// scriptLen returns the length of the name of a script that blq wrote, without the extension. An example is
// blq-1234567.sh. It returns 0 for other text.
func scriptLen(s string) int {
	n := len("blq-")
	if !strings.HasPrefix(s, "blq-") {
		return 0
	}
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n < len("blq-")+5 || n < len(s) && isASCIIWord(s[n]) {
		return 0
	}
	return n
}

// isHash reports whether a word looks like a hash: it has at least 8 hexadecimal digits, with both letters and decimal
// digits.
func isHash(w string) bool {
	return len(w) >= 8 && allHex(w) && strings.ContainsAny(w, "0123456789") && !allDigits(w)
}

// inPath reports whether s[from:to] is part of a path.
func inPath(s string, from, to int) bool {
	for from > 0 && !endsPath(s[from-1]) {
		from--
	}
	for to < len(s) && !endsPath(s[to]) {
		to++
	}
	return strings.ContainsAny(s[from:to], `/\`)
}

func endsPath(c byte) bool { return c <= ' ' || strings.IndexByte("'\"`;,()<>[]{}|", c) >= 0 }

// afterPlace reports whether a number is a line or a column that follows the name of a file: a.c:12, a.c:12:5,
// a.ts(12,5). The parameter before is the text in front of the number.
func afterPlace(before string) bool {
	for {
		n := len(before)
		if n == 0 || before[n-1] != ':' && before[n-1] != '(' && before[n-1] != ',' {
			return false
		}
		name := before[:n-1]
		if isFileName(lastToken(name)) {
			return true
		}
		digits := strings.TrimRight(name, "0123456789")
		if digits == name {
			return false
		}
		before = digits // before now ends in the line number that precedes the column
	}
}

func lastToken(s string) string {
	from := len(s)
	for from > 0 && !endsPath(s[from-1]) {
		from--
	}
	return s[from:]
}

// isFileName reports whether a path ends in a file name with an extension, or in a known file name without one, such as
// Makefile.
func isFileName(path string) bool {
	base := path[strings.LastIndexAny(path, `/\:`)+1:]
	switch strings.ToLower(base) {
	case "makefile", "gnumakefile", "dockerfile", "containerfile", "gemfile", "rakefile", "jenkinsfile", "procfile",
		"vagrantfile", "podfile", "fastfile", "brewfile", "justfile", "build", "workspace", "sconstruct", "sconscript":
		return true
	}
	i := strings.LastIndexByte(base, '.')
	return i > 0 && i+1 < len(base) && len(base)-i <= 12 && isLetter(base[i+1]) && isASCIIWord(base[len(base)-1])
}

// afterHost reports whether the number w is a port: localhost:8080, db:5432, :::3000. The parameter before is the text
// before the number, and the parameter at is the text that begins with the number.
func afterHost(before, at, w string) bool {
	host, ok := strings.CutSuffix(before, ":")
	if !ok || len(w) > 5 {
		return false
	}
	rest := at[len(w):]
	if len(rest) > 1 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9' {
		return false // the number is part of a version such as 1.2
	}
	if strings.HasSuffix(host, "::") || strings.HasSuffix(host, "]") {
		return true
	}
	token := lastToken(host)
	if _, name, ok := strings.Cut(token, "://"); ok {
		return !strings.Contains(name, "/")
	}
	name := token[strings.LastIndexAny(token, "/@=")+1:]
	switch {
	case strings.Contains(token, "/"), name == "":
		return false
	case strings.EqualFold(name, "localhost"), isIPv4(name):
		return true
	}
	return len(w) >= 4 && isLetter(name[0])
}

func isIPv4(s string) bool {
	parts := strings.Split(s, ".")
	if len(parts) != 4 {
		return false
	}
	for _, p := range parts {
		if len(p) > 3 || !allDigits(p) {
			return false
		}
	}
	return true
}

// followsPosition reports whether the text before a number marks the number as a position, a process or a port.
func followsPosition(before string) bool {
	before = strings.TrimRight(before, " (#:=")
	for _, w := range [...]string{
		"line", "lines", "Line", "column", "col", "offset", "position", "pid", "PID", "process", "port",
	} {
		if strings.HasSuffix(before, w) && !wordBefore(before, len(before)-len(w)) {
			return true
		}
	}
	return false
}

// isProcess reports whether a number between two texts is the ID of a process or thread. Examples are ==12==, sshd[12]:
// and thread 'main' (12) panicked.
func isProcess(before, after string) bool {
	switch {
	case strings.HasSuffix(before, "=="):
		return strings.HasPrefix(after, "==")
	case strings.HasSuffix(before, "/proc/"):
		return true
	case strings.HasSuffix(before, " ("):
		return strings.HasPrefix(after, ") panicked")
	}
	name, ok := strings.CutSuffix(before, "[")
	return ok && name != "" && strings.HasPrefix(after, "]: ") && len(name) == plainLen(name)
}

// dateLen returns the length of a date at the start of s, such as "Jan 2" or "Mon Jan  2 15:04:05 UTC 2006".
func dateLen(s string) int {
	if !isLetter(s[0]) || s[0] > 'Z' {
		return 0
	}
	rest := s
	for _, day := range [...]string{"Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "} {
		rest = strings.TrimPrefix(rest, day)
	}
	if len(rest) < 5 || rest[3] != ' ' ||
		!strings.Contains("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ", rest[:4]) {
		return 0
	}
	rest = strings.TrimLeft(rest[3:], " ")
	n := 0
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	if n == 0 || n > 2 {
		return 0
	}
	rest = rest[n:]
	if len(rest) > 1 && timeLen(rest[1:]) > 0 {
		rest = rest[1+timeLen(rest[1:]):]
		for _, zone := range [...]string{" UTC", " GMT"} {
			rest = strings.TrimPrefix(rest, zone)
		}
	}
	if len(rest) >= 5 && rest[0] == ' ' && allDigits(rest[1:5]) && (len(rest) == 5 || !isWord(rest[5])) {
		rest = rest[5:]
	}
	return len(s) - len(rest)
}

// durationLen returns the length of a duration at the start of s, such as "0.03s", "12 ms", "1.5 seconds" or
// "1h2m3.5s".
func durationLen(s string) int {
	if s[0] < '0' || s[0] > '9' {
		return 0
	}
	for n := 0; ; {
		number := n
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
			n++
		}
		if n == number {
			return 0
		}
		unit := unitLen(s[n:])
		if unit == 0 {
			return 0
		}
		n += unit
		if n == len(s) || !isWord(s[n]) {
			return n
		}
	}
}

// unitLen returns the length of a unit of time at the start of s. A unit of the first list must be a whole word, and a
// space may come before it. A unit of the second list directly follows the number, as in 1m30s.
func unitLen(s string) int {
	rest := strings.TrimPrefix(s, " ")
	for _, unit := range [...]string{
		"milliseconds", "seconds", "second", "minutes", "minute", "hours", "hour", "secs", "sec", "mins", "min", "msec",
		"ms", "µs", "us", "ns", "s",
	} {
		if strings.HasPrefix(rest, unit) && (len(rest) == len(unit) || !isWord(rest[len(unit)])) {
			return len(s) - len(rest) + len(unit)
		}
	}
	for _, unit := range [...]string{"ms", "µs", "us", "ns", "h", "m", "s"} {
		if strings.HasPrefix(s, unit) {
			return len(unit)
		}
	}
	return 0
}

// isHexOrDate reports whether a word with the first byte c may be the beginning of a number, a UUID, a day or a month.
func isHexOrDate(c byte) bool { return !isLetter(c) || c <= 'Z' || c <= 'f' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
