package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a blqd that runs, and a client of it. For a service in the test's own process, cmd is nil.
type process struct {
	*testing.T
	cmd    *exec.Cmd
	URL    string
	client *http.Client
	token  string
	ended  chan struct{}

	mu  sync.Mutex
	log bytes.Buffer
}

// newClient returns a client with connections that other tests do not close.
func newClient(t *testing.T) *http.Client {
	c := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// command returns a command of blqd. Its environment is env, PATH, TMPDIR and a variable for the test program.
func command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append([]string{"BLQ_TEST_IS_BLQD=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.Getenv("TMPDIR")}, env...)
	return cmd
}

// serve starts a blqd on a free port and waits until it is ready.
func serve(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := &process{T: t, client: newClient(t), ended: make(chan struct{})}
	p.cmd = command(context.WithoutCancel(t.Context()),
		env, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	out, err := p.cmd.StderrPipe()
	check(t, err)
	check(t, p.cmd.Start())
	t.Cleanup(p.kill)
	serving := make(chan string, 1)
	go func() {
		defer close(p.ended)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			p.mu.Lock()
			p.log.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
			var line struct{ Msg, Addr string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
				serving <- "http://" + line.Addr
			}
		}
		_ = p.cmd.Wait()
	}()
	select {
	case p.URL = <-serving:
	case <-p.ended:
		t.Fatalf("blqd ended: %v\n%s", p.cmd.ProcessState, p.Log())
	case <-time.After(30 * time.Second):
		t.Fatalf("blqd does not serve:\n%s", p.Log())
	}
	return p
}

// Log returns what the process has written so far.
func (p *process) Log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// terminate asks the process to stop.
func (p *process) terminate() {
	p.Helper()
	check(p.T, p.cmd.Process.Signal(syscall.SIGTERM))
}

// wait waits until the process has ended, for at most a minute, and returns the exit code.
func (p *process) wait() int {
	p.Helper()
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		p.Fatalf("blqd does not end:\n%s", p.Log())
	}
	return p.cmd.ProcessState.ExitCode()
}

// with returns the process for a caller with a token.
func (p *process) with(token string) *process {
	return &process{T: p.T, cmd: p.cmd, URL: p.URL, client: p.client, token: token, ended: p.ended}
}

// do sends a request and returns the status and the body of its answer.
func (p *process) do(method, path string, body io.Reader, header ...string) (int, string) {
	p.Helper()
	resp, err := p.try(method, path, body, header...)
	check(p.T, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	check(p.T, err)
	return resp.StatusCode, string(text)
}

func (p *process) try(method, path string, body io.Reader, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(p.Context(), method, p.URL+path, body)
	check(p.T, err)
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return p.client.Do(r)
}

// get returns the body of an answer with status 200.
func (p *process) get(path string) string {
	p.Helper()
	status, text := p.do("GET", path, nil)
	if status != 200 {
		p.Fatalf("GET %s: %d %s", path, status, text)
	}
	return text
}

// post sends JSON.
func (p *process) post(path, body string) (int, string) {
	p.Helper()
	return p.do("POST", path, strings.NewReader(body), "Content-Type", "application/json", "Accept",
		"application/json, text/event-stream")
}

// start starts a run and returns the answer.
func (p *process) start(attempt, repo, source string) (int, string) {
	p.Helper()
	return p.post(
		"/v1/runs", fmt.Sprintf(`{"attempt_id": %q, "repo": %q, "source_name": %q, "command": "make", "started_at": %q}`,
			attempt, repo, source, time.Now().UTC().Format(time.RFC3339)))
}

// makeToken creates a token with "blqd token create", in the storage that env names.
func makeToken(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := command(t.Context(), env, append([]string{"token", "create", "--name", "test"}, args...)...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("token create: %v\n%s", err, problem.String())
	}
	return strings.TrimSpace(string(out))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until waits until f returns true, for at most 30 s.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !f(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 30 s", what)
		}
		time.Sleep(20 * time.Millisecond) // the other process needs time
	}
}
