package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// kotlinFormat reads the Kotlin compiler as Gradle prints it: "e: " and "w: "
// lines, with a file URL since 1.8 and "(line, column)" before.
var kotlinFormat = parse.Format{
	Name:     "kotlin",
	About:    "Kotlin compiler: errors and warnings",
	Triggers: []string{".kt:", ".kts:"},
	Starts:   []string{"e: ", "w: "},
	New:      parse.Stateless(matchKotlin),
}

func matchKotlin(s *parse.Scan, l parse.Line) bool {
	severity, rest, ok := kotlinSeverity(l.Text)
	if !ok {
		return false
	}
	if strings.HasPrefix(rest, "[ksp] ") || strings.HasPrefix(rest, "[kapt] ") {
		_, rest, _ = strings.Cut(rest, " ")
	}
	e := store.Event{Severity: severity, Category: store.CategoryCompile}
	if p, message, ok := kotlinPlace(rest); ok {
		if _, said, ok := parse.SeverityAt(message); ok {
			message = said
		}
		e.File, e.Line, e.Column, e.Message = p.File, p.Line, p.Column, message
	} else if l.Text[1] == ':' && isKotlinRemark(rest) {
		e.Message = rest
	} else {
		return false
	}
	d := s.Add(parse.Draft{Event: e})
	if l.Text[1] != ':' { // kotlinc alone shows the source line and a caret
		lines := 0
		s.Block(func(l parse.Line) parse.Verdict {
			if lines++; l.Trim() == "^" {
				d.Extend(l)
				return parse.Last
			}
			if _, _, ok := parse.PlaceAt(l.Text); ok || lines > 1 {
				return parse.Done
			}
			return parse.Take
		})
	}
	return true
}

func kotlinSeverity(text string) (store.Severity, string, bool) {
	if rest, ok := strings.CutPrefix(text, "e: "); ok {
		return store.SeverityError, rest, true
	}
	if rest, ok := strings.CutPrefix(text, "w: "); ok {
		return store.SeverityWarning, rest, true
	}
	if p, rest, ok := parse.PlaceAt(text); ok && isKotlinFile(p.File) { // kotlinc alone
		if severity, _, ok := parse.SeverityAt(rest); ok && parse.IsLower(rest[0]) { // Android lint writes Error
			return severity, text, true
		}
	}
	return "", "", false
}

// isKotlinRemark reports whether what follows "e: " without a place is a remark
// of the compiler and not some other program's output.
func isKotlinRemark(text string) bool {
	for _, start := range [...]string{"Supertypes of the following", "Daemon compilation failed", "java.lang.", "org.jetbrains.", "warnings found and -Werror", "Could not ", "Cannot access"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	class, _, ok := cutThrowable(text)
	return ok && strings.Contains(class, ".")
}

// kotlinPlace reads "file:///x/A.kt:3:5 message", "/x/A.kt: (3, 5): message"
// and "/x/A.kt:3:5: message".
func kotlinPlace(text string) (p parse.Place, rest string, ok bool) {
	text, isURL := strings.CutPrefix(text, "file://")
	if isURL && len(text) > 3 && text[0] == '/' && text[2] == ':' { // file:///C:/x
		text = text[1:]
	}
	if i := strings.Index(text, ": ("); i > 0 && parse.IsFileName(text[:i]) {
		return kotlinParens(text, i)
	}
	p, rest, ok = parse.PlaceAt(text)
	if !ok || rest == "" || !isKotlinFile(p.File) && !strings.HasSuffix(p.File, ".java") {
		return p, "", false
	}
	return p, rest, true
}

func isKotlinFile(file string) bool {
	return strings.HasSuffix(file, ".kt") || strings.HasSuffix(file, ".kts")
}

// kotlinParens reads ": (3, 5): message" at text[i:].
func kotlinParens(text string, i int) (p parse.Place, rest string, ok bool) {
	line, n := parse.Number(text[i+3:])
	column, found := strings.CutPrefix(text[i+3+n:], ", ")
	if n == 0 || !found {
		return p, "", false
	}
	col, n := parse.Number(column)
	rest, ok = strings.CutPrefix(column[n:], ")")
	if n == 0 || !ok {
		return p, "", false
	}
	return parse.Place{File: text[:i], Line: line, Column: col}, strings.TrimSpace(strings.TrimPrefix(rest, ":")), true
}
