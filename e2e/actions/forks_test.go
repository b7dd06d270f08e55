//go:build e2e

package actions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/auth/authtest"
	"github.com/blq-ci/blq/internal/github/githubtest"
)

// followed returns the event that a workflow run has ended. It gives the run the artifacts that the jobs uploaded.
func (w *world) followed(e event, from string) event {
	w.Helper()
	sha := w.git("rev-parse", "HEAD")
	branch := w.git("rev-parse", "--abbrev-ref", "HEAD")
	run := githubtest.Run{ID: int64(e.run), Event: e.name, HeadSHA: sha, HeadBranch: branch, HeadRepo: from,
		Conclusion: "success"}
	dirs, err := os.ReadDir(filepath.Join(w.kept, "artifacts"))
	if !os.IsNotExist(err) {
		check(w.T, err)
	}
	for i, d := range dirs {
		files := map[string]string{}
		root := os.DirFS(filepath.Join(w.kept, "artifacts", d.Name()))
		for name, text := range tree(w.T, root) {
			files[name] = text
		}
		run.Artifacts = append(
			run.Artifacts, githubtest.Artifact{ID: int64(e.run*10 + i), Name: d.Name(), Zip: githubtest.Zip(files)})
	}
	check(w.T, os.RemoveAll(filepath.Join(w.kept, "artifacts")))
	w.github.SetRun(repoName, run)
	return event{
		name: "workflow_run", run: e.run + 100, workflow: "report.yml",
		claims: authtest.Claims{"event_name": "workflow_run", "sha": w.git("rev-parse", "main"), "workflow": "report"},
		payload: map[string]any{
			"action": "completed", "repository": described(repoName),
			"workflow_run": map[string]any{
				"id": e.run, "run_attempt": 1, "name": "ci", "event": e.name, "head_sha": sha, "head_branch": branch,
				"head_repository": described(from), "repository": described(repoName), "pull_requests": []any{},
			},
		},
	}
}

func TestForkIsToldByTheWorkflowThatFollows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, example("forks"))
	pushed := w.push()
	if h := w.act(pushed); h.code != 0 {
		t.Fatalf("a push ended with %d", h.code)
	}
	if h := w.act(w.followed(pushed, repoName)); h.code != 0 || strings.Contains(h.log, "::warning") ||
		!strings.Contains(h.log, "blq: ✅ 1 step passed") {
		t.Errorf("the report on a push ended with %d", h.code)
	}
	w.git("checkout", "-q", "-b", "feature")
	w.edit("clock.c", "ctime(&now)", "ctime(&later)")
	w.commit()
	pull := w.pull(forkName)
	pull.bare = true
	if h := w.act(pull); h.code == 0 || len(w.github.Comments(repoName, number)) > 0 ||
		strings.Contains(h.log, "::warning title=blq") {
		t.Errorf("the fork's job ended with %d", h.code)
	}
	if h := w.act(w.followed(pull, forkName)); h.code != 0 || strings.Contains(h.log, "::warning") {
		t.Errorf("the report ended with %d", h.code)
	}
	w.comment("### ❌ 1 failed: 1 new\n", "clock.c:6", "later", "1 of 1 step compared with `main`")
	if got := w.runs(); got != 2 {
		t.Errorf("the service has %d runs", got)
	}
}
