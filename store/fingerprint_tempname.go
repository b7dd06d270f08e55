package store

import (
	"slices"
	"strings"
)

// temporaryPath parses a path at the start of s, in a directory for temporary files. It returns the path and its
// length in s. In the returned path, <tmp> replaces the directory, and placeholders replace random parts. Names that
// users chose stay. If s does not begin with such a path, the length is 0.
func temporaryPath(s string) (with string, n int) {
	if len(s) < 6 || s[0] != '/' && s[1] != ':' {
		return "", 0
	}
	for n < len(s) && !endsPath(s[n]) && (s[n] != ':' || n == 1 && len(s) > 2 && (s[2] == '\\' || s[2] == '/')) {
		n++
	}
	if n < 6 {
		return "", 0
	}
	if s[0] == '/' && !mayBeTemporary(s[:n]) {
		return "", 0
	}
	parts := strings.FieldsFunc(s[:n], func(r rune) bool { return r == '/' || r == '\\' })
	root := temporaryRoot(parts, s[0] != '/')
	if root == 0 {
		return "", 0
	}
	parts = parts[root:]
	for i := range parts {
		parts[i] = withoutRandom(parts[i], i == 0)
	}
	return strings.Join(append([]string{"<tmp>"}, parts...), "/"), n
}

// mayBeTemporary reports whether a path may begin with one of temporaryRoots or contain a part _temp.
func mayBeTemporary(path string) bool {
	first := strings.TrimLeft(path, `/\`)
	return first != "" && strings.IndexByte("tvpdr", first[0]) >= 0 || strings.Contains(path, "_temp")
}

// temporaryRoots are directories for temporary files. A star matches any name.
var temporaryRoots = [...][]string{
	{"tmp"}, {"var", "tmp"}, {"private", "tmp"}, {"private", "var", "tmp"}, {"dev", "shm"}, {"run", "user", "*"},
	{"var", "folders", "*", "*", "*"}, {"private", "var", "folders", "*", "*", "*"},
	{"var", "folders"}, {"private", "var", "folders"},
}

// temporaryRoot returns the number of leading parts of a path that are a directory for temporary files, or 0 for none.
// Such a directory belongs to the operating system, or to the runner of a CI system (_temp). The parameter drive is
// true if the path begins with a Windows drive.
func temporaryRoot(parts []string, drive bool) int {
	if i := slices.Index(parts, "_temp"); i >= 0 {
		return i + 1
	}
	if drive {
		for i, p := range parts {
			above := ""
			if i > 0 {
				above = strings.ToLower(parts[i-1])
			}
			p = strings.ToLower(p)
			if (p == "temp" || p == "tmp") && (i == 1 || above == "local" || above == "windows") {
				return i + 1
			}
		}
		return 0
	}
	for _, root := range temporaryRoots {
		if len(parts) > len(root) && slices.EqualFunc(root, parts[:len(root)], matchesPart) {
			if root[len(root)-1] == "folders" {
				return len(parts)
			}
			return len(root)
		}
	}
	return 0
}

func matchesPart(root, part string) bool { return root == "*" || root == part }

// withoutRandom replaces the random part of one element of a path, such as tmp.Xa81bQ. The parameter first is true for
// the first element after the directory for temporary files, where more random names are expected.
func withoutRandom(name string, first bool) string {
	for _, known := range [...]string{"pytest-of-", "pytest-", "popen-gw", "npm-", "pip-"} {
		rest, ok := strings.CutPrefix(name, known)
		if ok && (known == "pytest-of-" || known == "pip-" || rest != "" && rest[0] >= '0' && rest[0] <= '9') {
			return known + "<n>"
		}
	}
	stem, extension := name, ""
	if i := strings.LastIndexByte(name, '.'); i > 0 && len(name)-i <= 6 && name[:i] != "tmp" && !isRandom(name[i+1:]) {
		stem, extension = name[:i], name[i:]
	}
	for _, p := range [...]struct {
		prefix   string
		min, max int
	}{{"tmp.", 3, 20}, {".tmp", 6, 6}, {"tmp", 8, 8}, {"cc", 6, 6}, {"rustc", 6, 6}, {"cargo-install", 6, 6}} {
		rest, ok := strings.CutPrefix(stem, p.prefix)
		if ok && len(rest) >= p.min && len(rest) <= p.max && wordLen(rest) == len(rest) &&
			(p.prefix != "cc" || extension != "") {
			return p.prefix + "<random>" + extension
		}
	}
	if uuidLen(stem) == len(stem) && stem != "" {
		return "<uuid>" + extension
	}
	from := strings.LastIndexAny(stem, "-._") + 1
	if last := stem[from:]; isHash(last) || first && (isRandom(last) || from > 0 && isCounted(last)) {
		return withoutNumbers(stem[:from]) + "<random>" + extension
	}
	return withoutNumbers(stem) + extension
}

// withoutNumbers replaces numbers of five or more digits, which Go and other languages append to names.
func withoutNumbers(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		n := i
		for n < len(name) && name[n] >= '0' && name[n] <= '9' {
			n++
		}
		switch {
		case n-i >= 5:
			b.WriteString("<n>")
		case n > i:
			b.WriteString(name[i:n])
		default:
			n++
			b.WriteByte(name[i])
		}
		i = n
	}
	return b.String()
}

// isRandom reports whether a name looks like one that mktemp made. In such a name, lower case, upper case and digits
// alternate more often than in a name that a person chose.
func isRandom(name string) bool {
	if len(name) < 6 || len(name) > 24 {
		return false
	}
	kinds, humps, letters, upper := 0, 1, 0, false
	for i := range len(name) {
		c := name[i]
		if !isLetter(c) && (c < '0' || c > '9') {
			return false
		}
		if isLetter(c) {
			letters++
			upper = upper || c < 'a'
		}
		if i == 0 || kind(c) == kind(name[i-1]) {
			continue
		}
		if kind(c) != 'a' || kind(name[i-1]) != 'A' { // letters after an upper-case letter belong to its word
			kinds++
		}
		if kind(c) == 'A' {
			humps++
		}
	}
	if upper {
		return kinds >= 3 || humps > 1 && letters*5 <= humps*13
	}
	return kinds >= 4
}

// isCounted reports whether a part of a name begins with a digit and also has other characters, such as 1a.
func isCounted(part string) bool {
	return part != "" && part[0] >= '0' && part[0] <= '9' && !allDigits(part)
}

func kind(c byte) byte {
	switch {
	case c <= '9':
		return '0'
	case c < 'a':
		return 'A'
	}
	return 'a'
}
