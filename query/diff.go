package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// DiffParams select the runs to compare.
//
//   - Run1 and Run2: Diff compares these two runs.
//   - Only Run1: Diff compares the newest run of the same step with Run1.
//   - Only Run2, or neither: Diff compares Run2, or the newest run, with its baseline.
type DiffParams struct {
	Run1     string `json:"run1,omitempty" kind:"ref"`     // the earlier run
	Run2     string `json:"run2,omitempty" kind:"ref"`     // the later run; "" for the newest ended run
	Baseline string `json:"baseline,omitempty" kind:"ref"` // a run, branch or commit instead of Run1
	Source   string `json:"source,omitempty"`              // only this source; not together with Run2
	At              // selects Run2
	Limit    int    `json:"limit,omitempty"` // max errors in each list, 0 for all
}

// Diff holds the changes between two runs. If the question names both runs, then Run1, Run2, Unchanged and Baseline are
// not set.
type Diff struct {
	Summary   DiffSummary   `json:"summary" jsonschema:"counts: run1_errors, run2_errors, fixed, new, unchanged" schema:"open"`
	Fixed     []DiffEvent   `json:"fixed" jsonschema:"gone since run1" schema:"open"`
	New       []DiffEvent   `json:"new" jsonschema:"not in run1: ref, ref_file, message" schema:"open"`
	Unchanged []DiffEvent   `json:"unchanged,omitzero" jsonschema:"errors of both" schema:"open"`
	Run1      string        `json:"run1_ref,omitempty" jsonschema:"the run compared with"`
	Run2      string        `json:"run2_ref,omitempty" jsonschema:"the run in question"`
	Since     *DiffRun      `json:"since,omitempty" jsonschema:"run1: run_ref, started_at, git_commit, git_branch" schema:"open"`
	Until     *DiffRun      `json:"until,omitempty" jsonschema:"the same of run2" schema:"open"`
	Baseline  *BaselineNote `json:"baseline,omitempty" jsonschema:"how run1 was chosen, as in triage" schema:"open"`
	Note      string        `json:"note,omitempty" jsonschema:"limits of the comparison"`

	// Unexplained reports whether the result of Head needs an explanation: the errors of Head do not explain its
	// failure, or Head did not end by itself.
	Unexplained bool `json:"-"`
	// Base and Head are the compared runs. Base is zero if there is no baseline. In this case, Before is the call that
	// compares Head with the previous run, or nil if there is no previous run.
	Base   store.Ref   `json:"-"`
	Head   store.Ref   `json:"-"`
	Before *store.Call `json:"-"`
}

// BaselineNote names the baseline of a run, and the reason for this choice.
type BaselineNote struct {
	Kind   store.BaselineKind `json:"kind" jsonschema:"given, merge_base, base_branch, previous or none" enum:"given,merge_base,base_branch,previous,none"`
	RunRef string             `json:"run_ref,omitempty" jsonschema:"the run compared with"`
	Branch string             `json:"branch,omitempty" jsonschema:"base branch"`
	Commit string             `json:"commit,omitempty" jsonschema:"commit where the branches part"`
	Reason string             `json:"reason,omitempty" jsonschema:"why there is none: nothing is called new then"`
}

// newBaselineNote returns the note on a baseline.
func newBaselineNote(b store.Baseline) BaselineNote {
	n := BaselineNote{Kind: b.Kind, Branch: Clean(b.Branch), Commit: b.Commit, Reason: Clean(b.Reason)}
	if b.Found() {
		n.RunRef = b.Run.Ref().String()
	}
	return n
}

// DiffRun is the time, commit and branch of a compared run.
type DiffRun struct {
	Ref     string `json:"run_ref" jsonschema:"for other tools"`
	Started string `json:"started_at" jsonschema:"UTC"`
	Commit  string `json:"git_commit,omitempty" jsonschema:"commit"`
	Branch  string `json:"git_branch,omitempty" jsonschema:"branch"`
}

