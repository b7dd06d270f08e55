package graph

import (
	"cmp"

	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/store"
)

// These are the names of runs that record violations and stale pairs.
const (
	LintRun = "arch-lint"
	SyncRun = "docs-sync"
)

// Event returns the violation as an event of a run. The event leaves out the description of the rule, so a new
// description does not make a new violation.
func (v Violation) Event() store.Event {
	severity := store.SeverityError
	if v.Severity == "warn" {
		severity = store.SeverityWarning
	}
	return store.Event{Severity: severity, File: v.File, Line: v.Line, Message: cmp.Or(v.plain, v.Message), Tool: LintRun,
		Category: store.CategoryLint, Code: v.Rule}
}

// Event returns the problem as an event of a run.
func (p Problem) Event() store.Event {
	return store.Event{Severity: store.SeverityError, File: p.File, Line: p.Line, Message: p.Message, Tool: LintRun,
		Category: store.CategoryLint, Code: "unreadable"}
}

// Event returns a stale pair as an event of a run. The event is at the beginning of the document, because the
// document has to be read again. The event leaves out the details because they change while the pair is stale.
func (p Pair) Event() store.Event {
	e := store.Event{Severity: store.SeverityError, File: p.Doc, Line: 1, Tool: SyncRun, Category: store.CategoryLint,
		Code: p.Reason}
	switch p.Reason {
	case missingDocument:
		e.Line, e.Message = 0, "node "+p.Node+" names the document "+p.Doc+", which is not there"
	case missingModules:
		e.Severity, e.Message = store.SeverityWarning, "no document of "+p.Node+" mentions "+p.Code
	case untrackedFiles:
		e.Severity, e.Message = store.SeverityWarning, p.Code+" was added to "+p.Node+" after "+p.Doc+" was changed"
	case symbolsChanged:
		e.Message = p.Code + " of " + p.Node + " defines something else than when " + p.Doc + " was changed"
	default:
		e.Message = p.Code + " of " + p.Node + " is not what it was when " + p.Doc + " was changed"
	}
	return e
}

// Removed is a rule that a change removes.
type Removed struct {
	Rule
	Violations []Violation // violations in the graph after the change
}

// RemovedRules returns the rules that a change removes, with the violations that these rules would still find. So a
// change cannot break a rule and remove the same rule unnoticed.
func RemovedRules(g *Graph, x *code.Index, docs *Documents, now, before []Rule) []Removed {
	have := map[string]bool{}
	for _, r := range now {
		have[r.Name] = true
	}
	var list []Removed
	for _, r := range before {
		if !have[r.Name] {
			list = append(list, Removed{r, Lint(g, x, []Rule{r}, docs)})
		}
	}
	return list
}

// Event returns the removal as an event of a run.
func (r Removed) Event() store.Event {
	return store.Event{Severity: store.SeverityWarning, File: RulesFile, Line: 1, Tool: LintRun,
		Category: store.CategoryLint, Code: r.Name, Message: "the rule " + r.Name +
			" is removed; it is checked one last time"}
}
