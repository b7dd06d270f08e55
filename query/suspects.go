package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// Suspect is a change that may be the cause of an error.
type Suspect struct {
	Kind     string   `json:"kind" jsonschema:"commit, node, contract or uncommitted"`
	Commit   string   `json:"commit,omitempty" jsonschema:"of a commit"`
	Node     string   `json:"ref_id,omitempty" jsonschema:"node that it changed"`
	Since    string   `json:"since_commit,omitempty" jsonschema:"before the first of several commits that changed a node"`
	Score    int      `json:"score" jsonschema:"sum of the weights of its evidence"`
	Why      string   `json:"why" jsonschema:"evidence in words"`
	Message  string   `json:"message,omitempty" jsonschema:"of the commit"`
	Evidence []string `json:"evidence" jsonschema:"references for find and why"`

	age      int        // number of later changes
	how      alteration // how the change alters a symbol that the error's code uses
	steps    int        // symbols between the error's code and the altered symbol
	weak     bool       // the only reason is that the change touches the error's node
	named    int        // number of errors that the change may have caused
	contract [2]string  // domain and name of a changed contract
}

// These are the kinds of suspects.
const (
	SuspectCommit      = "commit"
	SuspectNode        = "node" // a node that several of the commits changed
	SuspectContract    = "contract"
	suspectUncommitted = "uncommitted"
)

// These are the points that make a suspect more or less suspicious.
const (
	pointsFile      = 4  // changes the file of the error
	pointsElsewhen  = 1  // changes a part of the error's file that is far from the error; the file is a test
	pointsSymbol    = 3  // changes a symbol that the error's code uses, directly or through other symbols
	pointsSameValue = 1  // only rewords such a symbol, or only adds a member to a type
	pointsUpstream  = 2  // changes the error's node, or a direct dependency of that node
	pointsFarther   = 1  // changes an indirect dependency of the error's node
	pointsWord      = 1  // the changed code contains a word from the error
	pointsNoCode    = -2 // changes only documents, comments and tests
)

// These limits bound the search for suspects.
const (
	maxSuspects      = 3
	maxSuspicious    = 40  // commits between the error and the baseline
	maxComparedFiles = 60  // number of changed files that are compared in each commit
	maxDividedFiles  = 300 // changed files of all nodes together, if the single commits are unknown
	maxComparedSize  = 1 << 20
	maxEvidence      = 4
)

// EventGraph is the place of an error in the architecture.
type EventGraph struct {
	Node     *GraphNode `json:"node,omitempty" jsonschema:"that has its file: ref_id, kind, owners"`
	Changed  []string   `json:"changed_upstream,omitempty" jsonschema:"nodes that it depends on and that changed since the baseline"`
	Docs     []string   `json:"docs,omitempty" jsonschema:"documents of the node"`
	Suspects []Suspect  `json:"suspects,omitempty" jsonschema:"changes that may be the cause: commit, ref_id, score, why, evidence"`
}

// inspector searches for the causes of a run's errors.
type inspector struct {
	asker *Asker
	run   store.Run
	head  *architecture
	near  *near
	steps []change // changes, newest first
	texts map[string][]string
	// altering holds, for each file, the changes that alter symbols of the file. A change is given by its index in
	// steps. The map is nil until the changes are compared.
	altering map[string][]int
}

// inspector returns an inspector for a run. It returns nil if the architecture at the run's commit is unknown. Without
// a baseline the inspector finds no suspects.
func (a *Asker) inspector(ctx context.Context, r store.Run, base store.Baseline) *inspector {
	if a.Docs == nil || a.Graphs == nil || r.Git.Commit == "" {
		return nil
	}
	at := DocsAt{Repo: r.Repo, At: r.Git.Commit}
	current := a.Docs.Local && r.Git.Dirty // the work tree may still be the same as in the run
	if current {
		at.At = ""
	}
	g, err := a.architecture(ctx, at)
	if err != nil || current && g.found.Commit != r.Git.Commit {
		return nil
	}
	i := &inspector{asker: a, run: r, head: g, near: newNear(g), texts: map[string][]string{}}
	if base.Found() && base.Run.Git.Commit != "" {
		i.steps = i.changes(ctx, base.Run.Git.Commit, current)
	}
	return i
}

// event returns the place of an error in the architecture, and the suspect changes. It returns nil if the place is
// unknown.
func (i *inspector) event(ctx context.Context, e store.Event) *EventGraph {
	out := i.place(ctx, e)
	if out != nil {
		out.Suspects = i.suspects(ctx, e)
	}
	return out
}

// place does the same as event, but without suspects.
func (i *inspector) place(ctx context.Context, e store.Event) *EventGraph {
	owner, away := i.upstream(ctx, e)
	if owner == nil {
		return nil
	}
	n := i.head.node(*owner)
	out := &EventGraph{Node: &n, Docs: []string{}, Changed: i.changedUpstream(away)}
	for _, d := range i.head.Documents(owner) {
		out.Docs = append(out.Docs, Clean(d.Path))
	}
	return out
}

// upstream returns the node that owns the file of an error, or nil if no node owns the file. The
// result away holds the nodes on which the owner depends, with their distances.
func (i *inspector) upstream(ctx context.Context, e store.Event) (owner *graph.Node, away map[string]int) {
	if i == nil || e.File == "" {
		return nil, nil
	}
	if owner = i.head.Owner(e.File); owner == nil {
		return nil, nil
	}
	away = map[string]int{}
	i.near.away(e.File, owner.Ref, func(f string) []string { return i.lines(ctx, f) }, away)
	for _, r := range i.head.Upstream(owner.Ref, whyDepth, whyNodes) {
		if have, known := away[r.Ref]; r.EdgeKind != "part_of" && (!known || r.Steps < have) {
			away[r.Ref] = r.Steps
		}
	}
	return owner, away
}

