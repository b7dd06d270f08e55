//go:build unix

package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// newFolder returns a new .lq folder without runs.
func newFolder(t *testing.T) *project.Project {
	t.Helper()
	dir := filepath.Join(t.TempDir(), project.DirName)
	_, err := project.Create(dir)
	check(t, err)
	w, err := project.Open(t.Context(), dir)
	check(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// tool returns the answer of a tool over MCP.
func (p *process) tool(name string, arguments map[string]any) string {
	p.Helper()
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": name, "arguments": arguments}})
	check(p.T, err)
	_, text := p.post("/mcp", string(message))
	var answer struct {
		Result struct{ Content []struct{ Text string } }
	}
	check(p.T, json.Unmarshal([]byte(text[strings.Index(text, "{"):]), &answer))
	if len(answer.Result.Content) == 0 {
		p.Fatalf("%s: %s", name, text)
	}
	return answer.Result.Content[0].Text
}

// follow records a script and sends the run while it runs. The channel is closed when the service has the whole run.
func follow(t *testing.T, w *project.Project, c *client.Client, repo, script string) <-chan struct{} {
	t.Helper()
	begun, ended, sent := make(chan store.Run, 1), make(chan struct{}), make(chan struct{})
	spec := record.Spec{Source: "build", Dir: w.Root(), Background: true,
		Command: project.Plain([]string{"bash", "-c", script}), Begun: func(r store.Run) { begun <- r }}
	go func() {
		defer close(ended)
		if _, err := record.Command(context.WithoutCancel(t.Context()), w, spec); err != nil {
			t.Error(err)
		}
	}()
	run := <-begun
	go func() {
		defer close(sent)
		p := client.Pusher{Client: c, Source: w.Store, Blobs: w.Blobs, Repo: repo}
		sending := p.Begin(run.Attempt)
		<-ended
		if got, err := sending.Finish(context.WithoutCancel(t.Context())); err != nil || !got.Complete {
			t.Errorf("%+v %v", got, err)
		}
	}()
	return sent
}

func TestARunIsSeenWhileItRuns(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]func(t *testing.T) string{"sqlite": func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return pgtest.Copy(t, migrated) }} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p, w := serve(t, []string{"BLQ_DATABASE_URL=" + database(t), "BLQ_AUTH=none", "BLQ_DATA=" + t.TempDir()}),
				newFolder(t)
			c, err := client.New(client.Config{URL: p.URL})
			check(t, err)
			sent := follow(t, w, c, "acme/shop", `
				echo "src/a.c:1:1: error: 'x' undeclared"; echo "make[1]: *** [a.o] Error 1"
				for i in $(seq 600); do [ -e go ] && break; sleep 0.1; done
				echo "src/b.c:2:1: error: 'y' undeclared"; exit 2`)
			until(t, "the error of a running run", func() bool {
				return strings.Contains(p.tool("info", map[string]any{"ref": "build"}), `"error_count":1`)
			})
			until(t, "its log", func() bool {
				return strings.Contains(p.tool("output", map[string]any{"ref": "build"}), "Error 1")
			})
			for _, tt := range []struct {
				tool      string
				arguments map[string]any
				want      []string
			}{
				{"info", map[string]any{"ref": "build:1", "errors": true}, []string{`"status":"RUNNING"`, "'x' undeclared"}},
				{"events", map[string]any{"run_id": "acme/shop@build:1"},
					[]string{`"ref":"acme/shop@1:1"`, "'x' undeclared", `"total_count":1`}},
				{"status", nil, []string{`"status":"RUNNING","error_count":1`}},
				{"output", map[string]any{"ref": "build", "tail": 5}, []string{"make[1]: *** [a.o] Error 1"}},
				{"inspect", map[string]any{"ref": "build:1:1"}, []string{"'x' undeclared"}},
				{"query", map[string]any{"sql": "SELECT error_count || ref_file AS x FROM blq_load_runs() r JOIN " +
					"blq_load_events() e USING (run_id)"}, []string{"1src/a.c"}},
			} {
				text := p.tool(tt.tool, tt.arguments)
				for _, word := range tt.want {
					if !strings.Contains(text, word) {
						t.Errorf("%s of a running run lacks %s: %s", tt.tool, word, text)
					}
				}
			}
			check(t, os.WriteFile(filepath.Join(w.Root(), "go"), nil, 0o644))
			<-sent
			want := `[["1 error 'x' undeclared"],["2 info [a.o] Error 1"],["3 error 'y' undeclared"]]`
			if text := p.tool("query", map[string]any{
				"sql": "SELECT event_id || ' ' || severity || ' ' || message AS e FROM blq_load_events() ORDER BY event_id"}); !strings.Contains(text, want) {
				t.Errorf("at the end there are %s, want %s", text, want)
			}
			if text := p.tool("info", map[string]any{"ref": "build"}); !strings.Contains(text, `"status":"FAIL"`) ||
				!strings.Contains(text, `"error_count":2`) {
				t.Errorf("info at the end: %s", text)
			}
		})
	}
}
