package parse

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/blq-ci/blq/store"
)

// lintJSONFormat reads the JSON reports of linters and scanners. They name
// things differently but all of them are objects with a message and a place,
// below objects or keys that may name the file.
var lintJSONFormat = Format{
	Name:  "lint-json",
	About: "JSON reports of linters: golangci-lint, bandit, hadolint, tflint, trivy, semgrep, PHPStan, RuboCop, pyright and others",
	Document: &Document{
		Sniff: func(head []byte) bool { return lintReportOf(head) != nil },
		Read:  readLintJSON,
	},
}

// lintReport is one tool's JSON report.
type lintReport struct {
	tool     string
	keys     []string // all of these are near the report's start
	severity store.Severity
	file     string // the key of the file, where it is not one of lintFileKeys alone
	zero     bool   // lines and columns count from 0
	anywhere bool   // findings need no line: packages, images
	bare     bool   // findings may have neither rule nor severity
	category store.Category
}

// lintReports tells reports apart by keys that hardly any other JSON has
// together. What is particular comes first.
var lintReports = []lintReport{
	{tool: "golangci-lint", keys: []string{`"FromLinter"`, `"Pos"`}},
	{tool: "rubocop", keys: []string{`"offenses"`, `"path"`}},
	{tool: "markdownlint", keys: []string{`"ruleNames"`, `"lineNumber"`}},
	{tool: "bandit", keys: []string{`"issue_text"`, `"test_id"`}},
	{tool: "bandit", keys: []string{`"generated_at"`, `"metrics"`, `"CONFIDENCE`}}, // the totals come before the issues
	{tool: "pyright", keys: []string{`"generalDiagnostics"`}, zero: true, category: store.CategoryType},
	{tool: "mypy", keys: []string{`"hint"`, `"severity"`, `"line"`, `"column"`}, category: store.CategoryType},
	{tool: "phpstan", keys: []string{`"totals"`, `"file_errors"`}, bare: true},
	{tool: "phpstan", keys: []string{`"files"`, `"messages"`, `"ignorable"`}, bare: true},
	{tool: "psalm", keys: []string{`"line_from"`, `"file_path"`}},
	{tool: "checkov", keys: []string{`"check_type"`, `"results"`}, severity: store.SeverityError},
	{tool: "semgrep", keys: []string{`"check_id"`, `"extra"`}},
	{tool: "trivy", keys: []string{`"SchemaVersion"`, `"ArtifactName"`}, anywhere: true},
	{tool: "trivy", keys: []string{`"Results"`, `"Target"`}, anywhere: true},
	{tool: "tfsec", keys: []string{`"rule_description"`, `"location"`}},
	{tool: "tflint", keys: []string{`"issues"`, `"rule"`, `"range"`}},
	{tool: "gosec", keys: []string{`"rule_id"`, `"details"`, `"confidence"`}},
	{tool: "swiftlint", keys: []string{`"rule_id"`, `"reason"`}},
	{tool: "cfn-lint", keys: []string{`"Filename"`, `"Level"`, `"LineNumber"`}},
	{tool: "vale", keys: []string{`"Check"`, `"Span"`, `"Severity"`}},
	{tool: "tslint", keys: []string{`"ruleSeverity"`, `"failure"`}, file: "name", zero: true},
	{tool: "lintr", keys: []string{`"linter"`, `"line_number"`}, severity: store.SeverityWarning},
	{tool: "flake8", keys: []string{`"physical_line"`, `"line_number"`}},
	{tool: "sqlfluff", keys: []string{`"violations"`, `"filepath"`}},
	{tool: "kube-score", keys: []string{`"object_name"`, `"grade"`}, file: "file_name", anywhere: true},
	{tool: "brakeman", keys: []string{`"warning_type"`, `"confidence"`}, severity: store.SeverityWarning},
	{tool: "brakeman", keys: []string{`"scan_info"`, `"brakeman_version"`}, severity: store.SeverityWarning},
	{tool: "reek", keys: []string{`"smell_type"`, `"lines"`}, file: "source", severity: store.SeverityWarning},
	{tool: "stylelint", keys: []string{`"source"`, `"warnings"`}, file: "source"},
	{tool: "ktlint", keys: []string{`"errors"`, `"rule"`, `"file"`}},
	{tool: "codeclimate", keys: []string{`"check_name"`, `"location"`, `"description"`}, severity: store.SeverityWarning},
	{tool: "reviewdog", keys: []string{`"location"`, `"range"`, `"path"`, `"message"`}},
	{tool: "staticcheck", keys: []string{`"location"`, `"end"`, `"code"`, `"severity"`}},
	{tool: "buf", keys: []string{`"start_line"`, `"start_column"`, `"path"`, `"type"`}},
	{tool: "hadolint", keys: []string{`"level"`, `"code"`, `"DL`, `"file"`}},
	{tool: "shellcheck", keys: []string{`"level"`, `"code"`, `"file"`, `"column"`}},
	{tool: "yamllint", keys: []string{`"level"`, `"rule"`, `"file"`, `"column"`}},
}

