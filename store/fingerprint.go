package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// fingerprintVersion is a part of every hash. If the rules change, the version must change. Otherwise a hash by the old
// rules could be equal to a hash by the new rules.
const fingerprintVersion = "v2"

// Fingerprint returns the identity of an event across runs, machines and releases, as tool_category_16hex. It ignores
// line numbers, so the fingerprint stays the same when code moves.
//
// The identity of a failed test is its tool, test name and file. The identity of any other event is its tool, code,
// file, and message without volatile parts. For an architecture violation, the file is left out (see
// checkArchitecture). Quoted symbols stay in the message, so 'foo' undeclared and 'bar' undeclared differ. The kind of
// quotes does not matter, because it depends on the locale.
func Fingerprint(e Event) string {
	switch {
	case e.Test != "" && e.Category == CategoryTest:
		b := appendName(append(identity("test", e.Tool), 0), e.Test)
		return label(e, hash(appendName(append(b, 0), e.File)))
	case isViolation(e):
		return label(e, hash(identity("rule", e.Tool, e.Code, placeless(e))))
	}
	b := appendName(append(identity("event", e.Tool, e.Code), 0), e.File)
	return label(e, hash(appendNormalized(append(b, 0), e.Message, true, true)))
}

// checkArchitecture is the tool that reports violations of the architecture. A violation belongs to a node, not to a
// file. So a violation keeps its fingerprint when a file is renamed.
const checkArchitecture = "arch-lint"

// OlderThanRule ends the message of an architecture violation that was there before its rule. It is no part of the
// violation's identity. A comparison never counts such a violation as new.
const OlderThanRule = " (older than the rule)"

// isViolation reports whether an event is an architecture violation.
func isViolation(e Event) bool { return e.Tool == checkArchitecture && e.Category == CategoryLint }

// isOlderThanRule reports whether an event is an architecture violation that was there before its rule (see
// OlderThanRule).
func isOlderThanRule(e Event) bool {
	return isViolation(e) && strings.HasSuffix(e.Message, OlderThanRule)
}

// placeless returns the message of an architecture violation without the file name, without ./ and ../ at the beginning
// of words, without OlderThanRule, and without volatile parts.
func placeless(e Event) string {
	words := strings.Fields(strings.TrimPrefix(strings.TrimSuffix(e.Message, OlderThanRule), e.File+" "))
	for i, w := range words {
		for strings.HasPrefix(w, "../") || strings.HasPrefix(w, "./") {
			_, w, _ = strings.Cut(w, "/")
		}
		words[i] = w
	}
	return normalize(strings.Join(words, " "))
}

// currentFingerprint returns the fingerprint of a stored event. It replaces a missing fingerprint or one of version 1
// by the fingerprint under today's rules, because newer runs have fingerprints under these rules.
func currentFingerprint(e Event) string {
	now := Fingerprint(e)
	if e.Fingerprint == "" || e.Fingerprint != now && e.Fingerprint == fingerprintV1(e) {
		return now
	}
	return e.Fingerprint
}

// EarlierFingerprints returns the fingerprints under which earlier versions of blq may have stored an event like e.
// Fingerprints of version 1 depend on the kind of quotes. Earlier versions of blq did not record the last line of some
// messages.
func EarlierFingerprints(e Event) []string {
	curly := e
	curly.Message = withCurlyQuotes(e.Message)
	list := []string{fingerprintV1(e), fingerprintV1(curly)}
	if brief, ok := brief(e); ok {
		list = append(list, Fingerprint(brief))
		curly.Message = withCurlyQuotes(brief.Message)
		list = append(list, fingerprintV1(brief), fingerprintV1(curly))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// brief returns an event of rustc without the last line of its message, which is a label of the code. Earlier
// versions of blq did not record that line. brief returns false for an event without such a line.
func brief(e Event) (Event, bool) {
	i := strings.LastIndexByte(e.Message, '\n')
	if i < 0 || e.Tool != "rustc" && e.Tool != "clippy" {
		return e, false
	}
	e.Message = e.Message[:i]
	return e, true
}

// Pattern returns a text that is equal for similar events, such as the same message about other symbols or in other
// files. It has the form of a fingerprint.
func Pattern(e Event) string {
	return label(e, hash(appendGeneral(append(identity("pattern", e.Tool, e.Code), 0), e.Message)))
}

// FingerprintHash returns the number in a fingerprint or pattern. The number is below 2^63. It returns false if s is
// neither a fingerprint nor a pattern.
func FingerprintHash(s string) (int64, bool) {
	i := strings.LastIndexByte(s, '_')
	if i < 0 || len(s)-i-1 != 16 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[i+1:], 16, 63)
	return int64(n), err == nil
}

// formatFingerprint returns the fingerprint for a number. It is the inverse of FingerprintHash.
func formatFingerprint(tool string, category Category, hash int64) string {
	return label(Event{Tool: tool, Category: category}, uint64(hash))
}

func hidden(r rune) bool { return !unicode.IsGraphic(r) }

// isPlain reports whether a text consists only of ASCII letters, digits and punctuation.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

func label(e Event, hash uint64) string {
	tool, category := e.Tool, string(e.Category)
	if !isPlain(tool) && strings.ContainsFunc(tool, hidden) { // the name of the tool may be untrusted text
		tool = strings.Map(func(r rune) rune {
			if hidden(r) {
				return -1
			}
			return r
		}, tool)
	}
	if tool == "" {
		tool = "unknown"
	}
	if category == "" {
		category = "other"
	}
	b := make([]byte, 0, len(tool)+len(category)+18)
	b = append(append(append(append(b, tool...), '_'), category...), '_')
	return string(hex.AppendEncode(b, binary.BigEndian.AppendUint64(nil, hash)))
}

// identity returns the input for the hash of a fingerprint or pattern: the version of the rules and the parts.
func identity(parts ...string) []byte { return join(fingerprintVersion, parts...) }

func join(version string, parts ...string) []byte {
	text := append(make([]byte, 0, 512), version...)
	for _, p := range parts {
		text = append(append(text, 0), p...)
	}
	return text
}

func digest(version string, parts ...string) uint64 { return hash(join(version, parts...)) }

func hash(text []byte) uint64 {
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:]) >> 1
}
