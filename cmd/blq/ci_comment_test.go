//go:build unix && !job

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
)

// A note is sent without secrets. The command prints the Markdown of the answer, and says where the note was posted.
func TestANoteIsSentToTheServer(t *testing.T) {
	t.Parallel()
	var path string
	var asked struct {
		Repo   string
		Params query.PostSummaryParams
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		path = r.Method + " " + r.URL.Path
		if err := json.Unmarshal(body, &asked); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"repo":"acme/app","pr":7,"state":"posted","url":"https://x/7","cut":3,`+
			`"markdown":"### ok\n"}`)
	}))
	t.Cleanup(server.Close)
	cmd := blq(t.TempDir(), "ci", "comment", "7", "--remote="+server.URL, "--repo", "acme/app", "--note", "-", "--check")
	cmd.Env = append(cmd.Env, "BLQ_TOKEN=x", "DB_PASSWORD=hunter2hunter2")
	cmd.Stdin = strings.NewReader("it is hunter2hunter2\nand ghp_" + strings.Repeat("a1B2", 9) + "\n")
	var out, notes bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &notes
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &notes)
	}
	want := query.PostSummaryParams{PR: 7, Repo: "acme/app", Note: "it is ***\nand ***\n", Check: true}
	if diff := cmp.Diff(want, asked.Params); diff != "" || path != "POST /v1/ask/post_summary" {
		t.Errorf("%s: %s", path, diff)
	}
	if out.String() != "### ok\n" || notes.String() != "posted: pull request 7 of acme/app https://x/7\n"+
		"3 characters of the note were left out\n" {
		t.Errorf("%q, %q", &out, &notes)
	}
}