func lintReportOf(head []byte) *lintReport {
	for i := range lintReports {
		if hasAll(head, lintReports[i].keys...) {
			return &lintReports[i]
		}
	}
	return nil
}

func readLintJSON(s *Scan, t *Text) error {
	r := lintReportOf(t.Data[:min(len(t.Data), 4096)])
	dec := json.NewDecoder(bytes.NewReader(t.Data))
	dec.UseNumber()
	root, err := decodeOrdered(dec)
	if err != nil {
		return err
	}
	if r == nil {
		return errors.New("no report of a linter")
	}
	w := &lintWalk{s: s, report: r, search: newSearch(t)}
	w.walk(root, lintPlace{})
	return nil
}

// jsonObject keeps its members in the order of the text, so that findings are
// found in the order of the log.
type jsonObject []jsonMember

type jsonMember struct {
	key   string
	value any
}

func (o jsonObject) get(key string) any {
	for i := range o {
		if o[i].key == key {
			return o[i].value
		}
	}
	return nil
}

// decodeOrdered reads a value. Brackets nest at most maxJSONDepth deep in what
// a collector takes for a document.
func decodeOrdered(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	var list []any
	var object jsonObject
	for dec.More() {
		var key string
		if delim == '{' {
			token, err := dec.Token()
			if err != nil {
				return nil, err
			}
			key, _ = token.(string)
		}
		value, err := decodeOrdered(dec)
		if err != nil {
			return nil, err
		}
		if delim == '{' {
			object = append(object, jsonMember{key, value})
		} else {
			list = append(list, value)
		}
	}
	if _, err := dec.Token(); err != nil { // the closing bracket
		return nil, err
	}
	if delim == '{' {
		return object, nil
	}
	return list, nil
}

// lintPlace is what the objects around a finding say of its place.
type lintPlace struct {
	place
	rule, severity string
}

type lintWalk struct {
	s      *Scan
	report *lintReport
	search *search
}

// The names that reports have for the parts of a finding, the best first.
var (
	lintFileKeys     = []string{"filename", "fileName", "file_name", "file_path", "filePath", "filepath", "Filename", "FilePath", "file", "File", "path", "Path", "sourcepath", "Target"}
	lintLineKeys     = []string{"line_number", "lineNumber", "start_line", "startLine", "StartLine", "line", "Line", "row", "line_no", "start_line_no", "line_from", "file_row", "LineNumber", "begin", "lines", "file_line_range", "start"}
	lintColumnKeys   = []string{"column_number", "columnNumber", "start_column", "startColumn", "column", "Column", "col", "character", "line_pos", "start_line_pos", "column_from", "ColumnNumber", "Span"}
	lintMessageKeys  = []string{"message", "Message", "issue_text", "text", "Text", "reason", "details", "failure", "summary", "description", "ruleDescription", "rule_description", "ShortMessage", "Title", "Description"}
	lintRuleKeys     = []string{"test_id", "rule_id", "check_id", "cop_name", "FromLinter", "ruleNames", "ruleId", "ruleName", "linter", "VulnerabilityID", "RuleID", "ID", "Check", "check_name", "identifier", "smell_type", "warning_type", "code", "rule", "Rule", "id", "type"}
	lintSeverityKeys = []string{"issue_severity", "severity", "Severity", "level", "Level", "ruleSeverity", "grade", "type"}

	// objects within a finding that hold parts of it
	lintParts = []string{"location", "Location", "Pos", "range", "lines", "positions", "start", "Start", "begin", "startPosition", "extra", "rule", "SourceLine", "check", "Cause", "CauseMetadata"}

	// what the rules were, what passed, other places of a finding
	lintSkipped = []string{"passed_checks", "skipped_checks", "suppressed", "Report", "metrics", "fix", "fixes", "suggestions", "SuggestedFixes", "related_locations", "relatedInformation", "callers", "endPosition", "ignored_warnings", "errorRange"}
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
		if contains(lintSkipped, m.key) {
			continue
		}
		inner := at
		if isFileName(m.key) { // {"src/a.php": [...]}
			inner.File = m.key
			w.search.line(m.key)
		}
		w.walk(m.value, inner)
	}
}

