package query_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// jobRun is a run of one step in GitHub Actions. workflowRun, check and attempt are numbers that GitHub assigns.
type jobRun struct {
	workflowRun, check string
	attempt            int
	commit             string
	pr                 int
	exit               int
	command            string
}

func TestASuccessInAnotherJobOrAnOlderWorkflowRunHidesNoFailure(t *testing.T) {
	t.Parallel()
	const c1, c2 = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	for name, tt := range map[string]struct {
		runs   []jobRun // in the order in which they begin
		pr     int
		passes bool
	}{
		"a new attempt": {runs: []jobRun{{"1", "", 1, c1, 0, 1, ""}, {"1", "", 2, c1, 0, 0, ""}}, passes: true},
		"a new workflow run": {runs: []jobRun{{"1", "", 1, c1, 0, 1, ""}, {"2", "", 1, c2, 0, 0, ""}},
			passes: true},
		"an old workflow run is run again": {
			runs: []jobRun{{"9", "", 1, c1, 0, 1, ""}, {"10", "", 1, c2, 0, 1, ""}, {"9", "", 2, c1, 0, 0, ""}}},
		"an old workflow run had to wait": {runs: []jobRun{{"10", "", 1, c2, 0, 1, ""}, {"9", "", 1, c1, 0, 0, ""}}},
		"an old workflow run has another command": {
			runs: []jobRun{{"10", "", 1, c2, 0, 1, "make all"}, {"9", "", 2, c1, 0, 0, "make"}}},
		"an old workflow run is run again after the failure was fixed": {
			runs:   []jobRun{{"10", "", 1, c1, 0, 1, ""}, {"11", "", 1, c2, 0, 0, ""}, {"9", "", 2, "3", 0, 0, ""}},
			passes: true},
		"an old workflow run of the same commit is run again": {
			runs: []jobRun{{"10", "", 1, c1, 0, 1, ""}, {"9", "", 2, c1, 0, 0, ""}}, passes: true},
		"two callers of a workflow": {
			runs: []jobRun{{"1", "5", 1, c1, 0, 1, ""}, {"1", "6", 1, c1, 0, 0, ""}}},
		"a second try in a job": {
			runs: []jobRun{{"1", "5", 1, c1, 0, 1, ""}, {"1", "5", 1, c1, 0, 0, ""}}, passes: true},
		"a second try in a job that is not known": {
			runs: []jobRun{{"1", "", 1, c1, 0, 1, ""}, {"1", "", 1, c1, 0, 0, ""}}, passes: true},
		"the failed caller runs again": {runs: []jobRun{{"1", "5", 1, c1, 0, 1, ""}, {"1", "6", 1, c1, 0, 0, ""},
			{"1", "7", 2, c1, 0, 0, ""}}, passes: true},
		"the merge fails and the branch passes": {
			runs: []jobRun{{"1", "", 1, c1, 7, 1, ""}, {"2", "", 1, c1, 0, 0, ""}}},
		"the merge fails and the branch passes, of the pull request": {
			runs: []jobRun{{"1", "", 1, c1, 7, 1, ""}, {"2", "", 1, c1, 0, 0, ""}}, pr: 7},
		"the branch fails and the merge passes": {
			runs: []jobRun{{"1", "", 1, c1, 0, 1, ""}, {"2", "", 1, c1, 7, 0, ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
			for i, r := range tt.runs {
				f.Add(t, querytest.Run{Repo: "acme/shop", Source: "test", At: i, Exit: r.exit, Command: r.command,
					Git: &store.Git{Commit: r.commit, Branch: "main"},
					CI: &store.CI{Provider: "github", Workflow: "CI", Job: "build", RunID: r.workflowRun,
						RunAttempt: r.attempt, CheckRunID: r.check, PR: r.pr}})
			}
			at := query.At{PR: tt.pr}
			check, err := f.Check(context.Background(), query.CheckParams{At: at})
			if err != nil {
				t.Fatal(err)
			}
			triage, err := f.Triage(context.Background(), query.TriageParams{At: at})
			if err != nil {
				t.Fatal(err)
			}
			if ok := triage.Status == store.StatusOK; check.Passed != tt.passes || ok != tt.passes {
				t.Errorf("check passes: %v, triage: %s; want %v", check.Passed, triage.Verdict, tt.passes)
			}
			status, err := f.Status(context.Background(), query.StatusParams{At: at})
			if err != nil {
				t.Fatal(err)
			}
			if len(status.Sources) != 1 || (status.Sources[0].Status == store.StatusOK) != tt.passes {
				t.Errorf("status: %+v; is OK: want %v", status.Sources, tt.passes)
			}
			board, err := f.Dashboard(context.Background(), query.DashboardParams{Runs: 10})
			if err != nil {
				t.Fatal(err)
			}
			if len(board.Rows) != 1 || (board.Rows[0].Worst.Status == store.StatusOK) != (tt.passes && tt.pr == 0) {
				t.Errorf("dashboard: %+v; is OK: want %v", board.Rows, tt.passes)
			}
		})
	}
}

// Two jobs may call one workflow, and run one after the other on one machine. A success of one job does not end the
// failure of the other.
func TestJobsWithoutCheckRunsOnOneMachine(t *testing.T) {
	t.Parallel()
	for folder, passes := range map[string]bool{"a": true, "b": false} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		ci := store.CI{Provider: "github", Workflow: "CI", Job: "build", RunID: "1", RunAttempt: 1, JobRun: "a"}
		f.Add(t, querytest.Run{Repo: "acme/shop", Source: "test", At: 1, Exit: 1, CI: &ci})
		later := ci
		later.JobRun = folder
		f.Add(t, querytest.Run{Repo: "acme/shop", Source: "test", At: 2, CI: &later})
		check, err := f.Check(t.Context(), query.CheckParams{})
		querytest.Check(t, err)
		if check.Passed != passes {
			t.Errorf("a success in the folder %s: the check passes: %v", folder, check.Passed)
		}
	}
}

