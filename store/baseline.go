package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// BaselineKind says how a baseline was found.
type BaselineKind string

// These are the kinds of baselines.
const (
	BaselineGiven     BaselineKind = "given"       // the caller named it
	BaselineMergeBase BaselineKind = "merge_base"  // a run at the merge base
	BaselineBranch    BaselineKind = "base_branch" // the newest earlier run of the base branch
	BaselinePrevious  BaselineKind = "previous"    // the previous run on the default branch
	BaselineNone      BaselineKind = "none"        // there is no baseline
)

// Baseline is the run with which another run is compared. If there is no baseline, no error is new.
type Baseline struct {
	Kind   BaselineKind
	Run    Run    // zero for BaselineNone
	Branch string // the base branch, "" if unknown
	Commit string // hash of the merge base, "" if unknown
	Reason string // for BaselineNone: the reason in one sentence
}

// Found reports whether there is a baseline.
func (b Baseline) Found() bool { return b.Kind != BaselineNone && b.Kind != "" }

// ErrShallow is the cause of a NotFound error about the history in a shallow clone. A full clone may have the missing
// commits.
var ErrShallow = errors.New("in a shallow clone")

// Ancestry reads the history of repositories.
type Ancestry interface {
	// DefaultBranch returns the name of the default branch, or "" if it is unknown.
	DefaultBranch(ctx context.Context, repo string) (string, error)
	// Ancestors returns the merge base of commit and base, and the commits before the merge base, newest first. It
	// returns at most n commits. The parameter base is a branch or a commit. NotFound: there is no merge base, or a
	// commit is unknown. In a shallow clone, this error wraps ErrShallow.
	Ancestors(ctx context.Context, repo, commit, base string, n int) ([]string, error)
}

// RunReader is the part of a Store that FindBaseline needs.
type RunReader interface {
	Run(ctx context.Context, sc Scope, ref Ref) (Run, error)
	Runs(ctx context.Context, sc Scope, f RunFilter) ([]Run, error)
}

const (
	maxAncestors   = 500  // max commits before the merge base to search
	nearestCommits = 20   // number of these commits to search first
	maxOvertaken   = 5000 // number of serials after the head's serial in which to search for late runs
	maxBefore      = 50   // max earlier runs to read; some of them may belong to the head's own workflow execution
)

// FindBaseline returns the run with which the run head is compared. The candidates are the runs that RunFilter.Baseline
// selects and that may be compared with head (see Step.Compares). Runs of the same workflow execution as head are not
// candidates.
//
// The base branch is the base of the pull request, or else the default branch. If head is on the base branch, the
// baseline is the newest earlier candidate on that branch. If head has neither a branch nor a commit, the baseline is
// the newest earlier candidate. On another branch, the baseline is the first of these runs that exists:
//
//   - a clean run at the merge base with the base branch, preferably a run of the base branch itself;
//   - a clean run of the base branch at the nearest earlier commit;
//   - a run of the base branch with uncommitted changes, at the merge base or at the nearest earlier commit.
//
// If the history is unknown, or g is nil, the baseline is a clean run at the base commit that the CI system reports. If
// there is no such run, the baseline is the newest run of the base branch that started before head, preferably a clean
// run.
//
// The parameter ref names another baseline: a run, a commit or a branch. For a commit or a branch, the baseline is the
// newest run there. ref is "" if the caller names no baseline. NotFound: ref names nothing, or there is no run of this
// step at the commit or on the branch. Invalid: ref matches several runs.
func FindBaseline(ctx context.Context, runs RunReader, sc Scope, head Run, ref string, g Ancestry) (Baseline, error) {
	s := baselineSearch{runs: runs, sc: sc, head: head, g: g}
	if ref != "" {
		return s.given(ctx, ref)
	}
	b, err := s.find(ctx)
	if err == nil && !b.Found() {
		b.Reason, err = s.reasonForNone(ctx, b)
	}
	return b, err
}

