//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// tried has values for arguments, by name.
var tried = map[string][]any{
	"ref": {"build:1", "test:11", "lint:21", "big:48", "latest", "build:~1", "1:1", "build:7:1", "big:48:7",
		"build:999", "nothing", "big:48:L10-L20"},
	"run_id": {"build:1", "7", "big", "lint:21", "build:999"}, "run1": {"build:1", "build:4"},
	"run2":     {"build:7", "build:40"},
	"baseline": {"main", "topic", "build:1"}, "source": {"test", "big", "none"},
	"branch": {"main", "topic", "feature", "mian"},
	"commit": {strings.Repeat("0", 38) + "12", "0000", "abcd"}, "pr": {5, 6}, "repo": {"acme/app", "acme/none"},
	"severity": {"error", "warning", "error,warning", "all"}, "limit": {1, 5, 200}, "offset": {3},
	"status":       {"running", "completed", "orphaned", "done"},
	"file_pattern": {"src/%", "%.c"}, "filter": {"severity=error ref_file~src", "tool_name!=gcc", "bad"}, "before": {20},
	"sql": {"SELECT run_ref, status, error_count FROM blq_load_runs() ORDER BY run_id",
		"SELECT * FROM blq_load_events() ORDER BY run_id, event_id LIMIT 90", "SELEKT"},
	"tail": {0, 3}, "head": {2}, "grep": {"error", "number.119", "("}, "context": {2}, "lines": {"1-5", "500-520"},
	"stream": {"stderr", "stdout"},
	"errors": {true}, "warnings": {true}, "format": {"brief", "detailed"}, "detail": {"full"},
}

// toolsAreEqual calls every tool that answers questions about runs, on the folder and on services, and compares the
// answers.
func toolsAreEqual(t *testing.T, dir string, far []*service) {
	t.Helper()
	w, err := project.Open(t.Context(), filepath.Join(dir, project.DirName))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ask := func(context.Context) (*query.Asker, error) {
		return &query.Asker{Store: w.Store, Blobs: w.Blobs, Scope: store.Everything()}, nil
	}
	here, err := mcp.New(mcp.Config{Hosted: true, Also: []string{"graph"}, Ask: ask})
	if err != nil {
		t.Fatal(err)
	}
	n, unknown := 0, map[string]bool{}
	for _, tool := range here.Questions() {
		if row, _ := questions.All().Find(tool); row.OfFacts() {
			continue // this server has none
		}
		for _, arguments := range combinations() {
			want := answered(here.Answer(t.Context(), tool, arguments))
			if strings.Contains(want, "has no parameter") {
				if unknown[want] {
					continue
				}
				unknown[want] = true
			}
			for i, s := range far {
				if diff := cmp.Diff(want, s.answer(t, tool, arguments)); diff != "" {
					t.Errorf("%s %v (-here +there %d):\n%.2000s", tool, arguments, i, diff)
				}
			}
			n++
		}
	}
	t.Logf("%d questions of %d tools", n, len(here.Questions()))
}

// combinations returns sets of arguments: no arguments, two pairs of runs, each argument alone, and each argument
// except ref and repo together with a ref.
func combinations() []map[string]any {
	list := []map[string]any{{}, {"run1": "build:4", "run2": "build:7"}, {"run1": "build:1", "run2": "big"}}
	for name, values := range tried {
		for _, v := range values {
			list = append(list, map[string]any{name: v})
			for _, ref := range []string{"build:7", "big"} {
				if name != "ref" && name != "repo" {
					list = append(list, map[string]any{name: v, "ref": ref})
				}
			}
		}
	}
	return list
}

// answered returns the answer in the form of a service.
func answered(text json.RawMessage, err error) string {
	if err != nil {
		return fmt.Sprint(store.CodeOf(err), ": ", err)
	}
	return string(text)
}

// answer calls a tool of a service.
func (s *service) answer(t *testing.T, tool string, arguments map[string]any) string {
	t.Helper()
	q := url.Values{}
	for name, v := range arguments {
		q.Set(name, fmt.Sprint(v))
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/"+tool+"?"+q.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return got(t, r)
}

// got sends a request. It returns the answer, or the code and message of the error.
func got(t *testing.T, r *http.Request) string {
	t.Helper()
	r.Header.Set("Authorization", "Bearer "+testToken)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var refused struct {
		Error *struct{ Code, Message string }
	}
	if res.StatusCode != http.StatusOK && json.Unmarshal(text, &refused) == nil && refused.Error != nil {
		return refused.Error.Code + ": " + refused.Error.Message
	}
	return strings.TrimSuffix(string(text), "\n")
}