func TestASuccessThatBeganBeforeTheFailureEndedHidesNoFailure(t *testing.T) {
	t.Parallel()
	const c1, c2 = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	red := querytest.Run{Source: "test", At: 1, Exit: 1, Took: 5 * time.Minute, Git: on("main", c1)}
	for name, tt := range map[string]struct {
		later  []querytest.Run
		passes bool
	}{
		"at the same time":                   {later: []querytest.Run{{At: 3, Git: on("main", c1)}}},
		"at the same time at another commit": {later: []querytest.Run{{At: 3, Git: on("main", c2)}}, passes: true},
		"after the failure":                  {later: []querytest.Run{{At: 7, Git: on("main", c1)}}, passes: true},
		"at the same time, and once more": {
			later: []querytest.Run{{At: 3, Git: on("main", c1)}, {At: 8, Git: on("main", c1)}}, passes: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
			f.Add(t, red)
			for _, r := range tt.later {
				r.Source = "test"
				f.Add(t, r)
			}
			check, err := f.Check(t.Context(), query.CheckParams{})
			querytest.Check(t, err)
			triage, err := f.Triage(t.Context(), query.TriageParams{})
			querytest.Check(t, err)
			status, err := f.Status(t.Context(), query.StatusParams{})
			querytest.Check(t, err)
			s := status.Sources[0]
			list, err := f.Events(t.Context(), query.EventsParams{Severity: "error"})
			querytest.Check(t, err)
			last, err := f.RunAt(t.Context(), query.At{}, "")
			querytest.Check(t, err)
			beside, err := f.Beside(t.Context(), last)
			querytest.Check(t, err)
			if (len(list.Failed) == 0) != tt.passes || (len(beside) == 0) != tt.passes {
				t.Errorf("errors: %q; beside the newest: %v", list.Note, beside)
			}
			if check.Passed != tt.passes || (triage.Status == store.StatusOK) != tt.passes ||
				(s.Status == store.StatusOK) != tt.passes {
				t.Errorf("check passes: %v, triage: %s, status: %s", check.Passed, triage.Verdict, s.Status)
			}
			if why := "test:2 passed, but it began before this run had ended"; !tt.passes && s.Despite != why {
				t.Errorf("status says %q", s.Despite)
			}
		})
	}
}

