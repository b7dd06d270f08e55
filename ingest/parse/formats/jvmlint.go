package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ktlintFormat reads ktlint and detekt.
var ktlintFormat = parse.Format{
	Name:     "ktlint",
	About:    "ktlint and detekt: findings in Kotlin",
	Triggers: []string{".kt:", ".kts:", ".kt: Lint error"},
	New:      parse.Stateless(matchKtlint),
}

func matchKtlint(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if file, rest, ok := strings.Cut(text, ": Lint error > "); ok { // kotlinter: file:line:column: Lint error > [rule] message
		p, _, found := parse.PlaceAt(file + ":")
		message, rule, hasRule := cutBracketRule(rest)
		if !found || !hasRule {
			return false
		}
		lintEvent(s, "ktlint", p, rule, message)
		return true
	}
	if at := strings.LastIndex(text, " at "); at > 0 && strings.Contains(text[:at], " - ") { // old detekt: Rule - [what] at file:line:column
		p, _, ok := parse.PlaceAt(text[at+len(" at "):])
		rule, message, _ := strings.Cut(text[:at], " - ")
		if ok && isJavaName(rule) && isKotlinFile(p.File) {
			lintEvent(s, "detekt", p, rule, message)
			return true
		}
		return false
	}
	p, message, ok := parse.PlaceAt(text)
	if !ok || p.Column == 0 || !isKotlinFile(p.File) {
		return false
	}
	if open := strings.LastIndex(message, " ("); open > 0 && strings.HasSuffix(message, ")") && isRuleID(message[open+2:len(message)-1]) {
		lintEvent(s, "ktlint", p, message[open+2:len(message)-1], message[:open])
		return true
	}
	if said, rule, ok := cutTrailingRule(message); ok && !strings.Contains(message, "error:") {
		lintEvent(s, "detekt", p, rule, said)
		return true
	}
	return false
}

// isRuleID reports whether s could be a rule of ktlint: standard:no-unused-imports.
func isRuleID(s string) bool {
	switch s {
	case "":
		return false
	case "indent", "filename", "wrapping", "annotation", "kdoc": // its rules of one word
		return true
	}
	for i := range len(s) {
		if c := s[i]; !parse.IsLower(c) && c != '-' && c != ':' && c != '_' && !parse.IsDigit(c) {
			return false
		}
	}
	return strings.ContainsAny(s, "-:")
}

func lintEvent(s *parse.Scan, tool string, p parse.Place, rule, message string) {
	s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Code: rule, Message: message, Tool: tool, Category: store.CategoryLint}})
}

// androidLintFormat reads Android lint's text and the resource compiler.
var androidLintFormat = parse.Format{
	Name:     "android",
	About:    "Android lint, resource compiler and manifest merger",
	Triggers: []string{": Error: ", ": Warning: ", "AAPT: error: ", ".xml:"},
	New:      parse.Stateless(matchAndroidLint),
}

func matchAndroidLint(s *parse.Scan, l parse.Line) bool {
	text := strings.TrimPrefix(l.Text, "ERROR:")
	p, rest, ok := androidPlace(strings.TrimSpace(text))
	if !ok {
		return false
	}
	rest, aapt := strings.CutPrefix(rest, "AAPT: ")
	severity, message, ok := parse.SeverityAt(rest)
	if !ok {
		return false
	}
	e := store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column, Message: message, Category: store.CategoryLint, Tool: "android-lint"}
	if said, rule, ok := cutTrailingRule(message); ok {
		e.Message, e.Code = said, rule
	} else if !aapt {
		return false
	}
	if aapt {
		e.Tool, e.Category = "aapt", store.CategoryCompile
	}
	s.Add(parse.Draft{Event: e})
	return true
}

// androidPlace reads "/x/strings.xml:3:5-20: rest" and what placeAt reads.
func androidPlace(text string) (parse.Place, string, bool) {
	if p, rest, ok := parse.PlaceAt(text); ok {
		return p, rest, true
	}
	for _, ext := range [...]string{".xml:", ".kt:", ".java:"} {
		i := strings.Index(text, ext)
		if i <= 0 || !parse.IsFileName(text[:i+len(ext)-1]) {
			continue
		}
		p := parse.Place{File: text[:i+len(ext)-1]}
		line, n := parse.Number(text[i+len(ext):])
		rest := text[i+len(ext)+n:]
		if n == 0 {
			return p, "", false
		}
		p.Line = line
		if column, ok := strings.CutPrefix(rest, ":"); ok {
			if p.Column, n = parse.Number(column); n > 0 {
				rest = strings.TrimLeft(column[n:], "0123456789-")
			}
		}
		return p, strings.TrimLeft(rest, ": "), true
	}
	return parse.Place{}, "", false
}