// parts takes the place, the rule and the severity out of an object and out of
// the objects in it that are known to hold them.
func (w *lintWalk) parts(o jsonObject, at *lintPlace, depth int) {
	keys := lintFileKeys
	if w.report.file != "" {
		keys = []string{w.report.file}
	}
	if file := textOf(o, keys); file != "" && (isFileName(file) || !w.report.anywhere) {
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
		if part, ok := m.value.(jsonObject); ok && contains(lintParts, m.key) {
			if m.key == "check" && at.rule == "" {
				at.rule = ruleOf(part)
			}
			w.parts(part, at, depth+1)
		}
	}
}

// finding adds the object's event if it is one.
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
	if message == "" || (at.File == "" || at.Line == 0) && !w.report.anywhere || at.rule == "" && at.severity == "" && !w.report.bare {
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
	e := store.Event{Tool: w.report.tool, Category: store.CategoryLint, Severity: w.report.severityOf(at.severity), File: at.File, Line: at.Line, Column: at.Column,
		Message: firstLines(message), Code: at.rule, LogLine: n, LogLineEnd: n}
	if w.report.category != "" {
		e.Category = w.report.category
	}
	if at.severity == "OK" {
		return true
	}
	w.s.Add(Draft{Event: e})
	return true
}

// lintSeverities are the words of all reports; what none of them says is an
// error, unless the tool's findings are warnings.
var lintSeverities = map[string]store.Severity{
	"error": store.SeverityError, "err": store.SeverityError, "fatal": store.SeverityError, "critical": store.SeverityError, "high": store.SeverityError,
	"blocker": store.SeverityError, "major": store.SeverityError, "failure": store.SeverityError,
	"warning": store.SeverityWarning, "warn": store.SeverityWarning, "medium": store.SeverityWarning, "moderate": store.SeverityWarning, "minor": store.SeverityWarning,
	"convention": store.SeverityWarning, "refactor": store.SeverityWarning,
	"info": store.SeverityInfo, "information": store.SeverityInfo, "informational": store.SeverityInfo, "low": store.SeverityInfo, "note": store.SeverityInfo, "notice": store.SeverityInfo,
	"style": store.SeverityInfo, "hint": store.SeverityInfo, "suggestion": store.SeverityInfo, "help": store.SeverityInfo, "negligible": store.SeverityInfo, "unknown": store.SeverityInfo, "undefined": store.SeverityInfo,
	"inventory": store.SeverityWarning, "ok": store.SeverityInfo,
}

func isSeverity(word string) bool {
	_, ok := lintSeverities[strings.ToLower(word)]
	return ok
}

func (r *lintReport) severityOf(word string) store.Severity {
	severity, ok := lintSeverities[strings.ToLower(word)]
	switch {
	case !ok:
		return r.severity
	case r.tool == "lintr" && word == "style":
		return store.SeverityWarning
	}
	return severity
}

// kubeScoreGrade reads kube-score's grades, 1 to 10.
func kubeScoreGrade(grade string) string {
	switch grade {
	case "1":
		return "critical"
	case "5":
		return "warning"
	}
	return "OK"
}

// textOf returns the first of the keys that holds a text.
func textOf(o jsonObject, keys []string) string {
	for _, key := range keys {
		if text, ok := o.get(key).(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// numberOf returns the first of the keys that holds a number: as such, as a
// text or as the start of a list.
func numberOf(o jsonObject, keys []string) (int, bool) {
	for _, key := range keys {
		value := o.get(key)
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		var digits string
		switch v := value.(type) {
		case json.Number:
			digits = v.String()
		case string:
			digits, _, _ = strings.Cut(v, "-") // gosec: "12-14"
		}
		if n, size := number(digits); size > 0 && size == len(digits) {
			return n, true
		}
	}
	return 0, false
}

// ruleOf returns the name of the rule: a text without blanks, a number, the
// first of a list, or a member of an object.
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

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}