// A success on another branch answers no failure of a job. The same is true of a success of another caller of the
// workflow, and of a success outside of the pull request.
func TestASuccessOnAnotherBranchAnswersNoFailureOfAJob(t *testing.T) {
	t.Parallel()
	type job struct {
		branch, commit, workflowRun, check string
		pr, exit                           int
		reason                             store.Reason
	}
	const cancelled = store.ReasonCancelled
	topic := query.At{Branch: "topic"}
	for name, tt := range map[string]struct {
		jobs []job
		at   query.At
	}{
		"two callers, then main": {[]job{{"topic", "c1", "1", "11", 0, 1, ""}, {"topic", "c1", "1", "12", 0, 0, ""},
			{"main", "c2", "2", "21", 0, 0, ""}}, topic},
		"two callers, then main, everywhere": {[]job{{"topic", "c1", "1", "11", 0, 1, ""},
			{"topic", "c1", "1", "12", 0, 0, ""}, {"main", "c2", "2", "21", 0, 0, ""}}, query.At{}},
		"main is between the merge and the branch": {[]job{{"topic", "c1", "1", "11", 7, 1, ""},
			{"main", "c2", "2", "21", 0, 0, ""}, {"topic", "c1", "3", "31", 0, 0, ""}}, query.At{}},
		"a cancelled run hides no failure": {[]job{{"topic", "c1", "1", "11", 0, 1, ""},
			{"topic", "c2", "2", "21", 0, 1, cancelled}, {"main", "c3", "3", "31", 0, 0, ""}}, query.At{}},
		"the other caller was cancelled": {[]job{{"topic", "c1", "1", "11", 0, 1, cancelled},
			{"topic", "c1", "1", "12", 0, 0, ""}}, topic},
		"the merge was cancelled": {[]job{{"topic", "c1", "1", "11", 7, 1, cancelled},
			{"topic", "c1", "2", "21", 0, 0, ""}}, query.At{PR: 7}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
			for i, j := range tt.jobs {
				f.Add(t, querytest.Run{Source: "test", At: i, Exit: j.exit, Reason: j.reason, Log: "log\n",
					Git: &store.Git{Commit: j.commit, Branch: j.branch}, CI: &store.CI{Provider: "github", Workflow: "CI",
						Job: "build", RunID: j.workflowRun, RunAttempt: 1, CheckRunID: j.check, PR: j.pr}})
			}
			green := ask(t, f, tt.at).green("test:1")
			if tt.at == (query.At{}) { // a check is about the branch of the newest run
				green = slices.DeleteFunc(green, func(s string) bool { return s == "check" && tt.jobs[2].branch == "main" })
			}
			if len(green) > 0 {
				t.Errorf("green: %v", green)
			}
		})
	}
}

// A failure of a pull request counts for its branch, even if the newest workflow run is of a push.
func TestACheckOfABranchCountsFailuresOfItsPullRequest(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	ci := func(workflow, workflowRun string, pr int) *store.CI {
		return &store.CI{Provider: "github", Workflow: workflow, Job: "build", RunID: workflowRun, RunAttempt: 1, PR: pr}
	}
	f.Add(t, querytest.Run{Source: "lint", At: 1, Exit: 1, Log: "log\n", CI: ci("Lint", "4", 12), Git: on("topic", "c2")})
	f.Add(t, querytest.Run{Source: "test", At: 2, Log: "log\n", CI: ci("CI", "1", 0), Git: on("topic", "c1")})
	if green := ask(t, f, query.At{Branch: "topic"}).green("lint:1"); len(green) > 0 {
		t.Errorf("green: %v", green)
	}
}