// find returns the baseline of the head if the caller names no baseline.
func (s *baselineSearch) find(ctx context.Context) (Baseline, error) {
	if s.head.Git.Branch == "" && s.head.Git.Commit == "" && !s.isProposal() {
		return s.previous(ctx, "")
	}
	base, err := s.baseBranch(ctx)
	switch {
	case err != nil:
		return Baseline{}, err
	case base == "":
		return s.none("nothing says which branch %s belongs to, or is to be merged into", s.head.Ref()), nil
	case base == s.head.Git.Branch && !s.isProposal():
		return s.previous(ctx, base)
	}
	return s.across(ctx, base)
}

// baselineSearch looks for the baseline of the run in the field head. It considers only runs that the scope allows.
type baselineSearch struct {
	runs RunReader
	sc   Scope
	head Run
	g    Ancestry
}

// isProposal reports whether the head belongs to a pull request or to a fork. A fork's branch is not the base branch,
// even if both have the same name.
func (s *baselineSearch) isProposal() bool {
	return s.head.CI != nil && (s.head.CI.PR > 0 || s.head.CI.Fork)
}

// baseBranch returns the branch into which the head's branch will be merged, or "" if that branch is unknown. As a last
// resort, it returns main or master, if that branch has runs.
func (s *baselineSearch) baseBranch(ctx context.Context) (string, error) {
	if s.head.CI != nil && s.head.CI.BaseRef != "" {
		return s.head.CI.BaseRef, nil
	}
	if s.g != nil {
		name, err := s.g.DefaultBranch(ctx, s.head.Repo)
		if err != nil && CodeOf(err) != NotFound {
			return "", fmt.Errorf("default branch: %w", err)
		}
		if err == nil && name != "" {
			return name, nil
		}
	}
	usual := []string{"main", "master"}
	if slices.Contains(usual, s.head.Git.Branch) {
		return s.head.Git.Branch, nil
	}
	for _, name := range usual {
		found, err := s.runs.Runs(ctx, s.sc, RunFilter{Repo: s.head.Repo, Branch: name, Limit: 1})
		if err != nil || len(found) > 0 {
			return name, err
		}
	}
	return "", nil
}

// previous returns the newest run on a branch with a lower serial than the head. The branch "" means any branch.
func (s *baselineSearch) previous(ctx context.Context, branch string) (Baseline, error) {
	found, err := s.candidates(ctx, RunFilter{Branch: branch, Before: s.head.Serial, Limit: maxBefore})
	if err != nil {
		return Baseline{}, err
	}
	found = slices.DeleteFunc(found, s.inOtherWorkflow)
	if len(found) == 0 {
		b := s.none("no %s before %s", s.describe(branch), s.head.Ref())
		b.Branch = branch
		return b, nil
	}
	return Baseline{Kind: BaselinePrevious, Run: found[0], Branch: branch}, nil
}

// inOtherWorkflow reports whether a run belongs to another workflow than the head. Two workflows may run the same
// command at the same commit, and then neither run is the previous run of the other.
func (s *baselineSearch) inOtherWorkflow(r Run) bool {
	return r.CI != nil && s.head.CI != nil && r.CI.Workflow != s.head.CI.Workflow
}

// isBeside reports whether a run belongs to the same execution of the workflow as the head, and has the same commit. An
// example is a run in another attempt of the head's job.
func (s *baselineSearch) isBeside(r Run) bool {
	return r.CI != nil && s.head.CI != nil && r.CI.RunID != "" && r.CI.Provider == s.head.CI.Provider &&
		r.CI.RunID == s.head.CI.RunID && r.Git.Commit == s.head.Git.Commit
}

