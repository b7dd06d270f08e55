package query

import (
	"context"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// eventGraph returns the node of an event, in the architecture at the commit of the event's run. It returns nil if the
// node is unknown.
func (a *Asker) eventGraph(ctx context.Context, r store.Run, e store.Event) (*EventGraph, error) {
	base, err := a.baseline(ctx, r, "")
	if err != nil {
		return nil, err
	}
	return a.inspector(ctx, r, base).event(ctx, e), nil
}

// ofRef returns the graph at the commit of an event's run, and the node that owns the event's file. If the node is
// unknown, ofRef returns g and nil. If name is a run, ofRef uses the first error of the run that has a file. ofRef adds
// facts about the event to w. For the error none, see eventOf.
func (a *Asker) ofRef(ctx context.Context, g *architecture, at DocsAt, name string, w *Why, none error) (
	*architecture, *graph.Node, error) {
	r, e, err := a.eventOf(ctx, at, name, none)
	if err != nil {
		return g, nil, err
	}
	base, err := a.baseline(ctx, r, "")
	if err != nil {
		return g, nil, err
	}
	i := a.inspector(ctx, r, base)
	if i == nil {
		return g, nil, a.withoutNode(ctx, r, e, w, noGraphOf(r))
	}
	n := i.head.Owner(e.File)
	if n == nil || e.File == "" {
		return g, nil, a.withoutNode(ctx, r, e, w, "no node has the place of "+r.Ref().WithEvent(e.ID).String())
	}
	if found := i.event(ctx, e); found != nil {
		w.Suspects = found.Suspects
	}
	return i.head, n, a.withoutNode(ctx, r, e, w, "")
}

// eventOf returns the event that a name stands for, and the run of the event. The name of a run stands for the run's
// first error with a file. The parameter none is the error to return in two cases: the name is not a reference, or a
// reference without a number finds nothing.
func (a *Asker) eventOf(ctx context.Context, at DocsAt, name string, none error) (
	r store.Run, e store.Event, err error) {
	ref, err := store.ParseRef(name)
	if err != nil {
		return r, e, none
	}
	if ref.Repo == "" {
		ref.Repo = at.Repo
	}
	if ref.IsEvent() {
		r, e, err = a.Store.Event(ctx, a.Scope, ref)
	} else if r, err = a.Store.Run(ctx, a.Scope, ref); err == nil {
		e, err = a.firstPlace(ctx, r)
	}
	if store.CodeOf(err) == store.NotFound && !ref.IsEvent() && ref.Serial == 0 {
		err = none
	}
	return r, e, err
}

// withoutGraph answers the question Why about an event if there is no graph. If it finds no event for the name, it
// returns the error in the parameter none. If none has another code than NotFound, it returns none at once.
func (a *Asker) withoutGraph(ctx context.Context, at DocsAt, name string, w *Why, none error) error {
	if a.Store == nil || store.CodeOf(none) != store.NotFound {
		return none
	}
	r, e, err := a.eventOf(ctx, at, name, none)
	if store.CodeOf(err) == store.NotFound {
		return none
	}
	if err != nil {
		return err
	}
	return a.withoutNode(ctx, r, e, w, noGraphOf(r))
}

// withoutNode adds facts about an event to an answer: the event and its file, the warning in the parameter missing, and
// changed contracts of other repositories that may be the cause. These facts do not depend on the node of the event.
func (a *Asker) withoutNode(ctx context.Context, r store.Run, e store.Event, w *Why, missing string) error {
	w.Event, w.File, w.Warning = r.Ref().WithEvent(e.ID).String(), Clean(e.File), missing
	changed, err := a.contractSuspects(ctx, r)
	w.Suspects, _ = withContracts(w.Suspects, changed)
	return err
}

func noGraphOf(r store.Run) string {
	return "there is no graph of the commit of " + r.Ref().String() +
		", so the node of the error is unknown: blq facts push graph code"
}

// firstPlace returns the first error with a file in a run.
func (a *Asker) firstPlace(ctx context.Context, r store.Run) (store.Event, error) {
	for e, err := range a.eachError(ctx, r) {
		if err != nil || e.File != "" {
			return e.Event, err
		}
	}
	return store.Event{}, store.Errorf(store.NotFound, "run %s has no error with a file", r.Ref())
}

// ErrorNode is a new error with the node that owns the error's file.
type ErrorNode struct {
	Ref     string   `json:"ref" jsonschema:"of the event"`
	Node    string   `json:"ref_id" jsonschema:"node that has its file"`
	Owners  []string `json:"owners,omitempty" jsonschema:"people and teams"`
	Changed []string `json:"changed_upstream,omitempty" jsonschema:"nodes that it depends on and that changed since the baseline"`
}

// causesTime is the max time of the search for the causes of new errors. The search usually takes a small part of this
// time, but may take all of it on a busy machine.
const causesTime = 10 * time.Second

// errorCauses holds the nodes of the first new errors of a run, and the suspects: changes that may have caused the
// errors. If the search for suspects took too long, complete is false, and there are no suspects.
type errorCauses struct {
	nodes    []ErrorNode
	suspects []Suspect
	complete bool
}

// causes returns the causes of the first new errors of a run.
func (a *Asker) causes(ctx context.Context, r store.Run, baseline string, groups []ErrorGroup) (errorCauses, error) {
	base, err := a.baseline(ctx, r, baseline)
	if err != nil || !base.Found() {
		return errorCauses{complete: true}, err
	}
	groups = groups[:min(len(groups), maxMentioned)]
	errors := make([]store.Event, len(groups))
	for i, g := range groups {
		file, place, _ := strings.Cut(g.Sample.Location, ":")
		line, _, _ := strings.Cut(place, ":")
		n, _ := strconv.Atoi(line) // 0 if there is no line
		errors[i] = store.Event{File: file, Line: n, Message: g.Sample.Message, Test: g.Sample.Test}
	}
	found, complete := a.EventGraphs(ctx, r, base, errors)
	c := errorCauses{suspects: MergeSuspects(found), complete: complete}
	for i, g := range found {
		if g != nil {
			c.nodes = append(c.nodes, ErrorNode{groups[i].Sample.Ref, g.Node.Ref, g.Node.Owners, g.Changed})
		}
	}
	return c, nil
}

// EventGraphs returns a list with the node of each error, and with the suspects: changes that may have caused the
// error. If the node of an error is unknown, the item of the error is nil. If the search for suspects takes too long,
// complete is false, and no item has suspects.
func (a *Asker) EventGraphs(ctx context.Context, r store.Run, base store.Baseline, errors []store.Event) (
	list []*EventGraph, complete bool) {
	ctx, cancel := context.WithTimeout(ctx, causesTime)
	defer cancel()
	list = make([]*EventGraph, len(errors))
	i := a.inspector(ctx, r, base)
	for at, e := range errors {
		list[at] = i.place(ctx, e)
	}
	var causes [][]Suspect
	for at, e := range errors {
		if list[at] == nil {
			causes = append(causes, nil)
			continue
		}
		causes = append(causes, i.suspects(ctx, e))
	}
	if ctx.Err() != nil {
		return list, false // return all suspects or none
	}
	for at, g := range list {
		if g != nil {
			g.Suspects = causes[at]
		}
	}
	return list, true
}

// MergeSuspects merges the suspects of several errors at one commit. Suspects are changes that may have caused an
// error. MergeSuspects returns at most three.
func MergeSuspects(list []*EventGraph) []Suspect {
	best := map[string]Suspect{}
	for _, g := range list {
		if g == nil {
			continue
		}
		for _, s := range g.Suspects {
			key := s.Commit + "\n" + s.Since
			if s.Kind != SuspectCommit {
				key += "\n" + s.Node
			}
			have, known := best[key]
			if named := have.named + 1; !known || s.Score > have.Score || s.Score == have.Score && s.how > have.how {
				s.named = named
				best[key] = s
			} else {
				have.named = named
				best[key] = have
			}
		}
	}
	var merged []Suspect
	for _, s := range best {
		merged = append(merged, s)
	}
	sort.Slice(merged, func(i, j int) bool { return merged[i].before(merged[j]) })
	return merged[:min(len(merged), maxSuspects)]
}
