//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// faults are states in which a step must behave as without blq.
var faults = []struct {
	name  string
	begin func(r *actionsRunner, in map[string]string)
}{
	{"server dead", func(r *actionsRunner, in map[string]string) { server(in, dead(r.T)) }},
	{"server hanging", func(r *actionsRunner, in map[string]string) {
		server(in, answering(r.T, func(_ http.ResponseWriter, q *http.Request) {
			_, _ = io.Copy(io.Discard, q.Body) // only then the server notices that the client is gone
			slowly(q, time.Minute)
		}))
	}},
	{"server slow", func(r *actionsRunner, in map[string]string) {
		server(in, newService(
			r.T, func(_ http.ResponseWriter, q *http.Request) bool { slowly(q, 100*time.Millisecond); return false }).URL)
	}},
	{"server 500", func(r *actionsRunner, in map[string]string) {
		server(in, answering(r.T, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }))
	}},
	{"full disk", func(r *actionsRunner, _ map[string]string) {
		check(r.T, os.MkdirAll(r.path("temp/blq/store/live"), 0o755))
		for _, name := range []string{"blq.db", "blq.db-wal", "blq.db-shm", "blobs"} {
			check(r.T, os.Symlink("/dev/full", r.path("temp/blq/store/"+name)))
		}
		r.env["GITHUB_OUTPUT"], r.env["GITHUB_STEP_SUMMARY"] = "/dev/full", "/dev/full"
	}},
	{"unwritable spool", func(r *actionsRunner, _ map[string]string) { r.file("temp/blq", "") }},
	{"no HOME", func(r *actionsRunner, _ map[string]string) { r.env["HOME"], r.env["XDG_CACHE_HOME"] = "", "" }},
	{"no git", func(r *actionsRunner, _ map[string]string) { r.onlyTools("") }},
	{"killed helper", func(r *actionsRunner, _ map[string]string) { r.onlyTools("#!/bin/sh\nkill -KILL $$\n") }},
	{"closed stdout", func(*actionsRunner, map[string]string) {}},
	{"no token", func(r *actionsRunner, in map[string]string) { in["server"] = dead(r.T) }},
	{"clock jump", func(r *actionsRunner, _ map[string]string) {
		r.step(map[string]string{"run": brokenBuild}) // an earlier step
		check(r.T, filepath.Walk(r.path("temp"), func(path string, _ os.FileInfo, err error) error {
			check(r.T, err)
			return os.Chtimes(path, future, future)
		}))
	}},
}

// dead returns a URL without a server.
func dead(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	l.Close()
	return "http://" + l.Addr().String()
}

func answering(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// server adds the inputs for a server, with a token and short waits.
func server(in map[string]string, url string) {
	in["server"], in["token"], in["wait"] = url, testToken, "0.3"
}

// onlyTools gives the step only a few programs. git is a script to use as git, or "" for no git.
func (r *actionsRunner) onlyTools(git string) {
	r.Helper()
	bin := r.path("bin")
	check(r.T, os.MkdirAll(bin, 0o755))
	for _, name := range []string{"bash", "sh", "seq", "cat", "sleep"} {
		path, err := exec.LookPath(name)
		check(r.T, err)
		check(r.T, os.Symlink(path, filepath.Join(bin, name)))
	}
	if git != "" {
		r.file("bin/git", git)
	}
	r.env["PATH"] = bin
}

// slowly delays a request.
func slowly(q *http.Request, d time.Duration) {
	ctx, cancel := context.WithTimeout(q.Context(), d)
	defer cancel()
	<-ctx.Done()
}

var (
	future     = time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	scriptName = regexp.MustCompile(`/[^ ]*/blq-[0-9]+[.]sh`)
)

// steps are scripts that end in different ways.
var steps = []string{
	"echo fine; echo also >&2", brokenBuild, "exit 77", "kill -TERM $$", "kill -KILL $$",
	"false | true; echo on; false; echo off",
	`printf 'no end of line'; exit 1`, `printf '\000\377\033[31m\r%%\n'; seq 1 20000; exit 3`, "", "no-such-command",
	"cat; exit 9",
	"(sleep 0.1; echo late) & wait; exit 4",
}

// TestStepsEndAsWithoutUs compares steps with and without blq, for each fault. The variable BLQ_TEST_PAIRS sets the
// number of compared pairs.
func TestStepsEndAsWithoutUs(t *testing.T) {
	t.Parallel()
	pairs := 24
	if n, err := strconv.Atoi(os.Getenv("BLQ_TEST_PAIRS")); err == nil {
		pairs = n
	}
	for i, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			for k := i; k < pairs; k += len(faults) {
				comparePair(t, f.begin, f.name == "closed stdout", steps[(k/len(faults)+i)%len(steps)])
			}
		})
	}
}

