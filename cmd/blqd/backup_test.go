//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/pgtest"
)

// documented returns the two blocks of commands in a section of docs/backup.md: backup and restore.
func documented(t *testing.T, section string) (backup, restore string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/backup.md")
	check(t, err)
	_, rest, found := strings.Cut(string(text), "\n## "+section+"\n")
	if !found {
		t.Fatalf("docs/backup.md has no section %q", section)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	var blocks []string
	for part := range strings.SplitSeq(rest, "```sh\n") {
		if block, _, ok := strings.Cut(part, "\n```"); ok && part != rest {
			blocks = append(blocks, block)
		}
	}
	if len(blocks) != 2 {
		t.Fatalf("section %q has %d blocks of commands, want 2", section, len(blocks))
	}
	return blocks[0], blocks[1]
}

// operator runs the commands of the document with blqd in PATH, like an operator. Its doctor sends no requests to the
// internet.
type operator struct {
	*testing.T
	env []string
}

func newOperator(t *testing.T, env ...string) operator {
	t.Helper()
	bin := t.TempDir()
	script := "#!/bin/sh\n" + `[ "$1" != doctor ] || set -- "$@" --github-api= --issuers=` + "\n" +
		fmt.Sprintf("exec %q ", os.Args[0]) + `"$@"` + "\n"
	check(t, os.WriteFile(filepath.Join(bin, "blqd"), []byte(script), 0o700))
	paths, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	path := strings.Join(append([]string{bin, os.Getenv("PATH")}, paths...), ":")
	return operator{t, append([]string{"BLQ_TEST_IS_BLQD=1", "PATH=" + path, "TMPDIR=" + os.Getenv("TMPDIR")}, env...)}
}

func (o operator) run(commands string) {
	o.Helper()
	cmd := exec.CommandContext(o.Context(), "sh", "-euc", commands)
	cmd.Env, cmd.Dir = o.env, o.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		o.Fatalf("%v:\n%s\n%s", err, commands, out)
	}
}

const (
	failedRun  = "018d0c00-0000-7000-8000-00000000000a"
	runningRun = "018d0c00-0000-7000-8000-00000000000b"
	laterRun   = "018d0c00-0000-7000-8000-00000000000c"
)

// fill sends a failed run and a running one.
func (p *process) fill() {
	p.Helper()
	for _, attempt := range []string{failedRun, runningRun} {
		p.sent(201)(p.start(attempt, "acme/shop", "build"))
		p.sent(204)(p.putChunk(attempt, whole, "a.c:1:2: error: bad "+attempt+"\n"))
	}
	p.sent(204)(p.do("PUT", "/v1/runs/"+failedRun+"/events/0",
		strings.NewReader(`{"event_id":1,"severity":"error","ref_file":"a.c","ref_line":1,"message":"bad"}`+"\n"),
		"Content-Type", "application/x-ndjson"))
	p.sent(200)(p.post("/v1/runs/"+failedRun+"/finish",
		`{"finished_at": "2026-01-01T10:00:05Z", "exit_code": 1, "chunks": 1, "batches": 1, "lines": 1}`))
}

// sent returns a function that checks the status of an answer.
func (p *process) sent(want int) func(status int, text string) {
	return func(status int, text string) {
		p.Helper()
		if status != want {
			p.Fatalf("%d %s, want %d", status, text, want)
		}
	}
}

// answers returns what the service says about the runs.
func (p *process) answers() map[string]string {
	p.Helper()
	all := map[string]string{}
	for _, path := range []string{"/v1/status", "/v1/history", "/v1/events?severity=error", "/v1/output?ref=" + failedRun,
		"/v1/output?ref=" + runningRun, "/v1/inspect?ref=acme/shop@build:1:1"} {
		all[path] = age.ReplaceAllString(p.get(path), "")
	}
	return all
}

// age matches fields of an answer that grow while a run is running.
var age = regexp.MustCompile(`"(elapsed|idle)_seconds":\d+,?`)

// A service with data is backed up while it runs, as the document says, and restored elsewhere. It gives the same
// answers as at the time of the backup. The old token still works, and the running run can be finished.
func TestTheDocumentedBackupsAreRestored(t *testing.T) {
	t.Parallel()
	for section, where := range map[string]func(t *testing.T) []string{
		"Your own PostgreSQL and files": func(t *testing.T) []string {
			logs := filepath.Join(t.TempDir(), "logs")
			return []string{"LOGS=" + logs, "BLQ_BLOBS=file://" + logs, "BLQ_DATABASE_URL=" + pgtest.New(t)}
		},
		"SQLite and files": func(t *testing.T) []string {
			data := filepath.Join(t.TempDir(), "data")
			return []string{"DATA=" + data, "BLQ_DATA=" + data}
		},
	} {
		t.Run(section, func(t *testing.T) {
			t.Parallel()
			backup, restore := documented(t, section)
			saved := "BACKUP=" + t.TempDir()
			old := where(t)
			first := serve(t, old, "--auth=required", "--github-api=", "--issuers=")
			token := makeToken(t, old, "--scope", "ingest,read", "--repo", "acme/shop")
			p := first.with(token)
			p.fill()
			want := p.answers()
			newOperator(t, append(old, saved)...).run(backup)
			p.sent(201)(p.start(laterRun, "acme/shop", "later"))
			first.kill()

			fresh := where(t)
			newOperator(t, append(fresh, saved)...).run(restore)
			p = serve(t, fresh, "--auth=required", "--github-api=", "--issuers=").with(token)
			if diff := cmp.Diff(want, p.answers()); diff != "" {
				t.Errorf("-before +restored:\n%s", diff)
			}
			p.sent(200)(p.finish(runningRun, 0))
			p.sent(201)(p.start(laterRun, "acme/shop", "later"))
		})
	}
}