// changedUpstream returns at most ten changed nodes of the map away, nearest first (see upstream).
func (i *inspector) changedUpstream(away map[string]int) []string {
	changed := map[string]bool{}
	for _, c := range i.steps {
		for _, f := range c.files {
			if n := i.head.Owner(f); n != nil && away[n.Ref] > 0 {
				changed[n.Ref] = true
			}
		}
	}
	var list []string
	for ref := range changed {
		list = append(list, ref)
	}
	sort.Slice(list, func(i, k int) bool {
		a, b := list[i], list[k]
		return away[a] < away[b] || away[a] == away[b] && a < b
	})
	return cleanAll(list[:min(len(list), 10)])
}

// suspects returns at most three changes: the changes that most probably caused the error.
func (i *inspector) suspects(ctx context.Context, e store.Event) []Suspect {
	owner, away := i.upstream(ctx, e)
	uses := i.reach(ctx, e)
	var list []Suspect
	for at := range i.steps {
		j := judged{inspector: i, change: &i.steps[at], event: e, owner: owner, away: away, uses: uses[at]}
		if s := j.suspect(ctx); s.Score > 0 {
			s.age = at
			list = append(list, s)
		}
	}
	list = i.grouped(list)
	sort.SliceStable(list, func(i, j int) bool { return list[i].before(list[j]) })
	list = list[:min(len(list), maxSuspects)]
	for at := range list {
		list[at].Message = i.message(ctx, list[at].Commit)
	}
	return list
}

// before reports whether suspect s comes before the other suspect in an answer.
func (s Suspect) before(other Suspect) bool {
	return cmp.Or(other.Score-s.Score, int(other.how-s.how), other.named-s.named, s.steps-other.steps, s.age-other.age,
		strings.Compare(s.Commit, other.Commit), strings.Compare(s.Node, other.Node)) < 0
}

// grouped replaces several commits by the node that they all change. It does so only if the change of that node is the
// only reason to suspect the commits. Then none of the commits is more suspicious than the other commits.
func (i *inspector) grouped(list []Suspect) []Suspect {
	type key struct {
		node  string
		score int
	}
	of := map[key][]Suspect{}
	for _, s := range list { // the list is sorted by age, newest first
		if s.weak && s.Kind == SuspectCommit {
			k := key{s.Node, s.Score}
			of[k] = append(of[k], s)
		}
	}
	var out []Suspect
	for _, s := range list {
		same := of[key{s.Node, s.Score}]
		switch {
		case !s.weak || s.Kind != SuspectCommit || len(same) < 2:
			out = append(out, s)
		case same[0].Commit == s.Commit:
			s.Kind, s.Commit, s.Since = SuspectNode, "", i.steps[same[len(same)-1].age].base
			s.Why = fmt.Sprintf("%s, in %d commits of which none stands out", s.Why, len(same))
			for _, other := range same[1:] {
				s.Evidence = append(s.Evidence, other.Evidence...)
			}
			s.Evidence = s.Evidence[:min(len(s.Evidence), maxEvidence)]
			out = append(out, s)
		}
	}
	return out
}

// message returns the first line of a commit's message. It returns "" if it does not find the commit in a work tree on
// this machine.
func (i *inspector) message(ctx context.Context, commit string) string {
	root := i.asker.root(i.run)
	if i.asker.Git == nil || root == "" || commit == "" {
		return ""
	}
	for _, c := range i.steps {
		if c.commit != commit {
			continue
		}
		recent, err := i.asker.Git.RecentCommits(ctx, root, c.files[0], 20)
		if err != nil {
			return ""
		}
		for _, r := range recent {
			if r.Hash != "" && strings.HasPrefix(commit, r.Hash) {
				return clip(Clean(r.Message), 100)
			}
		}
	}
	return ""
}

// read returns the text of a file in a set.
func (i *inspector) read(ctx context.Context, set facts.Set, path string) ([]byte, error) {
	if set == nil {
		return nil, noFacts()
	}
	at, found := slices.BinarySearchFunc(set.Files(), path, func(f facts.File, path string) int {
		return strings.Compare(f.Path, path)
	})
	if !found || set.Files()[at].Size > maxComparedSize {
		return nil, store.Errorf(store.NotFound, "no file %s", path)
	}
	return set.Read(ctx, set.Files()[at])
}

// isCode reports whether a file is code and not a test.
func isCode(file string) bool {
	lower := strings.ToLower(file)
	base := lower[strings.LastIndexByte(lower, '/')+1:]
	stem, _, _ := strings.Cut(base, ".")
	if camel, _, _ := strings.Cut(file[len(file)-len(base):], "."); strings.HasSuffix(camel, "Test") ||
		strings.HasSuffix(camel, "Tests") || strings.HasSuffix(camel, "Spec") {
		return false
	}
	if strings.HasPrefix(base, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") ||
		strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || strings.HasSuffix(stem, "tests") {
		return false
	}
	for part := range strings.SplitSeq(lower[:len(lower)-len(base)], "/") {
		if part == "test" || part == "tests" || part == "__tests__" || part == "spec" || part == "testdata" {
			return false
		}
	}
	return true
}

// identifiers calls a function for every identifier in a text.
func identifiers(text []byte, each func(string)) {
	from := -1
	for at := 0; at <= len(text); at++ {
		inside := at < len(text) && (text[at] == '_' || text[at] >= 0x80 || text[at]|0x20 >= 'a' && text[at]|0x20 <= 'z' ||
			from >= 0 && text[at] >= '0' && text[at] <= '9')
		switch {
		case inside && from < 0:
			from = at
		case !inside && from >= 0:
			each(string(text[from:at]))
			from = -1
		}
	}
}
