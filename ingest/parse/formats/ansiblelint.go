package formats

import (
	"strings"
	"sync"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ansibleLintFormat reads ansible-lint. Its default output has two lines per finding below a heading. Its parseable
// output (-p, -f pep8) differs between versions.
var ansibleLintFormat = parse.Format{
	Name:     "ansible-lint",
	About:    "ansible-lint: brief, full and pep8 output",
	Triggers: []string{" violation(s) that are fatal", ".yml:", ".yaml:"},
	Match:    matchAnsibleLint,
}

func matchAnsibleLint(s *parse.Scan, l parse.Line) bool {
	if strings.Contains(l.Text, " violation(s) that are fatal") {
		b := &ansibleLint{s: s}
		s.Block(b.line)
		return true
	}
	d, ok := ansibleFinding.Read(l.Text)
	if !ok || !isAnsibleCode(d.Code) && !strings.ContainsAny(d.Code, "-[") {
		return false // a single plain word counts as a rule only if it is in ansible-lint's list
	}
	s.Add(d)
	return true
}

var ansibleFinding = parse.Lines{
	// ansible-lint before version 5 prints this form.
	{Text: "{place:.yml|.yaml}: [{code}] " + ansibleSays},
	{Text: "{place:.yml|.yaml}: {code}{?:} " + ansibleSays,
		If: func(d *parse.Draft) bool { return isAnsibleRule(d.Code) }},
}

const ansibleSays = "{message}{? ({severity})}"

// ansibleLint reads findings until the summary. Most findings have two lines: "rule: message" and "file:3 details".
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
	case hasAnyPrefix(text, "Read documentation", "Rule Violation Summary", "Finished with", "You can skip", "Failed",
		"# Rule Violation Summary"):
		return parse.Done
	case text == "":
		b.d = nil
		return parse.Take
	case b.at > 0 && l.N == b.at+1:
		b.at = 0
		file, _, _ := strings.Cut(text, " ")
		if p, _, ok := parse.PlaceAt(file + ":"); ok {
			b.d = b.s.Add(b.finding(p))
			b.d.LogLine = l.N - 1
			b.d.Extend(l)
			return parse.Take
		}
		return parse.Pass
	}
	if d, ok := ansibleFinding.Read(text); ok {
		b.s.Add(d)
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
	if b.d != nil { // more details, or the source
		b.d.Extend(l)
		return parse.Take
	}
	return parse.Pass
}

// finding returns the draft for the newest rule at a place.
func (b *ansibleLint) finding(p parse.Place) parse.Draft {
	d := parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Code: b.rule,
		Category: store.CategoryLint}}
	message, warning := strings.CutSuffix(b.message, " (warning)")
	if warning {
		d.Severity = store.SeverityWarning
	}
	d.Message = message
	return d
}

// isAnsibleCode reports whether code is the number of a rule: E301, 301, EANSIBLE0012.
func isAnsibleCode(code string) bool {
	code = strings.TrimPrefix(strings.TrimPrefix(code, "E"), "ANSIBLE")
	return len(code) >= 3 && len(code) <= 4 && parse.AllDigits(code)
}

// isAnsibleRule reports whether a word is the name of a rule: no-tabs, yaml[line-length].
func isAnsibleRule(word string) bool {
	name, tag, ok := strings.Cut(word, "[")
	if ok && (!strings.HasSuffix(tag, "]") || strings.ContainsAny(tag, " \t")) {
		return false
	}
	return ansibleRules()[name]
}

var ansibleRules = sync.OnceValue(func() map[string]bool {
	return wordSet(`args avoid-implicit command-instead-of-module command-instead-of-shell complexity
	deprecated-bare-vars deprecated-command-syntax deprecated-local-action
	deprecated-module empty-string-compare fqcn fqcn-builtins
	galaxy git-latest hg-latest ignore-errors inline-env-var internal-error jinja key-order latest literal-compare
	load-failure loop-var-prefix meta-incorrect meta-no-info meta-no-tags meta-runtime meta-unsupported-ansible
	meta-video-links name no-changed-when no-free-form no-handler no-jinja-nesting no-jinja-when no-log-password
	no-loop-var-prefix no-prompting no-relative-paths no-same-owner no-tabs no-var-prefix only-builtins package-latest
	parser-error partial-become pattern playbook-extension risky-file-permissions risky-octal risky-shell-pipe
	role-name run-once sanity schema syntax-check unnamed-task var-naming var-spacing yaml`)
})

// wordSet returns the set of the words in a text.
func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}
