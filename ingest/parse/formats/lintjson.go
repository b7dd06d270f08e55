package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// lintJSONFormat reads JSON reports of linters and scanners. Their keys differ, but each finding is an object with a
// message and a place. Objects or keys around it may name the file.
var lintJSONFormat = parse.Format{
	Name: "lint-json",
	About: "JSON reports of linters: golangci-lint, bandit, hadolint, tflint, trivy, semgrep, PHPStan, RuboCop, " +
		"pyright and others",
	Document: &parse.Document{
		Sniff: func(head []byte) bool { return lintReportOf(head) != nil },
		Read:  readLintJSON,
	},
}

// lintReport describes the JSON report of one tool.
type lintReport struct {
	tool     string
	keys     []string // all of these keys are near the report's start
	severity store.Severity
	file     string // the key of the file, if it is not in lintFileKeys
	zero     bool   // lines and columns count from 0
	anywhere bool   // findings need no line, because they are about packages or images
	bare     bool   // findings may lack both rule and severity
	category store.Category
}

// lintReports describes known reports. Each report has a set of keys that hardly any other JSON has. Specific reports
// come first.
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
	{tool: reviewdog, keys: []string{`"location"`, `"range"`, `"path"`, `"message"`}},
	{tool: reviewdog, keys: []string{`"message"`, `"severity"`, `"source":{"name":`}},
	{tool: "staticcheck", keys: []string{`"location"`, `"end"`, `"code"`, `"severity"`}},
	{tool: "buf", keys: []string{`"start_line"`, `"start_column"`, `"path"`, `"type"`}},
	{tool: "hadolint", keys: []string{`"level"`, `"code"`, `"DL`, `"file"`}},
	{tool: "shellcheck", keys: []string{`"level"`, `"code"`, `"file"`, `"column"`}},
	{tool: "yamllint", keys: []string{`"level"`, `"rule"`, `"file"`, `"column"`}},
}

func lintReportOf(head []byte) *lintReport {
	keys := keysOf(head)
	for i := range lintReports {
		if keys.mayHold(lintReports[i].keys) && hasAll(head, lintReports[i].keys...) {
			return &lintReports[i]
		}
	}
	return nil
}

// keySet is an approximate set of the byte pairs that follow a quote in a document. Several pairs share a bit.
type keySet [4]uint64

func keysOf(head []byte) (set keySet) {
	for {
		i := bytes.IndexByte(head, '"')
		if i < 0 || i+2 >= len(head) {
			return set
		}
		head = head[i+1:]
		place, bit := keyBit(head[0], head[1])
		set[place] |= bit
	}
}

func keyBit(first, second byte) (place int, bit uint64) {
	h := first<<3 ^ second
	return int(h >> 6), 1 << (h & 63)
}

// mayHold reports whether the document may contain all texts. Each text begins with a quote.
func (set *keySet) mayHold(texts []string) bool {
	for _, t := range texts {
		if place, bit := keyBit(t[1], t[2]); set[place]&bit == 0 {
			return false
		}
	}
	return true
}

func readLintJSON(s *parse.Scan, t *parse.Text) error {
	r := lintReportOf(t.Data[:min(len(t.Data), 4096)])
	if r == nil {
		return errors.New("no report of a linter")
	}
	dec := json.NewDecoder(bytes.NewReader(t.Data))
	dec.UseNumber()
	root, err := decodeOrdered(dec)
	if err != nil {
		return err
	}
	if r.tool == reviewdog {
		return readRDJSON(s, t)
	}
	w := &lintWalk{s: s, report: r, search: newSearch(t)}
	w.walk(root, lintPlace{})
	return nil
}

// lintSeverities maps the severity words of all reports. A finding without such a word gets the severity of its
// lintReport. If the lintReport has no severity, the finding is an error.
var lintSeverities = map[string]store.Severity{
	"error": store.SeverityError, "err": store.SeverityError, "fatal": store.SeverityError,
	"critical": store.SeverityError, "high": store.SeverityError,
	"blocker": store.SeverityError, "major": store.SeverityError, "failure": store.SeverityError,
	"warning": store.SeverityWarning, "warn": store.SeverityWarning, "medium": store.SeverityWarning,
	"moderate": store.SeverityWarning, "minor": store.SeverityWarning,
	"convention": store.SeverityWarning, "refactor": store.SeverityWarning,
	"info": store.SeverityInfo, "information": store.SeverityInfo, "informational": store.SeverityInfo,
	"low": store.SeverityInfo, "note": store.SeverityInfo, "notice": store.SeverityInfo,
	"style": store.SeverityInfo, "hint": store.SeverityInfo, "suggestion": store.SeverityInfo,
	"help": store.SeverityInfo, "negligible": store.SeverityInfo, "unknown": store.SeverityInfo,
	"undefined": store.SeverityInfo,
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
	case r.tool == "rubocop" && severity == store.SeverityWarning:
		return store.SeverityError // any offense makes the tool fail
	case r.tool == "lintr" && word == "style":
		return store.SeverityWarning
	}
	return severity
}

// kubeScoreGrade maps the grades of kube-score, which are 1 to 10, to severity words.
func kubeScoreGrade(grade string) string {
	switch grade {
	case "1":
		return "critical"
	case "5":
		return "warning"
	}
	return "OK"
}
