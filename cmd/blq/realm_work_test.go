//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/query"
)

// whenAndWho matches parts that differ between two sessions.
var whenAndWho = regexp.MustCompile(`sess-[0-9a-f]{21}|20\d\d-\d\d-\d\d[Tt]\d\d:\d\d:\d\d[Zz]|\b\d+s\b`)

// Sessions work the same on the command line, over stdio, and on servers with both databases. To end a session on a
// server, the caller must name the session.
func TestSessionsAreEqualEverywhere(t *testing.T) {
	t.Parallel()
	dir, far, session := realmEverywhere(t)
	call := func(tool, args string) string {
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
		check(t, err)
		return r.Content[0].(*mcp.TextContent).Text
	}
	id := regexp.MustCompile(`sess-[0-9a-f]+`)
	// life starts a session twice, stops an unknown session, and stops the session twice.
	life := func(start func() string, stop func(id string) string) string {
		first := start()
		text := first + "\n" + start() + "\n" + stop("sess-0") + "\n" + stop(id.FindString(first)) + "\n" +
			stop(id.FindString(first))
		return whenAndWho.ReplaceAllString(strings.ToLower(text), "…")
	}
	local := life(func() string {
		return printedBy(dir, nil, "realm", "session", "start", "rfc-1", "--at", "topic", "--json")
	},
		func(id string) string { return printedBy(dir, nil, "realm", "session", "stop", id, "--json") })
	for _, want := range []string{`"message":"session started"`, `"status":"warning"`,
		`"contracts_modified":["s3/permissions"]`,
		`"active_rfc":"rfc-1"`, `"message":"session ended after …"`, "blq: no active session. nothing to stop."} {
		if !strings.Contains(local, want) {
			t.Errorf("no %s: %s", want, local)
		}
	}
	for i, s := range far {
		got := life(func() string {
			return printedBy(dir, s, "realm", "session", "start", "rfc-1", "--at", "topic", "--json", "--repo", "acme/app")
		}, func(id string) string {
			return printedBy(dir, s, "realm", "session", "stop", id, "--json", "--repo", "acme/app")
		})
		if diff := cmp.Diff(local, got); diff != "" {
			t.Errorf("-here +on server %d:\n%s", i, diff)
		}
		if got := printedBy(dir, s, "realm", "session", "stop", "--json", "--repo", "acme/app"); !strings.Contains(got,
			"which session? session_stop needs session_id") {
			t.Error(got)
		}
	}
	var message struct{ Message string }
	over := life(func() string { return call("session_start", `{"active_rfc":"rfc-1","at":"topic"}`) },
		func(id string) string {
			got := call("session_stop", `{"session_id":"`+id+`"}`)
			check(t, json.Unmarshal([]byte(got), &message))
			if strings.Contains(got, `"status":"error"`) {
				return "blq: " + message.Message
			}
			return got
		})
	if diff := cmp.Diff(local, over); diff != "" {
		t.Errorf("-command +stdio:\n%s", diff)
	}
}

// The summary of a session counts its runs, its commits, and its new and fixed errors.
func TestTheSummaryOfASession(t *testing.T) {
	t.Parallel()
	dir, _, _ := realmEverywhere(t)
	run := func(args ...string) string {
		t.Helper()
		out, _ := printed(t, blq(dir, args...))
		return out
	}
	build := func(errors string) {
		check(t, os.WriteFile(filepath.Join(dir, "build.sh"), []byte("cat <<.\n"+errors+".\nexit 1\n"), 0o644))
		run("exec", "--", "sh", "build.sh")
	}
	build("a.c:1:1: error: one\nb.c:2:1: error: two\n")
	run("realm", "session", "start")
	build("b.c:2:1: error: two\nc.c:3:1: error: three\nd.c:4:1: error: four\n")
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "two")
	var stopped query.SessionStopped
	check(t, json.Unmarshal([]byte(run("realm", "session", "stop", "--json")), &stopped))
	s := stopped.Summary
	if s.Runs != 1 || s.Commits != 1 || s.New != 2 || s.Fixed != 1 {
		t.Errorf("%+v", s)
	}
}

// A server makes no work trees, but says how to make them.
func TestAServerPlansWorkTrees(t *testing.T) {
	t.Parallel()
	dir, far, _ := realmEverywhere(t)
	for i, s := range far {
		got := printedBy(dir, s, "realm", "worktree", "new-api", "--repos", "blue", "--json", "--repo", "acme/app")
		want := `{"status":"plan","rfc":"new-api","realm":"aperture","reason":"Repos as requested","created":[],"existing":[],` +
			`"paths":{"blue":"~/.blue/worktrees/aperture/new-api/blue"},"plan":[{"repo":"blue",` +
			`"url":"https://git.example.com/acme/app","commands":["git fetch origin",` +
			`"git worktree add --no-track -b rfc/new-api ~/.blue/worktrees/aperture/new-api/blue origin/main"]}],"errors":[],` +
			`"next_steps":["Run the commands of plan, each list in a clone of its repository",` +
			`"cd ~/.blue/worktrees/aperture/new-api/blue to start working","Use session_start to track your work"]}`
		if diff := cmp.Diff(want, strings.TrimSpace(got)); diff != "" {
			t.Errorf("server %d:\n%s", i, diff)
		}
		got = printedBy(dir, s, "realm", "worktree", "topic", "--repos", "blue", "--json", "--repo", "acme/app")
		if !strings.Contains(got, `"git worktree add ~/.blue/worktrees/aperture/topic/blue topic"`) {
			t.Errorf("server %d: %s", i, got)
		}
		got = printedBy(dir, s, "realm", "pr-status", "topic", "--json", "--repo", "acme/app")
		for _, part := range []string{`"branch":"topic","uncommitted_changes":null,"commits_ahead":1,"pushed":true,"pr":null`,
			`"pull requests are not known here: blqd needs BLQ_GITHUB_TOKEN"`, `"merge_order":["blue"`,
			`"errors of contracts: `} {
			if !strings.Contains(got, part) {
				t.Errorf("server %d: no %s: %s", i, part, got)
			}
		}
	}
}