// newDiffRun returns the time and commit of a run, or nil for no run.
func newDiffRun(r store.Run) *DiffRun {
	if r.Attempt == "" {
		return nil
	}
	return &DiffRun{r.Ref().String(), stamp(r.StartedAt), r.Git.Commit, Clean(r.Git.Branch)}
}

// DiffSummary counts errors.
type DiffSummary struct {
	Run1      int `json:"run1_errors" jsonschema:"errors of run1"`
	Run2      int `json:"run2_errors" jsonschema:"errors of run2"`
	Fixed     int `json:"fixed" jsonschema:"gone since run1"`
	New       int `json:"new" jsonschema:"not in run1"`
	Unchanged int `json:"unchanged" jsonschema:"in both"`
}

// DiffEvent is an error in one of the runs. A fixed error has no reference, because the later run does not contain the
// error.
type DiffEvent struct {
	Ref     string `json:"ref,omitempty" jsonschema:"reference"`
	File    string `json:"ref_file,omitempty" jsonschema:"file"`
	Message string `json:"message" jsonschema:"message of the tool"`
	Line    int    `json:"-"`
}

// Diff compares the errors of two runs.
func (a *Asker) Diff(ctx context.Context, p DiffParams) (Diff, error) {
	if p.Run1 != "" && p.Baseline != "" {
		return Diff{}, store.Next(store.Errorf(store.Invalid,
			"a run and a baseline are given: only one of them can be compared with"),
			store.NewCall("diff", "or: blq diff build:5 --baseline main", "run1", "build:4", "run2", "build:5"))
	}
	if err := a.sweep(ctx); err != nil {
		return Diff{}, err
	}
	if p.Run1 != "" && p.Run2 != "" {
		return a.diffOf(ctx, p)
	}
	head, err := a.diffHead(ctx, p)
	if err != nil {
		return Diff{}, err
	}
	baseline := p.Baseline
	if p.Run1 != "" {
		baseline = p.Run1
	}
	b, c, err := a.Compare(ctx, head, baseline, p.Limit)
	if err != nil {
		return Diff{}, err
	}
	d := newDiff(b.Run, head, c)
	why := d.explain(b.Run, head)
	note := newBaselineNote(b)
	d.Run1, d.Run2, d.Baseline = note.RunRef, d.Head.String(), &note
	d.Unchanged = diffEvents(c.Unchanged, true)
	if !b.Found() {
		d.Note = why
		d.Before, err = a.before(ctx, head)
		return d, err
	}
	d.Note = notes(why, apart(b.Run, head), partialBase(b.Run), partial(head), cutShort(p.Limit, c.Counts))
	return d, nil
}

// diffOf compares two named runs.
func (a *Asker) diffOf(ctx context.Context, p DiffParams) (Diff, error) {
	base, err := a.runAt(ctx, At{Repo: p.Repo}, p.Run1)
	if err != nil {
		return Diff{}, err
	}
	head, err := a.runAt(ctx, p.At, p.Run2)
	if err != nil {
		return Diff{}, err
	}
	c, err := a.compare(ctx, base, head, p.Limit)
	d := newDiff(base, head, c)
	d.Note = notes(d.explain(base, head), apart(base, head), cutShort(p.Limit, c.Counts))
	return d, err
}

// explain sets Unexplained, and returns the explanation as text.
func (d *Diff) explain(base, head store.Run) string {
	why := unexplained(head, base, store.Changes{New: d.Summary.New, Unchanged: d.Summary.Unchanged})
	d.Unexplained = why != "" || !head.Ended()
	switch {
	case why != "":
		return d.Head.String() + ": " + why
	case d.Unexplained && base.Attempt == "":
		return partial(head)
	}
	return ""
}

// notes joins the texts that are not empty.
func notes(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "; ")
}

// apart returns a note that two runs belong to different steps, or "" if they belong to the same step.
func apart(base, head store.Run) string {
	if what := base.DiffersFrom(head); what != "" {
		return fmt.Sprintf("%s and %s are different steps: each has its own %s", base.Ref(), head.Ref(), what)
	}
	return ""
}

