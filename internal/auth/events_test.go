package auth_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/store"
)

// about has the expected facts of a run.
type about struct {
	Commit, Branch, BaseRef, BaseSHA string
	PR                               int
	Fork                             bool
}

func aboutOf(r store.Run) about {
	return about{r.Git.Commit, r.Git.Branch, r.CI.BaseRef, r.CI.BaseSHA, r.CI.PR, r.CI.Fork}
}

var (
	tip    = strings.Repeat("a", 40) // GITHUB_SHA
	topic  = strings.Repeat("b", 40) // head of the pull request
	parent = strings.Repeat("c", 40) // base
)

func pullPayload(from string) string {
	return `"pull_request":{"number":7,"head":{"ref":"topic","sha":"` + topic + `","repo":{"full_name":"` + from +
		`"}},"base":{"ref":"main","sha":"` + parent + `","repo":{"full_name":"acme/web"}}}`
}

var (
	ofPR   = about{Commit: topic, Branch: "topic", BaseRef: "main", BaseSHA: parent, PR: 7}
	ofFork = about{Commit: topic, Branch: "topic", BaseRef: "main", BaseSHA: parent, PR: 7, Fork: true}
	onMain = about{Commit: tip, Branch: "main"}
	queue  = "gh-readonly-queue/main/pr-7-" + parent
)

// triggers are events that start jobs.
var triggers = map[string]struct {
	event, ref, headRef, baseRef string
	payload                      string
	checkedOut                   string // commit that git sees, "" for GITHUB_SHA
	want                         about
	there                        *about // the service's knowledge, if it differs from the job's
}{
	"push of a branch": {event: "push", ref: "refs/heads/main",
		payload: `{"ref":"refs/heads/main","after":"` + tip + `"}`, want: onMain},
	"push of a tag": {event: "push", ref: "refs/tags/v1", payload: `{"ref":"refs/tags/v1"}`,
		want: about{Commit: tip}},
	"pull_request": {event: "pull_request", ref: "refs/pull/7/merge", headRef: "topic", baseRef: "main",
		payload: "{" + pullPayload("acme/web") + "}", want: ofPR},
	"pull_request merged": {event: "pull_request", ref: "refs/heads/main", headRef: "topic", baseRef: "main",
		payload: `{"action":"closed",` + pullPayload("acme/web") + "}", want: onMain},
	"pull_request_review": {event: "pull_request_review", ref: "refs/pull/7/merge",
		payload: "{" + pullPayload("acme/web") + "}", want: ofPR},
	// The service cannot know whose code the job runs.
	"pull_request_target": {event: "pull_request_target", ref: "refs/heads/main", headRef: "topic",
		baseRef: "main", payload: "{" + pullPayload("acme/web") + "}", want: ofPR, there: &ofFork},
	"pull_request_target of a fork": {event: "pull_request_target", ref: "refs/heads/main", headRef: "topic",
		baseRef: "main", payload: "{" + pullPayload("eve/web") + "}", checkedOut: topic, want: ofFork},
	"merge_group": {event: "merge_group", ref: "refs/heads/" + queue, payload: `{"merge_group":{"head_sha":"` +
		tip + `","head_ref":"refs/heads/` + queue + `","base_sha":"` + parent + `","base_ref":"refs/heads/main"}}`,
		want: about{Commit: tip, Branch: queue, BaseRef: "main", BaseSHA: parent, PR: 7}},
	"schedule": {event: "schedule", ref: "refs/heads/main",
		payload: `{"schedule":"0 3 * * *","workflow":".github/workflows/ci.yml"}`, want: onMain},
	"workflow_dispatch": {event: "workflow_dispatch", ref: "refs/heads/topic",
		payload: `{"ref":"refs/heads/topic","inputs":{}}`, want: about{Commit: tip, Branch: "topic"}},
	"workflow_dispatch on a tag": {event: "workflow_dispatch", ref: "refs/tags/v1", payload: `{"ref":"refs/tags/v1"}`,
		want: about{Commit: tip}},
	"workflow_call from a push": {event: "push", ref: "refs/heads/main", payload: `{"ref":"refs/heads/main"}`,
		want: onMain},
	"release": {event: "release", ref: "refs/tags/v1",
		payload: `{"action":"published","release":{"tag_name":"v1","target_commitish":"main"}}`, want: about{Commit: tip}},
	"repository_dispatch": {event: "repository_dispatch", ref: "refs/heads/main",
		payload: `{"action":"x","branch":"main","client_payload":{"pull_request":{"number":9}}}`, want: onMain},
	"deployment of a branch": {event: "deployment", ref: "refs/heads/main",
		payload: `{"deployment":{"sha":"` + tip + `","ref":"main"}}`, want: onMain},
	"deployment of a commit": {event: "deployment", ref: "",
		payload: `{"deployment":{"sha":"` + tip + `","ref":"` + tip + `"}}`, want: about{Commit: tip}},
	"workflow_run": {event: "workflow_run", ref: "refs/heads/main",
		payload: `{"workflow_run":{"event":"push","head_sha":"` +
			topic + `","head_branch":"topic","head_repository":{"full_name":"acme/web"},"repository":{"full_name":"acme/web"},"pull_requests":[{"number":7,"base":{"ref":"main","sha":"` + parent + `"}}]}}`, checkedOut: topic, want: about{Commit: topic, Branch: "topic"}, there: &about{Commit: topic, Branch: "topic", Fork: true}},
	"workflow_run after a fork's": {event: "workflow_run", ref: "refs/heads/main",
		payload: `{"workflow_run":{"event":"pull_request","head_sha":"` + topic +
			`","head_branch":"topic","head_repository":{"full_name":"eve/web"},"repository":{"full_name":"acme/web"},"pull_requests":[]}}`, checkedOut: topic, want: about{Commit: topic, Branch: "topic", Fork: true}},
	"issue_comment": {event: "issue_comment", ref: "refs/heads/main",
		payload: `{"issue":{"number":7,"pull_request":{}}}`, checkedOut: topic,
		want: about{Commit: topic, PR: 7, Fork: true}},
	"issue_comment on an issue": {event: "issue_comment", ref: "refs/heads/main", payload: `{"issue":{"number":4}}`,
		want: onMain, there: &about{Commit: tip, Branch: "main", Fork: true}},
}