// across returns the baseline of a head that is not on the base branch.
func (s *baselineSearch) across(ctx context.Context, base string) (Baseline, error) {
	commits, err := s.ancestors(ctx, base)
	if err != nil {
		return Baseline{}, err
	}
	b := Baseline{Branch: base}
	if len(commits) == 0 {
		return s.unknownHistory(ctx, b)
	}
	b.Commit = commits[0]
	if b.Run, err = s.atMergeBase(ctx, base, b.Commit); err != nil {
		return Baseline{}, err
	}
	if b.Run.Attempt != "" {
		b.Kind = BaselineMergeBase
		return b, nil
	}
	if s.isMerged(b.Commit) {
		commits = commits[1:]
	}
	for _, clean := range []bool{true, false} {
		if b.Run, err = s.nearest(ctx, base, commits, clean); err != nil {
			return Baseline{}, err
		}
		if b.Run.Attempt != "" {
			b.Kind = BaselineBranch
			return b, nil
		}
	}
	b.Kind, b.Reason = BaselineNone, fmt.Sprintf("no %s at or before the merge base, %.9s", s.describe(base), b.Commit)
	return b, nil
}

// ancestors returns the merge base and the commits before the merge base. It returns nil if the history is unknown.
func (s *baselineSearch) ancestors(ctx context.Context, base string) ([]string, error) {
	if s.g == nil || s.head.Git.Commit == "" {
		return nil, nil
	}
	commits, err := s.g.Ancestors(ctx, s.head.Repo, s.head.Git.Commit, base, maxAncestors)
	if CodeOf(err) == NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", base, err)
	}
	return commits, nil
}

// isMerged reports whether the base branch contains the head's commit, and the head has no uncommitted changes. In that
// case another run at the same commit may be a repetition of the head. A comparison with a repetition would not show
// the changes of the head's branch.
func (s *baselineSearch) isMerged(mergeBase string) bool {
	return mergeBase == s.head.Git.Commit && !s.head.Git.Dirty
}

// atMergeBase returns a clean run at the merge base. The first choice is the newest run of the base branch. The second
// choice is the newest run of another branch. The last choice is the oldest run of the head's own branch, because later
// runs of that branch may have had files that git ignores.
func (s *baselineSearch) atMergeBase(ctx context.Context, base, commit string) (Run, error) {
	at := RunFilter{Commits: []string{commit}, Clean: true}
	if s.isMerged(commit) { // only earlier runs of the base branch are candidates
		at.Branch, at.Before = base, s.head.Serial
		return s.newest(ctx, at)
	}
	found, err := s.candidates(ctx, at)
	var other, own Run
	for _, r := range found {
		switch {
		case r.Git.Branch == base:
			return r, err
		case r.Git.Branch == s.head.Git.Branch:
			own = r
		case other.Attempt == "":
			other = r
		}
	}
	if other.Attempt != "" {
		return other, err
	}
	return own, err
}

// nearest looks for the first of the commits at which the base branch has a run. It returns the newest run there. It
// looks at the first commits before the others, because these may have many runs.
func (s *baselineSearch) nearest(ctx context.Context, base string, commits []string, clean bool) (Run, error) {
	first := min(len(commits), nearestCommits)
	for _, part := range [][]string{commits[:first], commits[first:]} {
		if len(part) == 0 {
			continue
		}
		if r, err := s.nearestOf(ctx, base, part, clean); err != nil || r.Attempt != "" {
			return r, err
		}
	}
	return Run{}, nil
}

func (s *baselineSearch) nearestOf(ctx context.Context, base string, commits []string, clean bool) (Run, error) {
	found, err := s.candidates(ctx, RunFilter{Branch: base, Commits: commits, Clean: clean})
	best, at := Run{}, len(commits)
	for _, r := range found { // the newest run comes first
		if i := slices.Index(commits, r.Git.Commit); i >= 0 && i < at {
			best, at = r, i
		}
	}
	return best, err
}

