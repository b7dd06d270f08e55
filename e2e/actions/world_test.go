//go:build e2e

package actions

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/auth/authtest"
	"github.com/blq-ci/blq/internal/github/githubtest"
)

// The repository and the pull request of all tests.
const (
	repoName = "acme/shop"
	repoID   = 1296269
	forkName = "mallory/shop"
	number   = 7 // of the pull request
)

// world is a repository with everything that its jobs need.
type world struct {
	*testing.T
	dir     string // of the repository
	kept    string // folder in which jobs leave files for the test
	actions string // the published Action
	github  *githubtest.GitHub
	issuer  *authtest.Issuer
	data    string // data folder of the service
	server  string // URL of the service for jobs
	token   string // token for asking the service
	image   string // image that jobs run in, "" for this machine
}

// newWorld creates a repository from the files of a folder. It starts a service in which the repository is enrolled.
func newWorld(t *testing.T, files string) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir(), kept: t.TempDir(), data: t.TempDir(), actions: published(t, true),
		github: githubtest.New(t)}
	w.issuer = authtest.NewIssuer(t, "https://blq.example.com")
	w.github.Repo(repoName, repoID)
	check(t, os.CopyFS(w.dir, os.DirFS(files)))
	w.git("init", "-q", "-b", "main")
	w.git("remote", "add", "origin", "https://github.com/"+repoName)
	w.commit()
	host := strings.TrimPrefix(w.issuer.URL, "http://")
	w.blqd("repo", "enrol", repoName, "--id", "1296269", "--host", host, "--default-branch", "main")
	w.token = strings.TrimSpace(w.blqd("token", "create", "--name", "test", "--scope", "read,query", "--owner", "*"))
	w.server = w.serve()
	return w
}

func example(name string) string { return filepath.Join(top, "examples", name) }

func (w *world) git(args ...string) string {
	w.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=Octo",
		"GIT_AUTHOR_EMAIL=octo@example.com", "GIT_COMMITTER_NAME=Octo", "GIT_COMMITTER_EMAIL=octo@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits all files and returns the hash.
func (w *world) commit() string {
	w.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", "A change")
	return w.git("rev-parse", "HEAD")
}

// edit replaces a text that occurs once in a file.
func (w *world) edit(name, old, text string) {
	w.Helper()
	file := filepath.Join(w.dir, name)
	was := string(read(w.T, file))
	if strings.Count(was, old) != 1 {
		w.Fatalf("%s does not have %q once", name, old)
	}
	check(w.T, os.WriteFile(file, []byte(strings.Replace(was, old, text, 1)), 0o644))
}

// blqd runs a command of blqd and returns its output.
func (w *world) blqd(args ...string) string {
	w.Helper()
	return w.output(exec.Command(tool("blqd"), append(args, "--data", w.data)...))
}

// blq asks the service about the repository and returns the output.
func (w *world) blq(args ...string) string {
	w.Helper()
	return w.ask(repoName, args...)
}

func (w *world) ask(repo string, args ...string) string {
	w.Helper()
	cmd := exec.Command(tool("blq"), append(args, "--remote", w.server, "--repo", repo)...)
	cmd.Dir = w.kept
	cmd.Env = append(os.Environ(), "BLQ_TOKEN="+w.token)
	return w.output(cmd)
}

func (w *world) output(cmd *exec.Cmd) string {
	w.Helper()
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		w.Fatalf("%v: %v\n%s", cmd.Args, err, problem.String())
	}
	return string(out)
}

// serve starts the service and returns its URL.
func (w *world) serve(args ...string) string {
	w.Helper()
	cmd := exec.Command(tool("blqd"), append([]string{
		"serve", "--addr", "127.0.0.1:0", "--data", w.data, "--auth", "required", "--github-api", "",
		"--issuers", w.issuer.URL, "--audience", w.issuer.Audience,
	}, args...)...)
	errors, err := cmd.StderrPipe()
	check(w.T, err)
	check(w.T, cmd.Start())
	w.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	serving := make(chan string, 1)
	go func() {
		defer close(serving)
		lines := bufio.NewScanner(errors)
		for lines.Scan() {
			var line struct{ Msg, Addr string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
				serving <- "http://" + line.Addr
			}
		}
	}()
	select {
	case url := <-serving:
		return url
	case <-time.After(time.Minute):
		w.Fatal("blqd does not serve")
	}
	return ""
}

// runs returns the number of runs that the service has.
func (w *world) runs() int {
	w.Helper()
	return strings.Count(w.ask("all", "history", "--json"), `"source_name"`)
}