// ended returns the runs that a filter selects, newest first. The filter must select only ended runs. If base is not
// zero, ended returns only runs of the same step as base.
func (a *Asker) ended(ctx context.Context, f store.RunFilter, base store.Run) ([]store.Run, error) {
	if base.Attempt != "" {
		return store.RunsOfStep(ctx, a.reader(), a.Scope, base, f)
	}
	return a.reader().Runs(ctx, a.Scope, f)
}

// diffHead returns the later run of a comparison. If the question names no run, diffHead takes the newest ended run. If
// the newest run belongs to a matrix, diffHead returns the most urgent leg of the matrix.
func (a *Asker) diffHead(ctx context.Context, p DiffParams) (store.Run, error) {
	if p.Run2 != "" {
		return a.runAt(ctx, p.At, p.Run2)
	}
	f := store.RunFilter{Source: p.Source, State: store.StateCompleted, Limit: 1}
	if err := a.at(ctx, p.At, &f); err != nil {
		return store.Run{}, err
	}
	if p.Source != "" {
		if err := a.knownSource(ctx, p.Source); err != nil {
			return store.Run{}, err
		}
	}
	base := store.Run{}
	if p.Run1 != "" {
		var err error
		if base, err = a.runAt(ctx, At{Repo: p.Repo}, p.Run1); err != nil {
			return base, err
		}
	}
	runs, err := a.ended(ctx, f, base)
	switch {
	case err != nil:
		return store.Run{}, err
	case len(runs) == 0:
		place := "there"
		if p.At == (At{}) {
			place = "yet"
		}
		return store.Run{}, store.Next(
			store.Errorf(store.NotFound, "no run has ended %s, so there is nothing to compare", place),
			store.NewCall("history", "lists runs"))
	case runs[0].Attempt == base.Attempt:
		return store.Run{}, store.Next(store.Errorf(store.NotFound, "no run of %q is newer than %s", base.Source, base.Ref()),
			store.NewCall("diff", "compares it with its baseline", "source", base.Source))
	case base.Attempt != "" || runs[0].Leg() == "" || runs[0].Git.Commit == "":
		return runs[0], nil
	}
	return a.worstLeg(ctx, f, runs[0])
}

// before returns the call that compares a run with the previous run of its step, or nil if there is no previous run.
func (a *Asker) before(ctx context.Context, head store.Run) (*store.Call, error) {
	runs, err := store.RunsOfStep(ctx, a.reader(), a.Scope,
		head, store.RunFilter{State: store.StateCompleted, Before: head.Serial, Limit: 1})
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	c := store.NewCall("diff", "compares with the run before", "run1", runs[0].Ref(), "run2", head.Ref())
	return &c, nil
}

func newDiff(base, head store.Run, c store.Comparison) Diff {
	return Diff{
		Summary: DiffSummary{base.Errors, head.Errors, c.Counts.Fixed, c.Counts.New, c.Counts.Unchanged},
		Fixed:   diffEvents(c.Fixed, false), New: diffEvents(c.New, true), Base: base.Ref(), Head: head.Ref(),
		Since: newDiffRun(base), Until: newDiffRun(head),
	}
}

// diffEvents returns errors as a diff shows them. If refs is true, each error has its reference.
func diffEvents(events []store.RunEvent, refs bool) []DiffEvent {
	list := make([]DiffEvent, len(events))
	for i, e := range events {
		list[i] = DiffEvent{File: Clean(e.File), Message: Clean(title(e.Event)), Line: e.Line}
		if refs {
			list[i].Ref = e.Ref().Short()
		}
	}
	return list
}

// worstLeg returns the most urgent run of the matrix to which r belongs. It compares the runs of all legs at the commit
// of r.
func (a *Asker) worstLeg(ctx context.Context, f store.RunFilter, r store.Run) (store.Run, error) {
	f.Newest, f.Repo, f.Source, f.Commits, f.Limit = true, r.Repo, r.Source, []string{r.Git.Commit}, 0
	legs, err := a.reader().Runs(ctx, a.Scope, f)
	for _, leg := range legs {
		if leg.Shape == r.Shape && urgency(leg) > urgency(r) {
			r = leg
		}
	}
	return r, err
}
