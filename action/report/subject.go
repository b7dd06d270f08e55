package report

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/store"
)

// subject is a workflow run with its commit. All fields come from the runner and from GitHub, not from artifacts.
type subject struct {
	repo     string
	run      int64 // ID of the workflow run
	attempt  int
	workflow string
	event    string
	commit   string // full hash of the head commit
	branch   string // branch of the head commit
	owner    string // owner of the head commit's repository
	pr       int    // pull request to which the runs belong, 0 for none
	baseRef  string // base branch of the pull request
	baseSHA  string
	fork     bool
	url      string // URL of the page of the workflow run
	comments int    // number of the pull request to comment on, 0 for none
	follows  bool   // the event is workflow_run: the report is about the workflow run that triggered this one
	// conclusion is the conclusion of the workflow run. It is "" if the run has not ended.
	conclusion string
}

// headBranch returns the branch of the head commit in the form that runs store.
func (s subject) headBranch() string { return store.HeadBranch(s.branch, s.fork, s.pr) }

// readSubject returns the subject of the report. The error is Invalid if the process does not run in GitHub Actions.
func readSubject(getenv func(string) string) (subject, error) {
	ci := ci.CI(getenv, os.ReadFile)
	if ci == nil || ci.Provider != "github" || !store.IsRepoName(ci.Repo) {
		return subject{}, store.Errorf(store.Invalid, "this is not a job of GitHub Actions")
	}
	run, err := strconv.ParseInt(ci.RunID, 10, 64)
	if err != nil {
		return subject{}, store.Errorf(store.Invalid, "GITHUB_RUN_ID is not a number")
	}
	owner, _, _ := strings.Cut(ci.Repo, "/")
	s := subject{
		repo: ci.Repo, run: run, attempt: max(1, ci.RunAttempt), workflow: ci.Workflow, event: ci.EventName, owner: owner,
		commit: ci.HeadSHA, branch: ci.HeadRef, pr: ci.PR, comments: ci.PR, baseRef: ci.BaseRef, baseSHA: ci.BaseSHA,
		fork: ci.Fork,
	}
	if err := s.follow(getenv); err != nil {
		return subject{}, err
	}
	s.url = cmp.Or(getenv("GITHUB_SERVER_URL"), "https://"+store.DefaultHost) + "/" + s.repo + "/actions/runs/" +
		strconv.FormatInt(s.run, 10)
	return s, nil
}

// follow handles the event workflow_run. In this event, the end or start of one workflow run triggers another workflow
// run. The subject of the report is the workflow run that triggered the other.
func (s *subject) follow(getenv func(string) string) error {
	if s.event != "workflow_run" {
		return nil
	}
	var p payload.Event
	text, err := os.ReadFile(getenv("GITHUB_EVENT_PATH"))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || p.WorkflowRun == nil {
		return store.Errorf(store.Invalid, "the event workflow_run names no workflow run")
	}
	w := p.WorkflowRun
	s.follows, s.run, s.attempt, s.workflow, s.event = true, w.ID, max(1, w.RunAttempt), w.Name, w.Event
	s.owner, _, _ = strings.Cut(w.HeadRepository.FullName, "/")
	s.fork, s.conclusion = !strings.EqualFold(w.HeadRepository.FullName, s.repo), w.Conclusion
	return nil
}

// reachGitHub creates the client for GitHub's API if there is a token.
func (r *reporter) reachGitHub() {
	if r.in.GitHub == "" {
		return
	}
	var err error
	if r.github, err = github.New(
		github.Config{API: r.Getenv("GITHUB_API_URL"), Token: r.in.GitHub, Agent: "blq/" + r.Version}); err != nil {
		r.missed("GitHub cannot be asked", err)
	}
}

// findCommit asks GitHub for the head commit of the pull request if the event has none. Some events, such as a new
// comment, have only the number of a pull request. The error is Invalid if there is no commit.
func (r *reporter) findCommit(ctx context.Context) error {
	s := &r.subject
	if s.commit == "" && s.pr > 0 && r.github != nil {
		p, err := r.github.Pull(ctx, s.repo, s.pr)
		if err != nil {
			return err
		}
		s.commit, s.branch, s.baseRef, s.baseSHA, s.fork = p.HeadSHA, p.HeadRef, p.BaseRef, p.BaseSHA, p.Fork
	}
	if s.commit == "" {
		return store.Errorf(store.Invalid, "the event %s names no commit", s.event)
	}
	return nil
}

// findPull asks GitHub for the pull request of the head commit. It does not ask if the event names the pull request.
// But for the event workflow_run, findPull always asks, because this event does not name the pull requests of forks.
// findPull does not use pull requests in artifacts, because artifacts are not trusted.
func (r *reporter) findPull(ctx context.Context) error {
	s := &r.subject
	if s.comments > 0 && !s.follows || r.github == nil || s.branch == "" || s.event == "merge_group" {
		return nil
	}
	p, err := r.github.PullOf(ctx, s.repo, github.Head{Owner: s.owner, Branch: s.branch, SHA: s.commit})
	if store.CodeOf(err) == store.NotFound || err != nil && !s.follows {
		s.comments = 0
		return nil // the branch has no pull request
	}
	if err != nil {
		return err
	}
	s.comments = p.Number
	if strings.HasPrefix(s.event, "pull_request") {
		s.pr, s.baseRef, s.baseSHA, s.fork = p.Number, p.BaseRef, p.BaseSHA, p.Fork
	}
	return nil
}

// overrule replaces facts in a run from an artifact by facts from the subject. It keeps the job and its attempt, the
// matrix leg, the step, the command and the output of the command.
func (s subject) overrule(r *store.Run) {
	said := store.CI{}
	if r.CI != nil {
		said = *r.CI
	}
	r.Repo = s.repo
	r.Git.Commit, r.Git.Branch = s.commit, s.branch
	r.CI = &store.CI{
		Provider: "github", Repo: s.repo, Workflow: s.workflow, Job: said.Job, Matrix: said.Matrix,
		RunID: strconv.FormatInt(s.run, 10), RunAttempt: s.attempt, EventName: s.event, PR: s.pr,
		HeadSHA: s.commit, HeadRef: s.branch, BaseRef: s.baseRef, BaseSHA: s.baseSHA, Fork: s.fork, URL: s.url,
		JobRun: said.JobRun, Step: said.Step,
	}
	r.CI.RunAttempt = min(max(1, said.RunAttempt), s.attempt)
	if !s.follows { // the run belongs to the present workflow run
		r.CI.CheckRunID = said.CheckRunID
	}
}
