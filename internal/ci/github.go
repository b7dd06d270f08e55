package ci

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

var (
	pullRef  = lazyregexp.New(`^refs/pull/(\d+)/`)
	queueRef = lazyregexp.New(`^refs/heads/gh-readonly-queue/.+/pr-(\d+)-`)
)

// https://docs.github.com/actions/reference/workflows-and-actions/variables
func github(e env, readFile func(string) ([]byte, error)) store.CI {
	ci := store.CI{
		Repo:       e("GITHUB_REPOSITORY"),
		Workflow:   e("GITHUB_WORKFLOW"),
		Job:        e("GITHUB_JOB"),
		RunID:      e("GITHUB_RUN_ID"),
		RunAttempt: e.number("GITHUB_RUN_ATTEMPT"),
		EventName:  e("GITHUB_EVENT_NAME"),
		Actor:      e("GITHUB_ACTOR"),
		HeadSHA:    e("GITHUB_SHA"),
		HeadRef:    e.branch("GITHUB_REF"),
		BaseRef:    e("GITHUB_BASE_REF"),
	}
	if ci.Repo != "" && ci.RunID != "" {
		ci.URL = fmt.Sprintf("%s/%s/actions/runs/%s", cmp.Or(e("GITHUB_SERVER_URL"), "https://github.com"), ci.Repo, ci.RunID)
		if ci.RunAttempt > 1 {
			ci.URL += fmt.Sprintf("/attempts/%d", ci.RunAttempt)
		}
	}
	var ev payload.Event
	if path := e("GITHUB_EVENT_PATH"); path != "" && readFile != nil {
		if b, err := readFile(path); err == nil && json.Unmarshal(b, &ev) != nil {
			ev = payload.Event{}
		}
	}
	switch {
	case ev.PullRequest != nil:
		ofPullRequest(&ci, ev.PullRequest)
	case e("GITHUB_HEAD_REF") != "" || pullRef.MatchString(e("GITHUB_REF")):
		// Without the event the head commit is unknown: GITHUB_SHA is the merge commit. The head's
		// repository is unknown as well, so the run counts as one of a fork.
		ci.PR = firstNumber(pullRef, e("GITHUB_REF"))
		ci.HeadRef, ci.HeadSHA, ci.Fork = e("GITHUB_HEAD_REF"), "", true
	case ev.MergeGroup != nil:
		g := ev.MergeGroup
		ci.PR = firstNumber(queueRef, g.HeadRef) // the last one of the group
		ci.HeadSHA, ci.HeadRef = g.HeadSHA, branch(g.HeadRef)
		ci.BaseSHA, ci.BaseRef = g.BaseSHA, branch(g.BaseRef)
	case ev.WorkflowRun != nil:
		ofWorkflowRun(&ci, ev)
	case ev.Issue != nil && ev.Issue.PullRequest != nil:
		// The job runs on the default branch; the event does not name the head.
		ci.PR = ev.Issue.Number
		ci.HeadSHA, ci.HeadRef = "", ""
	}
	return ci
}

func ofPullRequest(ci *store.CI, pr *payload.PullRequest) {
	ci.PR = pr.Number
	ci.HeadSHA, ci.HeadRef = pr.Head.SHA, pr.Head.Ref
	ci.BaseSHA, ci.BaseRef = pr.Base.SHA, pr.Base.Ref
	ci.Fork = pr.Head.Repo == nil || pr.Base.Repo == nil || pr.Head.Repo.FullName != pr.Base.Repo.FullName
}

// ofWorkflowRun sets the facts of the workflow run that triggered this one. GitHub names its pull
// requests there, except those of forks.
func ofWorkflowRun(ci *store.CI, ev payload.Event) {
	r := ev.WorkflowRun
	ci.HeadSHA, ci.HeadRef = r.HeadSHA, r.HeadBranch
	ci.Fork = r.HeadRepository.FullName != cmp.Or(r.Repository.FullName, ci.Repo)
	if len(r.PullRequests) > 0 {
		pr := r.PullRequests[0]
		ci.PR, ci.BaseRef, ci.BaseSHA = pr.Number, pr.Base.Ref, pr.Base.SHA
	}
}

func firstNumber(re *lazyregexp.Regexp, s string) int {
	if m := re.FindStringSubmatch(s); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 0
}
