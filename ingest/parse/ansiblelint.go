package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// ansibleLintFormat reads ansible-lint: "play.yml:2: name[play]: message", and
// its default, the finding and below it the place.
var ansibleLintFormat = Format{
	Name:     "ansible-lint",
	About:    "ansible-lint: rules for playbooks, default and parseable output",
	Triggers: []string{".yml:", ".yaml:"},
	Starts: []string{"args[", "avoid-implicit", "command-instead-of-", "complexity[", "deprecated-", "empty-string-compare", "fqcn", "galaxy[", "ignore-errors", "inline-env-var",
		"internal-error", "jinja[", "key-order[", "latest[", "literal-compare", "load-failure", "loop-var-prefix[", "meta-", "name[", "no-", "only-builtins", "package-latest", "parser-error",
		"partial-become", "playbook-extension", "pattern[", "risky-", "role-name", "run-once[", "sanity[", "schema[", "syntax-check", "var-naming", "yaml["},
	New: func() Matcher { return new(ansibleLint).match },
}

// ansibleLint keeps a finding until the next line gives its place.
type ansibleLint struct {
	rule, message string
	at            int
}

func (a *ansibleLint) match(s *Scan, l Line) bool {
	p, rest, placed := placeAt(l.Text)
	if !placed {
		if rule, message, ok := cutAnsibleRule(l.Text); ok {
			a.rule, a.message, a.at = rule, message, l.N
		}
		return false
	}
	if !hasAnySuffix(p.File, ".yml", ".yaml") {
		return false
	}
	e := store.Event{File: p.File, Line: p.Line, Column: p.Column, Category: store.CategoryLint}
	if a.at > 0 && a.at == l.N-1 {
		e.Code, e.Message, e.LogLine, e.LogLineEnd = a.rule, a.message, a.at, l.N
		a.at = 0
	} else if rule, message, ok := cutAnsibleRule(rest); ok {
		e.Code, e.Message = rule, message
	} else if code, message, ok := strings.Cut(rest, "] "); ok && strings.HasPrefix(code, "[") && isCheckID(strings.TrimPrefix(code, "[")) { // before 6
		e.Code, e.Message = code[1:], message
	} else {
		return false
	}
	s.Add(Draft{Event: e})
	return true
}

// cutAnsibleRule reads "name[play]: message" and "no-changed-when: message".
func cutAnsibleRule(text string) (rule, message string, ok bool) {
	rule, message, ok = strings.Cut(text, ": ")
	name, tag, tagged := strings.Cut(rule, "[")
	if !ok || message == "" || !isRuleName(name) || !isLower(name[0]) || tagged && !strings.HasSuffix(tag, "]") || !tagged && !strings.Contains(name, "-") {
		return "", "", false
	}
	return rule, message, true
}
