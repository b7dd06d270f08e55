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
	Commit   string   `json:"commit,omitempty" jsonschema:"none for uncommitted changes"`
	Node     string   `json:"ref_id,omitempty" jsonschema:"node that it changed"`
	Score    int      `json:"score" jsonschema:"sum of what speaks for it"`
	Why      string   `json:"why" jsonschema:"what speaks for it"`
	Message  string   `json:"message,omitempty" jsonschema:"of the commit"`
	Evidence []string `json:"evidence" jsonschema:"references for find and why"`

	age      int       // number of changes after it
	contract [2]string // domain and contract, if it is a change of that
}

// These are the points of what speaks for a change, and against it.
const (
	pointsFile     = 4  // it touches the file of the error
	pointsSymbol   = 3  // it changes a symbol that the code of the error uses, itself or over others
	pointsUpstream = 2  // it changes the node of the error, or one that this depends on
	pointsFarther  = 1  // likewise, over other nodes
	pointsNoCode   = -2 // it changes documents and tests only
)

// These bound the search for suspects.
const (
	maxSuspects      = 3
	maxSuspicious    = 40 // commits from the error to the baseline
	maxComparedFiles = 60 // changed files of a commit whose symbols are compared
	maxComparedSize  = 1 << 20
	maxEvidence      = 4
)

// EventGraph is where an error stands in the architecture.
type EventGraph struct {
	Node     *GraphNode `json:"node,omitempty" jsonschema:"that has its file: ref_id, kind, owners"`
	Changed  []string   `json:"changed_upstream,omitempty" jsonschema:"nodes that it depends on and that changed since the baseline"`
	Docs     []string   `json:"docs,omitempty" jsonschema:"documents of the node"`
	Suspects []Suspect  `json:"suspects,omitempty" jsonschema:"changes that may be the cause: commit, ref_id, score, why, evidence"`
}

// inspector looks for the causes of errors of a run.
type inspector struct {
	asker *Asker
	run   store.Run
	head  *architecture
	steps []change              // newest first
	names []map[string][]string // by change, the names of altered symbols by file; nil until they are needed
}

// change is what a commit changed, compared with the commit before it whose facts are known.
type change struct {
	commit       string // "" for uncommitted changes
	before, head facts.Set
	files        []string // source files that differ
}

// inspector returns what looks for the causes of errors of a run, nil if the architecture at its commit is not known.
// Without a baseline there are no suspects.
func (a *Asker) inspector(ctx context.Context, r store.Run, base store.Baseline) *inspector {
	if a.Docs == nil || a.Graphs == nil || r.Git.Commit == "" {
		return nil
	}
	at := DocsAt{Repo: r.Repo, At: r.Git.Commit}
	current := a.Docs.Local && r.Git.Dirty // the work tree may still be as the run saw it
	if current {
		at.At = ""
	}
	g, err := a.architecture(ctx, at)
	if err != nil || current && g.found.Commit != r.Git.Commit {
		return nil
	}
	i := &inspector{asker: a, run: r, head: g}
	if base.Found() && base.Run.Git.Commit != "" {
		i.steps = i.changes(ctx, base.Run.Git.Commit, current)
	}
	return i
}

// changes returns what was changed from a commit to that of the run, commit by commit as far as their facts are known.
func (i *inspector) changes(ctx context.Context, base string, current bool) []change {
	l := i.head.library
	at := func(name string, back int) (facts.Found, bool) {
		f, err := l.Facts.At(ctx, facts.Query{Repo: l.repo, At: name, Kind: store.FactCode, Back: back})
		return f, err == nil
	}
	first, known := at(base, 0)
	if !known {
		return nil
	}
	var list []change
	add := func(commit string, before, head facts.Set) {
		if files := changedFiles(before, head); len(files) > 0 {
			list = append(list, change{commit, before, head, files})
		}
	}
	newer, known := at(i.run.Git.Commit, 0)
	if !known {
		return nil
	}
	if current {
		if tree, known := at("", 0); known {
			add("", newer.Set, tree.Set)
		}
	}
	for back := 1; newer.Pin() != first.Pin() && back <= maxSuspicious; back++ {
		older, known := at(i.run.Git.Commit, back)
		if !known {
			break
		}
		if older.Pin() == newer.Pin() {
			continue
		}
		add(newer.Pin(), older.Set, newer.Set)
		newer = older
	}
	if newer.Pin() != first.Pin() { // the baseline is on another line: all that differs is one change
		all, _ := at(i.run.Git.Commit, 0)
		list = list[:0]
		add(all.Pin(), first.Set, all.Set)
	}
	return list
}

// changedFiles returns the paths of the files in which two sets differ, sorted.
func changedFiles(before, after facts.Set) []string {
	had := digests(before)
	var list []string
	for _, f := range after.Files() {
		if had[f.Path] != f.Digest {
			list = append(list, f.Path)
		}
		delete(had, f.Path)
	}
	for path := range had {
		list = append(list, path)
	}
	slices.Sort(list)
	return list
}

