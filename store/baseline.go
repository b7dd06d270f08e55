package store

import "context"

// BaselineKind says how a baseline was found.
type BaselineKind string

// The kinds.
const (
	BaselineGiven     BaselineKind = "given"       // the caller named it
	BaselineMergeBase BaselineKind = "merge_base"  // a run at the commit where the branches part
	BaselineBranch    BaselineKind = "base_branch" // the newest run before that on the base branch
	BaselinePrevious  BaselineKind = "previous"    // the run before, on the default branch
	BaselineNone      BaselineKind = "none"        // there is nothing to compare with
)

// Baseline is what a run is compared with. Nothing is called new where there
// is none.
type Baseline struct {
	Kind   BaselineKind
	Run    Run    // zero for BaselineNone
	Branch string // the base branch, "" when it is not known
	Commit string // the merge base, "" when it is not known
	Reason string // for BaselineNone: why, in one sentence
}

// Found says whether there is a run to compare with.
func (b Baseline) Found() bool { return b.Kind != BaselineNone && b.Kind != "" }

// Ancestry tells how the commits of a repository hang together.
type Ancestry interface {
	// DefaultBranch returns the name of the branch that others are merged into,
	// "" when nobody knows.
	DefaultBranch(ctx context.Context, repo string) (string, error)
	// Ancestors returns the merge base of a commit and a branch or commit, and
	// the commits before it, newest first, at most n. NotFound: they share none,
	// or one of them is not known.
	Ancestors(ctx context.Context, repo, commit, base string, n int) ([]string, error)
}
