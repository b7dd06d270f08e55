package report_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/query/remote"
	"github.com/blq-ci/blq/store"
)

// asked returns the URL of a server that answers questions about a fixture's runs.
func asked(t *testing.T, f *querytest.Fixture) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("asked with %q", r.Header.Get("Authorization"))
		}
		var in remote.Request
		err := json.NewDecoder(r.Body).Decode(&in)
		var text []byte
		if err == nil {
			text, err = remote.Answer(r.Context(), questions.All(), f.Asker, strings.TrimPrefix(r.URL.Path, remote.Path+"/"), in)
		}
		if err != nil {
			w.WriteHeader(http.StatusNotFound)
			text, _ = json.Marshal(
				map[string]any{"error": map[string]string{"code": string(store.NotFound), "message": err.Error()}})
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestTheServerKnowsWhatIsNew(t *testing.T) {
	t.Parallel()
	p := pullRequest(t)
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	old := querytest.Event(store.SeverityError, "main.c", 3, 1, "'old' undeclared", 1, 1)
	base := querytest.Run{Source: "build", Exit: 1, Log: "main.c:3:1: error: 'old' undeclared\n",
		Events: []store.Event{old}, Repo: shop, At: 1, Git: &store.Git{Branch: "main", Commit: strings.Repeat("1", 40)}}
	f.Add(t, base)
	broken := base
	broken.At, broken.Git = 2, &store.Git{Branch: "topic", Commit: head}
	broken.CI = &store.CI{Provider: "github", Repo: shop, Job: "build", PR: number, HeadSHA: head, HeadRef: "topic",
		BaseRef: "main", BaseSHA: base.Git.Commit}
	broken.Events = []store.Event{old, querytest.Event(store.SeverityError, "new.c", 1, 1, "'fresh' undeclared", 2, 2)}
	broken.Log += "new.c:1:1: error: 'fresh' undeclared\n"
	f.Add(t, broken)
	token := p.github.Job(shop, "pull-requests: write")
	p.report("github-token", token, "server", asked(t, f), "token", "secret")
	all := p.github.Comments(shop, number)
	if len(all) != 1 || !strings.Contains(all[0].Body, "### ❌ 2 failed: 1 new, 1 also on `main`") ||
		!strings.Contains(all[0].Body, "blq inspect acme/shop@build:2:2") {
		t.Errorf("%+v\n%s", all, p.notes.String())
	}
}

// passing returns the URL of a server with one run of the pull request. The run has passed.
func passing(t *testing.T) string {
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "lint", Repo: shop, At: 1, Git: &store.Git{Branch: "topic", Commit: head},
		CI: &store.CI{Provider: "github", Repo: shop, Workflow: "Lint", Job: "lint", PR: number, HeadSHA: head, RunID: "78",
			HeadRef: "topic", BaseRef: "main", CheckRunID: "9"}})
	return asked(t, f)
}

// The server does not know failed jobs in which blq saw no failed step. So a report of one workflow run also asks
// GitHub for the jobs of other workflow runs on the same commit.
func TestFailedJobsOfAnotherWorkflowAreNotHidden(t *testing.T) {
	t.Parallel()
	p := pullRequest(t)
	deploy := githubtest.Run{ID: runID, Attempt: 1, Event: "pull_request", HeadSHA: head, HeadBranch: "topic",
		Jobs: []githubtest.Job{{ID: 5, Name: "deploy", Conclusion: "failure"}}}
	p.github.SetRun(shop, deploy)
	p.github.SetRun(shop, githubtest.Run{ID: 78, Attempt: 1, Event: "pull_request", HeadSHA: head, HeadBranch: "topic",
		Jobs: []githubtest.Job{{ID: 9, Name: "lint"}}})
	reads, blind := p.github.Job(shop, "pull-requests: write", "actions: read"), p.github.Job(shop, "pull-requests: write")
	server := passing(t)
	report := func(run, token, want string, inputs ...string) {
		t.Helper()
		p.env["GITHUB_RUN_ID"] = run
		p.report(append([]string{"github-token", token, "server", server, "token", "secret", "comment", "always"},
			inputs...)...)
		all := p.github.Comments(shop, number)
		if len(all) != 1 || !strings.Contains(all[0].Body, "### "+want) {
			t.Errorf("no %q in %+v\n%s", want, all, p.notes.String())
		}
	}
	report("77", reads, "❌ 1 job failed")
	report("78", reads, "❌ 1 job failed outside of what blq saw")
	if body := p.github.Comments(shop, number)[0].Body; !strings.Contains(body, "[`CI / deploy`]") {
		t.Error(body)
	}
	needs := []string{"needs", `{"lint":{"result":"success","outputs":{}},"deploy":{"result":"success","outputs":{}}}`}
	report("78", reads, "❌ 1 job failed outside of what blq saw", needs...)
	report("78", blind, "⚠️ 1 step passed; not all is known", needs...)
	report("78", reads, "❌ 1 job failed outside of what blq saw")
	deploy.Jobs = append(deploy.Jobs, githubtest.Job{ID: 6, Attempt: 2, Name: "deploy"})
	p.github.SetRun(shop, deploy)
	report("78", reads, "✅ 1 step passed")
	report("78", blind, "✅ 1 step passed", needs...)
}

// The times in an artifact are of another machine's clock. The server must not take them for times of this machine.
func TestTheTimesOfAnArtifactAreNotOfThisMachine(t *testing.T) {
	t.Parallel()
	p := workflowRun(t)
	p.left(artifact(t, "build", "build", 1, "'x' undeclared"))
	var started []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, err := io.ReadAll(r.Body); err == nil && r.URL.Path == "/v1/runs" {
			started = append(started, string(text))
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	defer s.Close()
	p.report("github-token", p.github.Job(shop, "pull-requests: write", "actions: read"), "server", s.URL, "token", "x")
	if len(started) == 0 || strings.Contains(started[0], "sent_at") || !strings.Contains(started[0], "started_at") {
		t.Errorf("%q\n%s", started, p.notes.String())
	}
}