// event returns where an error stands, nil if that is not known.
func (i *inspector) event(ctx context.Context, e store.Event) *EventGraph {
	out := i.place(e)
	if out != nil {
		out.Suspects = i.suspects(ctx, e)
	}
	return out
}

// place returns where an error stands without the suspects, nil if that is not known.
func (i *inspector) place(e store.Event) *EventGraph {
	owner, away := i.upstream(e)
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

// upstream returns the node that has the file of an error, nil for none, and the distances of the nodes that it depends
// on.
func (i *inspector) upstream(e store.Event) (owner *graph.Node, away map[string]int) {
	if i == nil || e.File == "" {
		return nil, nil
	}
	if owner = i.head.Owner(e.File); owner == nil {
		return nil, nil
	}
	away = map[string]int{}
	for _, r := range i.head.Upstream(owner.Ref, whyDepth, whyNodes) {
		if r.EdgeKind != "part_of" {
			away[r.Ref] = r.Steps
		}
	}
	return owner, away
}

// changedUpstream returns the nodes upstream that changed, nearest first.
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
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(away[a]-away[b], strings.Compare(a, b)) })
	return cleanAll(list[:min(len(list), 10)])
}

// suspects returns the changes that speak most for themselves as the cause of an error, at most three.
func (i *inspector) suspects(ctx context.Context, e store.Event) []Suspect {
	owner, away := i.upstream(e)
	uses := i.reach(ctx, e)
	var list []Suspect
	for at := range i.steps {
		j := judged{inspector: i, change: &i.steps[at], event: e, owner: owner, away: away, uses: uses[at]}
		if s := j.suspect(); s.Score > 0 {
			s.age = at
			list = append(list, s)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Score > list[j].Score })
	list = list[:min(len(list), maxSuspects)]
	for at := range list {
		list[at].Message = i.message(ctx, list[at].Commit)
	}
	return list
}

// message returns the first line of the message of a commit, "" if it is not known here.
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

// read returns the text of a file of a set.
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

// judged weighs one change against one error.
type judged struct {
	*inspector
	change *change
	event  store.Event
	owner  *graph.Node
	away   map[string]int
	uses   *reached
}

// suspect adds up what speaks for a change.
func (j judged) suspect() Suspect {
	s := Suspect{Commit: j.change.commit, Evidence: []string{}}
	var reasons []string
	speak := func(points int, file, format string, args ...any) {
		s.Score += points
		reasons = append(reasons, fmt.Sprintf(format, args...))
		if file == "" {
			return
		}
		if ref := j.citation(file); len(s.Evidence) < maxEvidence && !slices.Contains(s.Evidence, ref) {
			s.Evidence = append(s.Evidence, ref)
		}
	}
	if slices.Contains(j.change.files, j.event.File) {
		speak(pointsFile, j.event.File, "touches %s", j.event.File)
		s.Node = Clean(j.owner.Ref)
	}
	if u := j.uses; u != nil {
		speak(pointsSymbol, u.file, "%s", u.why(j.event.File))
		if n := j.head.Owner(u.file); n != nil {
			s.Node = Clean(n.Ref)
		}
	}
	node, file, steps := j.nearest()
	switch {
	case file == "":
	case steps == 0:
		speak(pointsUpstream, file, "changes %s, which has the error", node)
	case steps == 1:
		speak(pointsUpstream, file, "changes %s, which %s depends on", node, j.owner.Ref)
	default:
		speak(pointsFarther, file, "changes %s, which %s depends on over others", node, j.owner.Ref)
	}
	if file != "" && s.Node == "" {
		s.Node = Clean(node)
	}
	if s.Score > 0 && !slices.ContainsFunc(j.change.files, isCode) {
		speak(pointsNoCode, "", "but only documents and tests")
	}
	s.Why = clip(Clean(strings.ReplaceAll(strings.Join(reasons, "; "), "\n", " ")), 300)
	return s
}

// citation returns the reference of a changed file, pinned to the commit.
func (j judged) citation(file string) string {
	pin := ""
	if j.change.commit != "" {
		pin = "@" + short(j.change.commit)
	}
	return Clean("code" + pin + "/" + file + ":1")
}

// nearest returns the changed node that is nearest upstream of the owner, or the owner itself, with one of its changed
// files that is no test.
func (j judged) nearest() (node, file string, steps int) {
	for _, f := range j.change.files {
		n := j.head.Owner(f)
		if n == nil || !isCode(f) {
			continue
		}
		away, upstream := j.away[n.Ref]
		if n.Ref == j.owner.Ref {
			away, upstream = 0, true
		}
		if upstream && (file == "" || away < steps) {
			node, file, steps = n.Ref, f, away
		}
	}
	return node, file, steps
}

// isCode reports whether a file is no test.
func isCode(file string) bool {
	lower := strings.ToLower(file)
	base := lower[strings.LastIndexByte(lower, '/')+1:]
	stem, _, _ := strings.Cut(base, ".")
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

// identifiers calls each with the identifiers of a text.
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
