package questions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// Each row has everything that the front ends need, and no two rows have the same name or command.
func TestEveryRowIsWhole(t *testing.T) {
	seen := map[string]bool{}
	once := func(what, name string) {
		if name != "" && seen[what+name] {
			t.Errorf("two rows have the %s %q", what, name)
		}
		seen[what+name] = true
	}
	classes := []questions.Class{questions.Read, questions.Annotate, questions.Propose, questions.Execute,
		questions.Destroy}
	for _, r := range questions.All() {
		once("name", r.Name)
		once("command", r.Command)
		if r.Name == "" || r.Tool == "" || r.About == "" || strings.HasSuffix(r.About, ".") ||
			strings.Contains(r.About, "\n") {
			t.Errorf("%+v: want a name, a tool, and a sentence without its full stop", r)
		}
		if !slices.Contains(questions.ToolsetNames(), r.Toolset) || !slices.Contains(store.TokenScopes, r.Scope) ||
			!slices.Contains(classes, r.Class) {
			t.Errorf("%s: toolset %q, scope %q, class %q", r.Name, r.Toolset, r.Scope, r.Class)
		}
		if r.ReadOnly != (r.Class == questions.Read) || r.ReadOnly && r.Destructive {
			t.Errorf("%s is of class %s, and its annotations say %+v", r.Name, r.Class, r.Annotations)
		}
		tool, found := questions.All().FindTool(r.Tool)
		if !found || tool.Scope != r.Scope || tool.Toolset != r.Toolset || tool.Class != r.Class {
			t.Errorf("%s may be asked by others than its tool %s", r.Name, r.Tool)
		}
	}
}

// A row names only parameters of its struct.
func TestRowsNameParametersThatThereAre(t *testing.T) {
	for _, r := range questions.All() {
		if !r.IsQuestion() {
			continue
		}
		var keys []string
		for f := range questions.Fields(r.Params) {
			keys = append(keys, f.Key)
		}
		for _, name := range r.Positional {
			if !slices.Contains(keys, name) {
				t.Errorf("%s has no parameter %s; it has %v", r.Name, name, keys)
			}
		}
	}
}

func TestRowsAreFound(t *testing.T) {
	all := questions.All()
	for name, find := range map[string]func() (questions.Row, bool){
		"report": func() (questions.Row, bool) { return all.FindTool("summarize") },
		"diff":   func() (questions.Row, bool) { return all.Find("diff") },
		"":       func() (questions.Row, bool) { return all.Find("nosuch") },
	} {
		if r, found := find(); r.Name != name || found != (name != "") {
			t.Errorf("found %q (%v), want %q", r.Name, found, name)
		}
	}
}
