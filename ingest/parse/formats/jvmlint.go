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
	New: parse.Lines{
		{Text: "{place}: Lint error > [{code}] {message}", Then: hasNoSlash},                // kotlinter
		{Text: "{code} - {message} at {place:.kt|.kts}", Tool: "detekt", Then: hasJavaName}, // before version 1.20
		{Text: "{place+column:.kt|.kts}: {message} ({code})", Then: hasRuleID},
		{Text: "{place+column:.kt|.kts}: {message} [{code}]", Tool: "detekt", Then: isDetekt},
	}.New(),
}

func hasNoSlash(d *parse.Draft) bool { return strings.IndexByte(d.Code, '/') < 0 }

func hasJavaName(d *parse.Draft) bool { return isJavaName(d.Code) }

func hasRuleID(d *parse.Draft) bool { return isRuleID(d.Code) }

// isDetekt reports whether a finding ends in the name of a rule, and is not the
// compiler's.
func isDetekt(d *parse.Draft) bool {
	return isTrailingRule(d.Code) && !strings.Contains(d.Message, "error:")
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
