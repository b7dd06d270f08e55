package query_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// Jobs that build a tag have no branch.
func TestASuccessOnABranchHidesNoFailureOfATag(t *testing.T) {
	t.Parallel()
	type built struct {
		branch string
		exit   int
	}
	for name, tt := range map[string]struct {
		runs []built // in the order in which they begin
		then int     // number of later successes on main
		want string  // the verdict of triage
	}{
		"the branch passes": {
			runs: []built{{"", 1}, {"main", 0}},
			want: "the newest run of every source passed, test:2 on main last; the newest on (no branch), test:1, is FAIL"},
		"the branch passes often": {
			runs: []built{{"", 1}}, then: 210,
			want: "the newest run of every source passed, test:211 on main last; the newest on (no branch), test:1, is FAIL"},
		"the next tag passes": {
			runs: []built{{"", 1}, {"", 0}, {"main", 0}},
			want: "nothing fails: the newest run of every source passed, test:3 last"},
		"the next tag passes, long ago": {
			runs: []built{{"", 1}, {"", 0}}, then: 210,
			want: "nothing fails: the newest run of every source passed, test:212 last"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
			for range tt.then {
				tt.runs = append(tt.runs, built{"main", 0})
			}
			for i, r := range tt.runs {
				f.Add(t, querytest.Run{Source: "test", At: i, Exit: r.exit,
					Git: &store.Git{Commit: strings.Repeat("c", i+1), Branch: r.branch},
					CI:  &store.CI{Provider: "github", Workflow: "CI", Job: "build", RunID: "1", RunAttempt: i + 1}})
			}
			got := triage(t, f, query.TriageParams{})
			if got.Verdict != tt.want {
				t.Errorf("triage: %s\nwant:   %s", got.Verdict, tt.want)
			}
			s, err := f.Status(t.Context(), query.StatusParams{})
			querytest.Check(t, err)
			last := s.Sources[len(s.Sources)-1]
			hidden := !strings.HasPrefix(tt.want, "nothing fails")
			if hidden != (last.Branch == "(no branch)" && last.RunID == 1) || s.Sources[0].Status != store.StatusOK {
				t.Errorf("status: %+v", s.Sources)
			}
		})
	}
}

func TestBesideAJobWithoutABranchAreJobsWithoutABranch(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	ci := &store.CI{Provider: "github", Workflow: "CI", Job: "build", RunID: "1", RunAttempt: 1}
	tag, topic := &store.Git{Commit: strings.Repeat("c", 40)}, &store.Git{Commit: strings.Repeat("d", 40), Branch: "topic"}
	f.Add(t, querytest.Run{Source: "lint", At: 1, Exit: 1, Git: topic, CI: ci})
	f.Add(t, querytest.Run{Source: "docs", At: 2, Exit: 1, Git: tag, CI: ci})
	job := f.Add(t, querytest.Run{Source: "test", At: 3, Git: tag, CI: ci})
	for _, tt := range []struct {
		of   store.Run
		want []string
	}{
		{job, []string{"docs"}},
		{f.Add(t, querytest.Run{Source: "test", At: 4, Git: tag}), []string{"docs", "lint"}}, // a detached HEAD
	} {
		beside, err := f.Beside(t.Context(), tt.of)
		querytest.Check(t, err)
		var got []string
		for _, r := range beside {
			got = append(got, r.Source)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("beside %s: %s", tt.of.Ref(), diff)
		}
	}
}
