package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pmdFailure reads Maven's "com.acme.Calc:12 Rule:UnusedPrivateField Priority:3 Avoid …". It does not read CPD's "3:
// /x/A.java:5 and …", which has no rule. In that case the failed goal is the error.
func pmdFailure(s *parse.Scan, text string) bool {
	where, rest, ok := strings.Cut(text, " Rule:")
	if !ok {
		return false
	}
	class, line, _ := strings.Cut(where, ":")
	rule, message, _ := strings.Cut(rest, " ")
	if priority, after, ok := strings.Cut(message, " "); ok && strings.HasPrefix(priority, "Priority:") {
		message = after
	}
	e := store.Event{Message: strings.TrimSpace(message), Tool: "pmd", Code: rule, Category: store.CategoryLint}
	if isJavaName(class) {
		e.File = strings.ReplaceAll(class, ".", "/") + ".java"
		e.Line, _ = parse.Number(line)
	}
	s.Add(parse.Draft{Event: e})
	return true
}

// spotbugsFinding reads "High: Null pointer … in com.acme.Calc.f() [com.acme.Calc] At Calc.java:[line 12]
// NP_ALWAYS_NULL".
func spotbugsFinding(s *parse.Scan, severity store.Severity, text string) bool {
	at := strings.LastIndex(text, ":[line")
	if at < 0 || severity == store.SeverityWarning {
		return false
	}
	before, after := text[:at], text[at:]
	blank := strings.LastIndexByte(before, ' ')
	line, rule, ok := strings.Cut(strings.TrimLeft(strings.TrimPrefix(after, ":[line"), "s "), "] ")
	if !ok || blank < 0 {
		return false
	}
	e := store.Event{File: before[blank+1:], Message: before[:blank], Code: strings.TrimSpace(rule), Tool: "spotbugs",
		Category: store.CategoryLint}
	e.Line, _ = parse.Number(line)
	if open := strings.LastIndex(e.Message, " ["); open > 0 { // [com.acme.Calc] At
		if class, _, ok := strings.Cut(e.Message[open+2:], "]"); ok && isJavaName(class) {
			if dot := strings.LastIndexByte(class, '.'); dot > 0 {
				e.File = strings.ReplaceAll(class[:dot], ".", "/") + "/" + e.File
			}
			e.Message = e.Message[:open]
		}
	}
	s.Add(parse.Draft{Event: e})
	return true
}

// pmdFormat reads the text reports of PMD and SpotBugs, and Checkstyle's lines under Ant and Gradle.
func pmdFormat() parse.Format {
	return parse.Format{
		Name:     "pmd",
		About:    "PMD, SpotBugs and Checkstyle: text reports",
		Triggers: append(pmdTriggers(), ".java:[line"),
		Starts:   []string{"[ant:checkstyle] ", "[checkstyle] "},
		Lines: parse.Lines{
			{Text: "{place}:\t{code}:\t{message}"},
		},
		Match: matchPMD,
	}
}

// pmdTriggers returns the texts from the last digit of a line number to the first letter of a rule, such as "2:\tU". A
// file and a line number alone are in every stack trace.
func pmdTriggers() (literals []string) {
	for rule := 'A'; rule <= 'Z'; rule++ {
		literals = append(literals, eachDigit("", ":\t"+string(rule))...)
	}
	return literals
}

func matchPMD(s *parse.Scan, l parse.Line) bool {
	if l.Text[0] != '[' {
		return spotbugsText(s, l.Text)
	}
	if _, rest, ok := strings.Cut(l.Text, "checkstyle] ["); ok {
		level, rest, _ := strings.Cut(rest, "] ")
		severity := store.SeverityWarning
		if level == "ERROR" {
			severity = store.SeverityError
		}
		return mavenFinding(s, severity, rest, parse.Detail)
	}
	return false
}

// spotbugsText reads "H C NP: Null pointer dereference of x in com.acme.Calc.f()  Dereferenced at Calc.java:[line 7]".
func spotbugsText(s *parse.Scan, text string) bool {
	if len(text) < 8 || text[1] != ' ' || text[3] != ' ' || strings.IndexByte("HML", text[0]) < 0 {
		return false
	}
	code, message, ok := strings.Cut(text[4:], ": ")
	at := strings.LastIndex(message, ":[line")
	if !ok || at < 0 || !isJavaName(code) {
		return false
	}
	blank := strings.LastIndexByte(message[:at], ' ')
	line, _ := parse.Number(strings.TrimLeft(message[at+len(":[line"):], "s "))
	said := strings.TrimSpace(message[:max(blank, 0)])
	if i := strings.LastIndex(said, "  "); i > 0 { // "  Dereferenced at"
		said = said[:i]
	}
	s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, File: message[blank+1 : at], Line: line,
		Code: code, Message: said, Tool: "spotbugs", Category: store.CategoryLint}})
	return true
}
