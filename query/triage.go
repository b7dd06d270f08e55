package query

import (
	"cmp"
	"context"

	"github.com/blq-ci/blq/store"
)

// TriageParams select the run to explain.
type TriageParams struct {
	Ref    string `json:"ref,omitempty" kind:"ref"` // a run; "" for the most urgent failed run
	Source string `json:"source,omitempty"`         // only this source
	// without Ref: only runs that started at this time or later, in RFC 3339
	Since    string   `json:"since,omitempty"`
	At                // without Ref: selects the run
	Baseline string   `json:"baseline,omitempty" kind:"ref"` // a run, branch or commit; "" for the default
	MaxBytes int      `json:"max_bytes,omitempty"`           // max size of the answer as JSON, 0 for TriageBytes
	Commands []string `json:"commands,omitempty"`            // names of registered commands that can run again
	Docs     bool     `json:"docs,omitempty"`                // documentation that mentions the errors
	Graph    bool     `json:"graph,omitempty"`               // nodes and possible causes of new errors
}

// TriageBytes is the default and the max size of an answer as JSON, in bytes.
const TriageBytes = 8000

// Triage explains a failed run: the failures, the new errors, the reasons why other errors are known, and the next
// steps.
type Triage struct {
	RunRef    string       `json:"run_ref" jsonschema:"run"`
	URL       string       `json:"url,omitempty" jsonschema:"its page" schema:"unlisted"`
	Cmd       string       `json:"cmd,omitempty" jsonschema:"its command"`
	Status    store.Status `json:"status" jsonschema:"as in status"`
	ExitCode  *int         `json:"exit_code,omitempty" jsonschema:"of the command"`
	Signal    string       `json:"signal,omitempty" jsonschema:"that ended it"`
	Verdict   string       `json:"verdict" jsonschema:"all of this in a sentence"`
	Counts    TriageCounts `json:"counts" jsonschema:"error_count, warning_count, new, known, fixed" schema:"open"`
	Branch    string       `json:"git_branch,omitempty" jsonschema:"branch"`
	Commit    string       `json:"git_commit,omitempty" jsonschema:"commit"`
	Dirty     bool         `json:"git_dirty,omitempty" jsonschema:"uncommitted"`
	Changed   []string     `json:"dirty_files,omitempty" jsonschema:"of errors"`
	Baseline  BaselineNote `json:"baseline" jsonschema:"kind, run_ref, branch, commit, reason" schema:"open"`
	Previous  *OtherRun    `json:"previous,omitempty" jsonschema:"run before on this branch" schema:"open"`
	New       []ErrorGroup `json:"new,omitempty" jsonschema:"errors that the baseline lacks, look-alikes as one: count, also, sample: ref, location, message, code, test_name, tool_name, category, log" schema:"open"`
	Errors    []ErrorGroup `json:"errors,omitempty" jsonschema:"in place of new, without a baseline" schema:"open"`
	Known     []ErrorGroup `json:"known,omitempty" jsonschema:"as new, with flaky, on_base, first_seen" schema:"open"`
	Tail      string       `json:"tail,omitempty" jsonschema:"end of the log if errors do not tell"`
	Docs      []Mention    `json:"docs,omitempty" jsonschema:"docs: ref, heading, word" schema:"open"`
	Nodes     []ErrorNode  `json:"nodes,omitempty" jsonschema:"of new errors: ref, ref_id, owners, changed_upstream" schema:"unlisted"`
	Suspects  []Suspect    `json:"suspects,omitempty" jsonschema:"changes that may be the cause: commit, ref_id, score, why, evidence" schema:"unlisted"`
	Others    []OtherRun   `json:"others,omitempty" jsonschema:"newest runs of other steps, not OK: run_ref, status, error_count" schema:"open"`
	NextSteps []store.Call `json:"next_steps,omitempty" jsonschema:"calls to go on with: tool, arguments, why" schema:"open"`
	Truncated []Omission   `json:"truncated,omitempty" jsonschema:"left out: call to get it"`

	Unasked
	contract *Suspect // the changed contract, if nothing else is suspect
	hurried  bool     // the search for suspects took too long
	unnamed  int      // number of runs that are not OK and that Others does not list
	near     around
}

// TriageCounts holds the numbers of errors and warnings.
type TriageCounts struct {
	Errors   int  `json:"error_count" jsonschema:"all errors"`
	Warnings int  `json:"warning_count" jsonschema:"warnings"`
	New      *int `json:"new,omitempty" jsonschema:"errors not in the baseline, not flaky"`
	Known    *int `json:"known,omitempty" jsonschema:"the other errors"`
	Fixed    *int `json:"fixed,omitempty" jsonschema:"errors of the baseline that are gone"`
}

