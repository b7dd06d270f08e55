package redact

import (
	"bytes"
	"strings"
)

// Some values have more than letters, and are no secrets: regular expressions, names of files, colors, addresses of
// memory, tags of struct fields.

// isPlain reports whether the form of a value shows that the value is no secret.
func (n *named) isPlain(v string) bool {
	switch { // a hyphen is at the end of a line
	case isRange(v), n.style == styleOption && (strings.HasSuffix(v, "‐") || isName(v) && strings.HasSuffix(v, "-")):
		return true
	case isPattern(v), isFileOfSecret(v), n.listed && isTokenKind(v):
		return true
	case n.style == styleOption && strings.HasSuffix(n.name, "-stdin"):
		return true // the option has no value: --password-stdin HOST
	case n.style == styleElement && v[0] == '@' && hasTail(n.left, ":<"):
		return true // a placeholder in an address: https://user:<password>@host
	case isPassword(n.name):
		return false
	}
	return isColor(v) ||
		!n.inQuotes && (n.style == styleSpaced || n.name != strings.ToUpper(n.name)) && strings.HasPrefix(v, "0x") &&
			isType(v)
}

// isRange reports whether a value is a version or a range of versions, as of the package jsonwebtoken: 9.0.2, ^9.0.3,
// 1.x || 2.x, npm:foo@1.2.3.
func isRange(v string) bool {
	const digits = "0123456789"
	if strings.Contains(v, " || ") || strings.HasPrefix(v, "npm:") || strings.HasPrefix(v, "workspace:") ||
		strings.HasPrefix(v, "file:") {
		return true
	}
	version := strings.TrimLeft(v, "^~<>=v ")
	major, rest, ok := strings.Cut(version, ".")
	minor, _, patch := strings.Cut(rest, ".")
	return ok && major != "" && minor != "" && strings.Trim(major+minor, digits) == "" && (patch || len(version) < len(v))
}

// isPattern reports whether a value is a regular expression: it has a range of letters or digits, such as [0-9.
func isPattern(v string) bool {
	i := strings.LastIndexByte(v, '[')
	return i >= 0 && i+3 < len(v) && v[i+2] == '-' && strings.IndexByte("zZfF9", v[i+3]) >= 0
}

// secretFiles are the endings of files that are values of names such as GOOGLE_APPLICATION_CREDENTIALS.
const secretFiles = ".json.pem.yaml.yml.txt.crt.key.p12.pfx.jks.gpg.go.py.js.ts.rb.java.rs.md.toml.xml.sh.env."

// isFileOfSecret reports whether a value is the name of a file with one of these endings.
func isFileOfSecret(v string) bool {
	dot := strings.LastIndexByte(v, '.')
	return dot > 0 && strings.Contains(secretFiles, v[dot:]+".") && strings.Trim(v, word+".-/") == ""
}

// isTokenKind reports whether an item of a list is the kind of a token, as in errors of Gherkin: #ScenarioLine.
func isTokenKind(v string) bool {
	return v[0] == '#' && strings.Trim(v[1:], word) == "" && !hasDigit(v)
}

// isColor reports whether a value is a color: #d8dee9.
func isColor(v string) bool {
	return len(v) == len("#rrggbb") && v[0] == '#' && strings.Trim(v[1:], "0123456789abcdefABCDEF") == ""
}

// isTag reports whether a quoted text is the tag of a field in Go: json:"token".
func isTag(v string) bool {
	name, _, ok := strings.Cut(v, `:"`)
	return ok && strings.HasSuffix(v, `"`) && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// isSubject reports whether a quoted word is part of a sentence: credentials: "certificate" object must have it.
func (n *named) isSubject(v string) bool {
	behind := bytes.TrimLeft(n.behind, `\"'`)
	return n.style == styleColon && !isPassword(n.name) && !hasDigit(v) &&
		len(behind) > 1 && behind[0] == ' ' && behind[1] >= 'a' && behind[1] <= 'z'
}

// isReference reports whether a value is the address of a variable, or begins with an element of a list or a map:
// &trueValue, creds['AccessKeyId'], parts[2].
func (n *named) isReference(v string) bool {
	if v[0] == '&' {
		return strings.Trim(v[1:], word+",;)}") == "" && !hasDigit(v)
	}
	name, index, ok := strings.Cut(v, "[")
	return ok && name != "" && strings.Trim(name, word+".") == "" && !hasDigit(name) &&
		(index == "" && quoteLen(n.behind) > 0 || strings.IndexByte(index, ']') == 1)
}

// isAlternative reports whether a value is one of several words between bars: secret|token|key. In a table, blanks
// are around the bars, or the value is more than a word.
func isAlternative(v string) bool {
	first, _, ok := strings.Cut(v, "|")
	return ok && (isName(first) || !isStrong(first))
}

// sentenceEnd removes the marks around the last word of a sentence: an escaped line end, curly quotes with a dot.
func sentenceEnd(v string) string {
	const quotes = "“”„‘’"
	v = strings.TrimSuffix(v, `\n`)
	if end := strings.Trim(v, quotes+".,"); end != "" && strings.ContainsAny(v, quotes) {
		return end
	}
	return v
}