func comparePair(t *testing.T, begin func(*actionsRunner, map[string]string), closed bool, script string) {
	t.Helper()
	r := newRunner(t)
	in := map[string]string{"run": script, "name": "step"}
	begin(r, in)
	file := r.file("_temp/bare", script)
	bare := r.with(exec.Command("bash", "-e", file))
	wrapped := r.with(blq("", "action", "run"))
	for k, v := range in {
		wrapped.Env = append(wrapped.Env, "BLQ_INPUT_"+strings.ToUpper(strings.ReplaceAll(k, "-", "_"))+"="+v)
	}
	if closed {
		ends := closedPipe(t)
		bare.Stdout, bare.Stderr, wrapped.Stdout = ends, ends, ends
		var notes bytes.Buffer
		wrapped.Stderr = &notes
		_, _ = bare.Run(), wrapped.Run()
	} else {
		var want, got, notes bytes.Buffer
		bare.Stdout, bare.Stderr = &want, &want
		wrapped.Stdout, wrapped.Stderr = &got, &notes
		_, _ = bare.Run(), wrapped.Run()
		said := strings.ReplaceAll(want.String(), file, "SCRIPT")
		heard := scriptName.ReplaceAllString(got.String(), "SCRIPT")
		if said != heard {
			t.Errorf("%q: bare printed %.300q, wrapped %.300q; %s", script, said, heard, &notes)
		}
		if n := strings.Count(notes.String(), "::warning title=blq::"); n > 1 {
			t.Errorf("%d warnings: %s", n, &notes)
		}
	}
	if a, b := bare.ProcessState.String(), wrapped.ProcessState.String(); a != b {
		t.Errorf("%q: bare ended with %s, wrapped with %s", script, a, b)
	}
}

// closedPipe returns a pipe without a reader.
func closedPipe(t *testing.T) *os.File {
	t.Helper()
	read, write, err := os.Pipe()
	check(t, err)
	read.Close()
	t.Cleanup(func() { write.Close() })
	return write
}

// If a step could not be recorded, a later step or the post step sends it, or puts it into the artifacts.
func TestAStepThatCouldNotBeRecordedIsReportedLater(t *testing.T) {
	t.Parallel()
	for _, later := range []string{"run", "post"} {
		for _, sent := range []bool{false, true} {
			r, s := newRunner(t), newService(t, nil)
			in := map[string]string{"run": "exit 3", "name": "test"}
			if sent {
				in["server"], in["token"], in["wait"] = s.URL, testToken, "5"
			}
			settings := r.file("temp/blq/store/config.toml", "[redact\n")
			if _, notes, _ := r.step(in); !strings.Contains(notes, "not recorded") {
				t.Fatalf("the step is recorded: %s", notes)
			}
			check(t, os.Remove(settings))
			in["run"], in["name"] = "true", "lint"
			_, notes, _ := finished(r.action(later, in))
			got := r.artifactsOf("test")
			if sent {
				runs, err := s.store.Runs(t.Context(), store.Everything(), store.RunFilter{Source: "test"})
				check(t, err)
				got = nil
				for _, run := range runs {
					got = append(got, string(run.Status()))
				}
			}
			if !slices.Equal(got, []string{"FAIL"}) {
				t.Errorf("%s, sent %v: %v; %s", later, sent, got, notes)
			}
		}
	}
}

// artifactsOf returns the statuses of the runs of a source in the artifacts.
func (r *actionsRunner) artifactsOf(source string) []string {
	r.Helper()
	files, err := filepath.Glob(r.path("temp/blq/artifacts/*/run.json"))
	check(r.T, err)
	var list []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		check(r.T, err)
		var run struct {
			Source string `json:"source_name"`
			Status string `json:"status"`
		}
		check(r.T, json.Unmarshal(text, &run))
		if run.Source == source {
			list = append(list, run.Status)
		}
	}
	return list
}
