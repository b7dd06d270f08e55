//go:build e2e

package actions

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/auth/authtest"
	"github.com/blq-ci/blq/internal/github/githubtest"
)

// event is the event that starts a workflow.
type event struct {
	name     string
	payload  map[string]any
	workflow string // workflow file, "" for ci.yml
	claims   authtest.Claims
	attempt  int  // attempt number; 0 means 1
	run      int  // ID of the workflow run
	bare     bool // the jobs get no OIDC token, as in forks
	env      map[string]string
	args     []string // further arguments for act
}

// push returns the event for a push of the current commit to main.
func (w *world) push() event {
	w.Helper()
	sha := w.git("rev-parse", "HEAD")
	w.github.SetRun(repoName, githubtest.Run{ID: 101, HeadSHA: sha})
	return event{
		name: "push", run: 101, claims: authtest.Claims{"sha": sha},
		payload: map[string]any{"ref": "refs/heads/main", "after": sha, "repository": described(repoName)},
	}
}

// pull returns the event for a pull request. The head of the pull request is the current commit, on the branch feature
// of the given repository.
func (w *world) pull(from string) event {
	w.Helper()
	sha, base := w.git("rev-parse", "HEAD"), w.git("rev-parse", "main")
	w.github.AddPull(
		repoName, githubtest.Pull{Number: number, HeadSHA: sha, HeadRef: "feature", HeadRepo: from, BaseSHA: base})
	w.github.SetRun(
		repoName, githubtest.Run{ID: 102, Event: "pull_request", HeadSHA: sha, HeadBranch: "feature", HeadRepo: from})
	side := func(repo, ref, sha string) map[string]any {
		return map[string]any{"ref": ref, "sha": sha, "repo": described(repo)}
	}
	return event{
		name: "pull_request", run: 102,
		claims: authtest.Claims{"event_name": "pull_request", "ref": "refs/pull/7/merge", "ref_type": "branch",
			"head_ref": "feature", "base_ref": "main", "sha": strings.Repeat("3", 40)},
		payload: map[string]any{
			"action": "synchronize", "number": number, "repository": described(repoName),
			"pull_request": map[string]any{"number": number, "head": side(from, "feature", sha),
				"base": side(repoName, "main", base)},
		},
	}
}

// again returns a pull request's event for the current commit, with another run ID. It changes the payload of e.
func (w *world) again(e event, run int) event {
	w.Helper()
	sha := w.git("rev-parse", "HEAD")
	pr := e.payload["pull_request"].(map[string]any)
	pr["head"].(map[string]any)["sha"] = sha
	w.github.SetRun(repoName, githubtest.Run{ID: int64(run), Event: e.name, HeadSHA: sha, HeadBranch: "feature"})
	e.run, e.attempt = run, 1
	return e
}

func described(repo string) map[string]any {
	owner, name, _ := strings.Cut(repo, "/")
	return map[string]any{"full_name": repo, "name": name, "default_branch": "main",
		"owner": map[string]any{"login": owner}}
}

// act runs the workflow that an event starts.
func (w *world) act(e event) happened {
	w.Helper()
	file := filepath.Join(w.kept, e.name+".json")
	text, err := json.Marshal(e.payload)
	check(w.T, err)
	check(w.T, os.WriteFile(file, text, 0o644))
	workflow := e.workflow
	if workflow == "" {
		workflow = "ci.yml"
	}
	image := w.image
	if image == "" {
		image = "-self-hosted"
	}
	args := []string{
		e.name, "-e", file, "-W", ".github/workflows/" + workflow, "--json", "--rm", "--pull=false", "--no-cache-server",
		"-P", "ubuntu-latest=" + image,
		"--action-cache-path", filepath.Join(w.kept, "act"), "--local-repository", "blq-ci/blq@v1=" + w.actions,
		"--concurrent-jobs", "1",
		"-s", "GITHUB_TOKEN=" + w.github.Job(repoName, "actions: read", "pull-requests: write"), "--var",
		"BLQ_SERVER=" + w.server,
	}
	for _, stub := range []string{"actions/setup-python@v5", "actions/setup-go@v5", "actions/setup-node@v4",
		"actions/upload-artifact@v4"} {
		name, _, _ := strings.Cut(stub, "@")
		args = append(args, "--local-repository", stub+"="+filepath.Join(stubs(w.T), filepath.Base(name)))
	}
	for _, name := range slices.Sorted(maps.Keys(w.environment(e))) {
		args = append(args, "--env", name+"="+w.environment(e)[name])
	}
	return w.run(append(args, e.args...))
}

// stubs returns the folder with replacements for actions and programs that use other hosts.
func stubs(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("testdata/stubs")
	check(t, err)
	return dir
}

// environment returns the variables that GitHub's runner sets and act does not, and the variables of the tests.
func (w *world) environment(e event) map[string]string {
	attempt := max(1, e.attempt)
	env := map[string]string{
		"GITHUB_API_URL": w.github.URL, "GITHUB_RUN_ID": fmt.Sprint(e.run), "GITHUB_RUN_ATTEMPT": fmt.Sprint(attempt),
		"BLQ_AUDIENCE": w.issuer.Audience,
		"BLQ_E2E_KEPT": w.kept, "BLQ_E2E_TOOLS": tools,
	}
	if !e.bare {
		claims := authtest.Claims{"run_id": fmt.Sprint(e.run), "run_attempt": fmt.Sprint(attempt), "check_run_id": nil}
		for _, v := range w.issuer.Env(authtest.Job(repoName, repoID, e.claims, claims)) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
	}
	maps.Copy(env, e.env)
	return env
}