// OtherRun is another run in brief.
type OtherRun struct {
	RunRef string       `json:"run_ref" jsonschema:"run"`
	Status store.Status `json:"status" jsonschema:"outcome"`
	Errors int          `json:"error_count" jsonschema:"its errors"`
	// Branch is set if the newest run of the run's step is on another branch.
	Branch string `json:"git_branch,omitempty"`
	// LeftOut is the reason why the run does not count: its step is retired.
	LeftOut string `json:"left_out,omitempty" jsonschema:"reason why it does not count"`
}

// Triage explains a failed run: the failures, the new errors, the reasons why other errors are known, and the next
// steps. Without a reference, it selects the newest failed run among the newest runs of all sources. NotFound: there
// is no such run, or there are no runs.
func (a *Asker) Triage(ctx context.Context, p TriageParams) (Triage, error) {
	a = a.once()
	if err := a.sweep(ctx); err != nil {
		return Triage{}, err
	}
	r, near, err := a.matters(ctx, p)
	if err != nil {
		return Triage{}, err
	}
	t := Triage{
		RunRef: r.Ref().String(), URL: a.PageOf(r.Ref()), Cmd: clip(Clean(r.Command), 300), Status: r.Status(),
		ExitCode: r.ExitCode, Signal: r.Signal,
		Counts: TriageCounts{Errors: r.Errors, Warnings: r.Warnings}, Branch: Clean(r.Git.Branch), Commit: r.Git.Commit,
		Others: near.others[:min(len(near.others), maxOthers)], unnamed: max(0, len(near.others)-maxOthers), near: near,
	}
	if err := a.explain(ctx, &t, r, p); err != nil {
		return Triage{}, err
	}
	if t.Dirty, t.Changed, err = a.dirty(ctx, r); err != nil {
		return Triage{}, err
	}
	if p.Docs {
		t.Docs = a.mentions(ctx, r, t.toMention()...)
	}
	if p.Graph && len(t.New) > 0 {
		found, err := a.causes(ctx, r, p.Baseline, t.New)
		if err != nil {
			return Triage{}, err
		}
		t.Nodes, t.Suspects, t.hurried = found.nodes, found.suspects, !found.complete
	}
	if err := a.contracts(ctx, &t, r, p); err != nil {
		return Triage{}, err
	}
	t.Verdict = t.verdict(r, p.Ref != "" || p.Source != "")
	inTop := r
	inTop.Git.Root = cmp.Or(r.Git.Root, a.Root)
	t.NextSteps = t.steps(inTop, p)
	t.blame()
	if t.Unasked, err = a.unasked(ctx, r.Repo); err != nil {
		return Triage{}, err
	}
	t.fit(r, p.MaxBytes)
	return t, nil
}

// explain adds the new and known errors of the run. It also adds the end of the log if the run timed out, or if the run
// ended without success and no error says why.
func (a *Asker) explain(ctx context.Context, t *Triage, r store.Run, p TriageParams) error {
	base, err := a.baseline(ctx, r, p.Baseline)
	if err != nil {
		return err
	}
	s, err := a.sift(ctx, r, base, Sorting{})
	if err != nil {
		return err
	}
	t.Baseline = newBaselineNote(s.base)
	t.Previous = s.previous()
	fresh, n, k := t.list(s.base), s.counts.New, s.others()
	if s.base.Found() {
		t.Counts.New, t.Counts.Known, t.Counts.Fixed = &n, &k, &s.counts.Fixed
	}
	if *fresh, err = s.groups(ctx, s.fresh, n, n > 0); err != nil {
		return err
	}
	known := append(s.excused, s.unchanged...)
	s.onBaseline(s.unchanged)
	if t.Known, err = s.groups(ctx, known, k, n == 0); err != nil {
		return err
	}
	if t.Status == store.StatusTimeout || t.Status != store.StatusOK && t.Status != store.StatusRunning &&
		wordless(s.fresh, known) {
		t.Tail, err = a.telling(ctx, r)
	}
	return err
}

// list returns a pointer to the list for errors that the baseline does not have. Without a baseline it returns a
// pointer to the list of all errors.
func (t *Triage) list(base store.Baseline) *[]ErrorGroup {
	if base.Found() {
		return &t.New
	}
	return &t.Errors
}