// unknownHistory returns the baseline if the history is unknown. It uses the base commit from the CI system, or else
// the order of the runs. b holds the fields of the baseline that are already known.
func (s *baselineSearch) unknownHistory(ctx context.Context, b Baseline) (Baseline, error) {
	var err error
	if ci := s.head.CI; ci != nil && ci.BaseSHA != "" && ci.BaseSHA != s.head.Git.Commit {
		if b.Run, err = s.newest(ctx, RunFilter{Commits: []string{ci.BaseSHA}, Clean: true}); err != nil {
			return Baseline{}, err
		}
	}
	for _, clean := range []bool{true, false} {
		if b.Run.Attempt != "" {
			break
		}
		if b.Run, err = s.newest(ctx, RunFilter{Branch: b.Branch, Before: s.head.Serial, Clean: clean}); err != nil {
			return Baseline{}, err
		}
	}
	b.Kind = BaselineBranch
	if b.Run.Attempt == "" {
		b.Kind, b.Reason = BaselineNone, fmt.Sprintf("no %s before %s", s.describe(b.Branch), s.head.Ref())
	}
	return b, nil
}

// newest returns the newest candidate that a filter selects, or the zero Run.
func (s *baselineSearch) newest(ctx context.Context, f RunFilter) (Run, error) {
	f.Limit = 2                                // one of the two may be the head itself
	if s.head.CI != nil || s.head.Repo != "" { // some runs belong to the head's workflow execution, or arrived late
		f.Limit = maxBefore
	}
	found, err := s.candidates(ctx, f)
	if err != nil || len(found) == 0 {
		return Run{}, err
	}
	return found[0], nil
}

func (s *baselineSearch) candidates(ctx context.Context, f RunFilter) ([]Run, error) {
	f.Baseline = true
	found, err := RunsOfStep(ctx, s.runs, s.sc, s.head, f)
	if err == nil && f.Before > 0 && s.head.CI != nil {
		found, err = s.withLate(ctx, f, found)
	}
	found = slices.DeleteFunc(found, func(r Run) bool {
		return r.Attempt == s.head.Attempt || s.isBeside(r) || s.comesAfter(r)
	})
	sort.SliceStable(found, func(i, j int) bool {
		n, _ := found[j].order(found[i])
		return n < 0
	})
	return found, err
}

// withLate adds late runs to the candidates. A late run began before the head but arrived after it, so its serial is
// higher. This happens if GitHub reports the end of a long job after the end of a short job that began later.
func (s *baselineSearch) withLate(ctx context.Context, f RunFilter, candidates []Run) ([]Run, error) {
	from := f.Before
	f.Before, f.Limit = from+maxOvertaken, maxBefore
	more, err := RunsOfStep(ctx, s.runs, s.sc, s.head, f)
	return append(candidates, slices.DeleteFunc(more, func(r Run) bool {
		return r.Serial < from || !r.Late() && !s.head.Late() || !s.head.Follows(r)
	})...), err
}

// comesAfter reports whether the run r certainly began after the head, and at least one of the two is late. If neither
// is late, their serials show the order, and RunFilter.Before selects runs by their serials.
func (s *baselineSearch) comesAfter(r Run) bool {
	return (r.Late() || s.head.Late()) && r.Follows(s.head)
}

func (s *baselineSearch) none(format string, args ...any) Baseline {
	return Baseline{Kind: BaselineNone, Reason: fmt.Sprintf(format, args...)}
}

// reasonForNone returns the reason why there is no baseline. If a run has the same source as the head but belongs to
// another step, the reason names that run.
func (s *baselineSearch) reasonForNone(ctx context.Context, b Baseline) (string, error) {
	found, err := s.runs.Runs(ctx, s.sc, RunFilter{
		Repo: s.head.Repo, Source: s.head.Source, Branch: b.Branch, Before: s.head.Serial, Baseline: true, Limit: 1,
	})
	if err != nil || len(found) == 0 || found[0].Step().Compares(s.head.Step()) {
		return b.Reason, err
	}
	return fmt.Sprintf("%s (%s has another %s)", b.Reason, found[0].Ref(), s.head.DiffersFrom(found[0])), nil
}

// describe returns a description of the candidates, for error texts.
func (s *baselineSearch) describe(branch string) string {
	what := fmt.Sprintf("completed run of %q", s.head.Source)
	if s.head.Leg() != "" {
		what += " in the same matrix leg"
	}
	if branch != "" {
		what += " on " + branch
	}
	return what
}
