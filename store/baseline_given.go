package store

import (
	"context"
	"strings"
)

// given returns the baseline that the caller names. A name may have several meanings. given tries them in this order:
// a reference that names a run (see namesRun), a branch, a commit, a source.
func (s *baselineSearch) given(ctx context.Context, name string) (Baseline, error) {
	ref, err := ParseRef(name)
	isRef := err == nil
	if isRef && namesRun(ref, name) {
		b, err := s.byRef(ctx, ref)
		if err == nil || CodeOf(err) != NotFound || !isCommitPrefix(name) {
			return b, err
		}
	}
	for _, find := range []func(context.Context, string) (Baseline, error){s.ofBranch, s.ofCommit} {
		if b, err := find(ctx, name); err != nil || b.Found() {
			return b, err
		}
	}
	if isRef {
		b, err := s.byRef(ctx, ref)
		if err == nil || CodeOf(err) != NotFound {
			return b, err
		}
	}
	return Baseline{}, Next(Errorf(NotFound, "no run, branch or commit %q to compare %s with", name, s.head.Ref()),
		NewCall("history", "lists runs with their branches and commits"))
}

// ofBranch returns the newest run of the head's step on a branch as the baseline. If the branch has no runs at all, the
// returned Baseline has no run. NotFound: the branch has only runs that cannot be the baseline.
func (s *baselineSearch) ofBranch(ctx context.Context, name string) (Baseline, error) {
	known, err := s.runs.Runs(ctx, s.sc, RunFilter{Repo: s.head.Repo, Branch: name, Limit: 1})
	if err != nil || len(known) == 0 {
		return Baseline{}, err
	}
	f := RunFilter{Branch: name}
	if name == s.head.Git.Branch {
		f.Before = s.head.Serial
	}
	r, err := s.newest(ctx, f)
	if err != nil || r.Attempt == "" {
		return Baseline{}, orNoRun(err, s, "on "+name)
	}
	return Baseline{Kind: BaselineGiven, Run: r, Branch: name}, nil
}

// ofCommit returns the newest run of the head's step at a commit as the baseline. It prefers clean runs. The name is a
// hash, the first digits of a hash, or a name that git knows. The results for missing runs are as in ofBranch.
func (s *baselineSearch) ofCommit(ctx context.Context, name string) (Baseline, error) {
	commit := name
	if s.g != nil {
		if found, err := s.g.Ancestors(ctx, s.head.Repo, name, name, 1); err == nil && len(found) > 0 {
			commit = found[0]
		}
	}
	if !isCommitPrefix(commit) {
		return Baseline{}, nil
	}
	known, err := s.runs.Runs(ctx, s.sc, RunFilter{Repo: s.head.Repo, Commit: commit, Limit: 1})
	if err != nil || len(known) == 0 {
		return Baseline{}, err
	}
	r, err := s.newest(ctx, RunFilter{Commit: commit, Clean: true})
	if err == nil && r.Attempt == "" {
		r, err = s.newest(ctx, RunFilter{Commit: commit})
	}
	if err != nil || r.Attempt == "" {
		return Baseline{}, orNoRun(err, s, "at "+name)
	}
	return Baseline{Kind: BaselineGiven, Run: r, Commit: r.Git.Commit}, nil
}

func orNoRun(err error, s *baselineSearch, where string) error {
	if err != nil {
		return err
	}
	return Next(Errorf(NotFound, "no %s %s to compare %s with", s.describe(""), where, s.head.Ref()),
		NewCall("history", "lists its runs", "source", s.head.Source))
}

// byRef returns the baseline for a reference: the run that the reference names. A reference without a repository is
// about the head's repository. If the reference asks for the newest run, byRef skips the head itself.
func (s *baselineSearch) byRef(ctx context.Context, ref Ref) (Baseline, error) {
	if ref.Repo == "" && ref.Attempt == "" {
		ref.Repo = s.head.Repo
	}
	r, err := s.runs.Run(ctx, s.sc, ref.Run())
	if err == nil && r.Attempt == s.head.Attempt && ref.Attempt == "" && ref.Serial == 0 {
		ref.Back++
		r, err = s.runs.Run(ctx, s.sc, ref.Run())
	}
	if err != nil {
		return Baseline{}, err
	}
	return Baseline{Kind: BaselineGiven, Run: r}, nil
}

// namesRun reports whether given reads a name first as a reference to a run, and not as a branch or a source. Names of
// branches contain no colon and no tilde.
func namesRun(ref Ref, name string) bool {
	return ref.Attempt != "" || ref.Serial > 0 || ref.Back > 0 || strings.Contains(name, ":") ||
		strings.TrimSpace(name) == "latest"
}

// isCommitPrefix reports whether s can be the hash of a commit, or the first digits of such a hash.
func isCommitPrefix(s string) bool { return len(s) >= 4 && len(s) <= 64 && allHex(s) }