// TestAJobAndTheServiceKnowTheSame checks events that start jobs. It checks the facts that a job finds in its
// environment and payload, and the facts of the service. The service derives its facts from the job's facts and the
// claims of the job's token. Both must be the same for an event without the field there.
func TestAJobAndTheServiceKnowTheSame(t *testing.T) {
	t.Parallel()
	for name, tt := range triggers {
		env := map[string]string{
			"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/web", "GITHUB_EVENT_NAME": tt.event, "GITHUB_REF": tt.ref,
			"GITHUB_SHA":      tip,
			"GITHUB_HEAD_REF": tt.headRef, "GITHUB_BASE_REF": tt.baseRef, "GITHUB_EVENT_PATH": "event.json",
			"GITHUB_RUN_ID": "1", "GITHUB_RUN_ATTEMPT": "1",
		}
		r := store.Run{Git: store.Git{Commit: tip}}
		if tt.checkedOut != "" {
			r.Git.Commit = tt.checkedOut
		}
		r.CI = ci.CI(func(name string) string { return env[name] },
			func(string) ([]byte, error) { return []byte(tt.payload), nil })
		ci.Apply(&r)
		if diff := cmp.Diff(tt.want, aboutOf(r)); diff != "" {
			t.Errorf("%s, in the job: %s", name, diff)
		}
		facts := auth.Facts{Host: "github.com", Repo: "acme/web", RunID: "1", RunAttempt: 1, EventName: tt.event, Ref: tt.ref,
			SHA: tip, HeadRef: tt.headRef, BaseRef: tt.baseRef}
		there := tt.want
		if tt.there != nil {
			there = *tt.there
		}
		facts.Overrule(&r)
		if diff := cmp.Diff(there, aboutOf(r)); diff != "" {
			t.Errorf("%s, at the service: %s", name, diff)
		}
	}
}
