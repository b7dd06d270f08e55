package formats

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// lintPlace is the place of a finding. A field is empty if neither the finding nor an object around it has the value.
type lintPlace struct {
	parse.Place
	rule, severity string
}

type lintWalk struct {
	s      *parse.Scan
	report *lintReport
	search *search
}

// These are the keys under which reports have the values of a finding. In each list, the best key comes first.
var (
	lintFileKeys = []string{"filename", "fileName", "file_name", "file_path", "filePath", "filepath", "Filename",
		"FilePath", "file", "File", "path", "Path", "sourcepath", "Target"}
	lintLineKeys = []string{"line_number", "lineNumber", "start_line", "startLine", "StartLine", "line", "Line",
		"row", "line_no", "start_line_no", "line_from", "file_row", "LineNumber", "begin", "lines",
		"file_line_range", "start"}
	lintColumnKeys = []string{"column_number", "columnNumber", "start_column", "startColumn", "column", "Column",
		"col", "character", "line_pos", "start_line_pos", "column_from", "ColumnNumber", "Span"}
	lintMessageKeys = []string{"message", "Message", "issue_text", "text", "Text", "reason", "details", "failure",
		"summary", "description", "ruleDescription", "rule_description", "ShortMessage", "Title", "Description"}
	lintRuleKeys = []string{"test_id", "rule_id", "check_id", "cop_name", "FromLinter", "ruleNames", "ruleId",
		"ruleName", "linter", "VulnerabilityID", "RuleID", "ID", "Check", "check_name", "identifier", "smell_type",
		"warning_type", "code", "rule", "Rule", "id", "type"}
	lintSeverityKeys = []string{"issue_severity", "severity", "Severity", "level", "Level", "ruleSeverity",
		"grade", "type"}

	// These are keys of nested objects that hold parts of a finding.
	lintParts = []string{"location", "Location", "Pos", "range", "lines", "positions", "start", "Start", "begin",
		"startPosition", "extra", "rule", "SourceLine", "check", "Cause", "CauseMetadata"}

	// These are keys of values that are skipped, such as passed checks, fixes, and other places of a finding.
	lintSkipped = []string{"passed_checks", "skipped_checks", "suppressed", "Report", "metrics", "fix", "fixes",
		"suggestions", "SuggestedFixes", "related_locations", "relatedInformation", "callers", "endPosition",
		"ignored_warnings", "errorRange"}
)

func (w *lintWalk) walk(value any, at lintPlace) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			w.walk(item, at)
		}
	case jsonObject:
		w.object(v, at)
	}
}

func (w *lintWalk) object(o jsonObject, at lintPlace) {
	if status, _ := o.get("Status").(string); status == "PASS" {
		return
	}
	own := at
	w.parts(o, &own, 0)
	if w.finding(o, own) {
		return
	}
	at.File, at.Line = own.File, own.Line
	if w.report.anywhere {
		at.rule, at.severity = own.rule, own.severity
	}
	for _, m := range o {
		if slices.Contains(lintSkipped, m.key) {
			continue
		}
		inner := at
		if parse.IsFileName(m.key) { // {"src/a.php": [...]}
			inner.File = m.key
			w.search.line(m.key)
		}
		w.walk(m.value, inner)
	}
}

// parts reads the place, the rule and the severity of a finding from an object. Inner objects with keys in lintParts
// may hold some of these values.
func (w *lintWalk) parts(o jsonObject, at *lintPlace, depth int) {
	keys := lintFileKeys
	if w.report.file != "" {
		keys = []string{w.report.file}
	}
	if file := textOf(o, keys); file != "" && (parse.IsFileName(file) || !w.report.anywhere) {
		at.File = strings.TrimPrefix(file, "file://")
	}
	if n, ok := numberOf(o, lintLineKeys); ok {
		at.Line = n
		at.Column, _ = numberOf(o, lintColumnKeys)
		if w.report.zero {
			at.Line++
			at.Column++
		}
	}
	if rule := ruleOf(o); rule != "" && depth == 0 {
		at.rule = rule
	}
	if severity := textOf(o, lintSeverityKeys); isSeverity(severity) {
		at.severity = severity
	}
	if grade, ok := o.get("grade").(json.Number); ok {
		at.severity = kubeScoreGrade(grade.String())
	}
	if depth == 4 {
		return
	}
	for _, m := range o {
		if part, ok := m.value.(jsonObject); ok && slices.Contains(lintParts, m.key) {
			if m.key == "check" && at.rule == "" {
				at.rule = ruleOf(part)
			}
			w.parts(part, at, depth+1)
		}
	}
}

// finding adds the event of an object, unless the severity is OK. It returns false if the object is not a finding.
func (w *lintWalk) finding(o jsonObject, at lintPlace) bool {
	message := textOf(o, lintMessageKeys)
	for _, part := range lintParts {
		if inner, ok := o.get(part).(jsonObject); ok && message == "" {
			message = textOf(inner, lintMessageKeys[:4])
		}
	}
	if w.report.tool == "checkov" && message == "" && at.rule != "" {
		message, _ = o.get("check_name").(string)
	}
	if message == "" || (at.File == "" || at.Line == 0) && !w.report.anywhere ||
		at.rule == "" && at.severity == "" && !w.report.bare {
		return false
	}
	n := w.search.line(message)
	if name, _ := o.get("PkgName").(string); name != "" {
		message = name + ": " + message
	}
	if detail, _ := o.get("errorDetail").(string); detail != "" {
		message += " [" + detail + "]"
	}
	message = strings.TrimSuffix(message, " ("+at.rule+")") // stylelint
	e := store.Event{Tool: w.report.tool, Category: store.CategoryLint, Severity: w.report.severityOf(at.severity),
		File: at.File, Line: at.Line, Column: at.Column,
		Message: firstLines(message), Code: at.rule, LogLine: n, LogLineEnd: n}
	if w.report.category != "" {
		e.Category = w.report.category
	}
	if at.severity == "OK" {
		return true
	}
	w.s.Add(parse.Draft{Event: e})
	return true
}

// ruleOf returns the name of the rule: a text without blanks, a number, the first item of a list, or a member of an
// object.
func ruleOf(o jsonObject) string {
	for _, key := range lintRuleKeys {
		value := o.get(key)
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		if object, ok := value.(jsonObject); ok {
			value = textOf(object, []string{"name", "id", "Id", "value", "code"})
		}
		switch v := value.(type) {
		case json.Number:
			return v.String()
		case string:
			if v != "" && len(v) < 120 && !strings.ContainsAny(v, " \t\n") && !isSeverity(v) {
				return v
			}
		}
	}
	return ""
}
