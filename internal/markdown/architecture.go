package markdown

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// These limit the text about the architecture.
const (
	maxPlaced     = 20 // max errors with a named node
	maxNodeOwners = 3
	maxUpstream   = 5
	reasonBytes   = 300
)

// Place finds the nodes of new errors, and the changes that may have caused the errors. It places at most maxPlaced
// errors.
func (f *Facts) Place(ctx context.Context, a *query.Asker) {
	list := make([]*Group, 0, len(f.New))
	for i := range f.New {
		list = append(list, &f.New[i])
	}
	placeGroups(ctx, a, f, list)
}

// placeGroups finds the nodes of groups of errors.
func placeGroups(ctx context.Context, a *query.Asker, f *Facts, list []*Group) {
	list = list[:min(len(list), maxPlaced)]
	if len(list) == 0 {
		return
	}
	errors := make([]store.Event, len(list))
	for i, g := range list {
		errors[i] = g.Sample.Event
	}
	found, _ := a.EventGraphs(ctx, f.Run, f.Baseline, errors)
	for i, g := range found {
		list[i].Graph = g
	}
}

// place finds the nodes of the failures that the author has to look at.
func (v *pullView) place(ctx context.Context, a *query.Asker) {
	shown := v.having(standsNew, standsUnknown)
	of := map[*Facts][]*Group{}
	for _, f := range shown[:min(len(shown), maxPlaced)] {
		if !f.wordless {
			of[f.in[0]] = append(of[f.in[0]], &f.Group)
		}
	}
	for _, f := range v.runs {
		placeGroups(ctx, a, f, of[f])
	}
}

// standsIn returns a line that names the node with an error, the node's owners, and the changed nodes upstream. It
// returns "" if the node is unknown.
func standsIn(g *query.EventGraph) string {
	if g == nil || g.Node == nil {
		return ""
	}
	line := "Node: " + Code(g.Node.Ref, nameBytes)
	if owners := codes(g.Node.Owners, maxNodeOwners); owners != "" {
		line += " of " + owners
	}
	if changed := codes(g.Changed, maxUpstream); changed != "" {
		line += ", changed upstream: " + changed
	}
	return line
}

// codes returns at most n texts as code.
func codes(list []string, n int) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == n {
			b.WriteString("…")
			break
		}
		b.WriteString(Code(s, nameBytes))
	}
	return b.String()
}

// mayBe lists the changes that may have caused an error, one on each line. If errors are shown without their log, it
// lists only the first change.
func mayBe(list []*query.EventGraph, l limits) string {
	suspects := query.MergeSuspects(list)
	if l.lines == 0 {
		suspects = suspects[:min(len(suspects), 1)]
	}
	if len(suspects) == 0 || l.files == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("May be the cause:\n\n")
	for _, s := range suspects {
		b.WriteString("- " + suspect(s, l) + "\n")
	}
	return b.String()
}

// Causes returns the changes that may have caused the new errors, each as a line.
func (f *Facts) Causes() []string {
	var lines []string
	for _, s := range query.MergeSuspects(graphs(f.New)) {
		lines = append(lines, suspect(s, levels[0]))
	}
	return lines
}

// suspect returns a line about a change, with the reasons for the suspicion.
func suspect(s query.Suspect, l limits) string {
	line := "uncommitted changes"
	switch s.Kind {
	case query.SuspectCommit:
		line = Code(shortCommit(s.Commit), 20)
	case query.SuspectNode:
		line = "several commits"
	case query.SuspectContract:
		line = "a contract"
	}
	if message := Code(s.Message, l.width); message != "" {
		line += " " + message
	}
	if node := Code(s.Node, nameBytes); node != "" {
		line += " in " + node
	}
	line += ": " + Code(s.Why, min(l.width, reasonBytes))
	if refs := codes(s.Evidence, 2); refs != "" {
		line += " (" + refs + ")"
	}
	return line
}

// graphs returns the architecture facts of groups of errors.
func graphs(list []Group) []*query.EventGraph {
	var all []*query.EventGraph
	for _, g := range list {
		all = append(all, g.Graph)
	}
	return all
}

// causes lists the changes that may have caused the failures that the author has to look at.
func (v *pullView) causes(l limits) string {
	var all []*query.EventGraph
	for _, f := range v.having(standsNew, standsUnknown) {
		all = append(all, f.Graph)
	}
	return mayBe(all, l)
}
