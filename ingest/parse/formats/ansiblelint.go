package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ansibleLintFormat reads ansible-lint: its findings for people, in two lines
// below a heading, and the parseable ones (-p, -f pep8) of all versions.
var ansibleLintFormat = parse.Format{
	Name:     "ansible-lint",
	About:    "ansible-lint: brief, full and pep8 output",
	Triggers: []string{" violation(s) that are fatal", ".yml:", ".yaml:"},
	New:      parse.Stateless(matchAnsibleLint),
}

func matchAnsibleLint(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.Contains(text, " violation(s) that are fatal") {
		b := &ansibleLint{s: s}
		s.Block(b.line)
		return true
	}
	return ansibleLintPep8(s, text, false)
}

// ansibleLintPep8 reads "site.yml:3[:5]: no-free-form: message [(warning)]"
// and the older "site.yml:3: [E301] message", "site.yml:3: no-tabs message".
// Outside of ansible-lint's list, rules of one plain word are too common.
func ansibleLintPep8(s *parse.Scan, text string, listed bool) bool {
	p, rest, ok := parse.PlaceAt(text)
	if !ok || !hasAnySuffix(p.File, ".yml", ".yaml") {
		return false
	}
	rule, message, ok := strings.Cut(rest, " ")
	if !ok {
		return false
	}
	if code, brackets := strings.CutPrefix(rule, "["); brackets {
		rule = strings.TrimSuffix(code, "]")
		if !isAnsibleCode(rule) {
			return false
		}
	} else if rule = strings.TrimSuffix(rule, ":"); !isAnsibleRule(rule) || !listed && !strings.ContainsAny(rule, "-[") {
		return false
	}
	addAnsibleLint(s, p, rule, message)
	return true
}

func addAnsibleLint(s *parse.Scan, p parse.Place, rule, message string) *parse.Draft {
	e := store.Event{Tool: "ansible-lint", File: p.File, Line: p.Line, Column: p.Column, Code: rule, Category: store.CategoryLint}
	message, warning := strings.CutSuffix(message, " (warning)")
	if warning {
		e.Severity = store.SeverityWarning
	}
	e.Message = message
	return s.Add(parse.Draft{Event: e})
}

// ansibleLint reads "rule: message" and then "file:3 details", one after the
// other, until the summary.
type ansibleLint struct {
	s       *parse.Scan
	rule    string
	message string
	at      int          // line of the rule, 0 for none
	d       *parse.Draft // the newest finding, until an empty line
}

func (b *ansibleLint) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case hasAnyPrefix(text, "Read documentation", "Rule Violation Summary", "Finished with", "You can skip", "Failed", "# Rule Violation Summary"):
		return parse.Done
	case text == "":
		b.d = nil
		return parse.Take
	case b.at > 0 && l.N == b.at+1:
		b.at = 0
		file, _, _ := strings.Cut(text, " ")
		if p, _, ok := parse.PlaceAt(file + ":"); ok {
			b.d = addAnsibleLint(b.s, p, b.rule, b.message)
			b.d.LogLine = l.N - 1
			b.d.Extend(l)
			return parse.Take
		}
		return parse.Pass
	case ansibleLintPep8(b.s, text, true):
		return parse.Take
	}
	rule, message, ok := strings.Cut(text, ": ")
	if code, brackets := strings.CutPrefix(text, "["); brackets { // [E301] message
		rule, message, ok = strings.Cut(code, "] ")
		ok = ok && isAnsibleCode(rule)
	} else if ok {
		ok = isAnsibleRule(rule)
	}
	if ok {
		b.rule, b.message, b.at, b.d = rule, message, l.N, nil
		return parse.Take
	}
	if b.d != nil { // the details go on, or the source
		b.d.Extend(l)
		return parse.Take
	}
	return parse.Pass
}

// isAnsibleCode reports whether code is a rule's number: E301, 301, EANSIBLE0012.
func isAnsibleCode(code string) bool {
	code = strings.TrimPrefix(strings.TrimPrefix(code, "E"), "ANSIBLE")
	return len(code) >= 3 && len(code) <= 4 && parse.AllDigits(code)
}

// isAnsibleRule reports whether a word is a rule: no-tabs, yaml[line-length].
func isAnsibleRule(word string) bool {
	name, tag, ok := strings.Cut(word, "[")
	if ok && (!strings.HasSuffix(tag, "]") || strings.ContainsAny(tag, " \t")) {
		return false
	}
	return ansibleRules[name]
}

var ansibleRules = wordSet(`args avoid-implicit command-instead-of-module command-instead-of-shell complexity deprecated-bare-vars
	deprecated-command-syntax deprecated-local-action deprecated-module empty-string-compare fqcn fqcn-builtins galaxy git-latest hg-latest
	ignore-errors inline-env-var internal-error jinja key-order latest literal-compare load-failure loop-var-prefix meta-incorrect meta-no-info
	meta-no-tags meta-runtime meta-unsupported-ansible meta-video-links name no-changed-when no-free-form no-handler no-jinja-nesting
	no-jinja-when no-log-password no-loop-var-prefix no-prompting no-relative-paths no-same-owner no-tabs no-var-prefix only-builtins
	package-latest parser-error partial-become pattern playbook-extension risky-file-permissions risky-octal risky-shell-pipe role-name run-once
	sanity schema syntax-check unnamed-task var-naming var-spacing yaml`)

// wordSet makes a set of the words of a text.
func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}
