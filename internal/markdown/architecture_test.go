package markdown_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/architecture"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// hostileNode is a name that Markdown would interpret if it were not shown as code.
const hostileNode = "db</code>`@everyone ![x](http://evil.example/x.png) \u202e<img>"

// layers returns a fixture with a pull request. A change in one node breaks the test of another node.
func layers(t *testing.T) *fixture {
	f := empty(t)
	files := querytest.Files{
		".beadloom/_graph/g.yml": "nodes:\n- {ref_id: web, source: web/, owners: ['@web-team']}\n- {ref_id: '" + hostileNode +
			"', source: db/}\n- {ref_id: log, source: log/}\n",
		"go.mod":         "module m\n",
		"web/page.go":    "package web\nimport \"m/db\"\nfunc Page() int { return db.Rows() }\n",
		"web/page_x.go":  "package web\n",
		"db/db.go":       "package db\nfunc Rows() int { return 3 }\n",
		"log/log.go":     "package log\nfunc Line() {}\n",
		"web/p_test.go":  "package web\nfunc TestPage() { Page() }\n",
		"docs/readme.md": "text",
	}
	unrelated, guilty := maps.Clone(files), maps.Clone(files)
	unrelated["log/log.go"] = "package log\nfunc Line() { }\n"
	guilty["db/db.go"] = "package db\nfunc Rows() int { return 4 }\n"
	guilty["log/log.go"] = unrelated["log/log.go"]
	const middleSHA = "3333333333333333333333333333333333333333"
	f.Docs = querytest.Docs(t, f.Store.(store.Sources), nil)
	f.Docs.Facts = querytest.History{{Hash: mainSHA, Files: files}, {Hash: middleSHA, Files: unrelated},
		{Hash: topicSHA, Files: guilty}}
	f.Graphs = architecture.InMemory{Cache: architecture.New(1<<20, nil)}
	f.add(t, ended{}, onMain)
	f.add(t, ended{exit: 1, events: []store.Event{{Severity: store.SeverityError, File: "web/p_test.go", Line: 2,
		Message: "got 4, want 3", Test: "TestPage", Tool: "go", Category: store.CategoryTest}}}, onTopic)
	return f
}

func TestReportsNameNodesAndSuspects(t *testing.T) {
	t.Parallel()
	f := layers(t)
	pull, err := markdown.WritePull(context.Background(), f.Asker, cmdline.Words,
		markdown.PullParams{PR: 12, Commit: topicSHA})
	check(t, err)
	texts := map[string]string{"pull": pull.Markdown}
	for _, format := range []markdown.Format{markdown.Detailed, markdown.PRComment} {
		r, err := markdown.Write(context.Background(), f.Asker, cmdline.Words,
			markdown.Params{Ref: "build:2", Format: format})
		check(t, err)
		texts[string(format)] = r.Markdown
	}
	name := "``" + strings.ReplaceAll(query.Clean(hostileNode), "  ", " ") + "``"
	for format, text := range texts {
		for _, want := range []string{
			"\n   Node: `web` of `@web-team`, changed upstream: " + name + "\n",
			"\nMay be the cause:\n\n- `222222222` in " + name + ": ``changes Rows, which web/p_test.go uses over Page; changes ",
			"(`code@2222222222/db/db.go:1`)\n",
		} {
			if strings.Count(text, want) != 1 {
				t.Errorf("%s has no %q:\n%s", format, want, text)
			}
		}
		if strings.Contains(text, "333333333") {
			t.Errorf("%s suspects an unrelated commit:\n%s", format, text)
		}
	}
	short, err := markdown.WritePull(context.Background(), f.Asker, cmdline.Words,
		markdown.PullParams{PR: 12, Commit: topicSHA, MaxBytes: 900})
	check(t, err)
	if len(short.Markdown) > 900 || strings.Contains(short.Markdown, "Node:") {
		t.Errorf("%d bytes:\n%s", len(short.Markdown), short.Markdown)
	}
}

// If the files of a commit inside a range are unknown, the suspect is the node whose change may have caused the
// failure.
func TestReportsNameNodesOfSeveralCommits(t *testing.T) {
	t.Parallel()
	f := layers(t)
	history := f.Docs.Facts.(querytest.History)
	history[1].Files = nil
	pull, err := markdown.WritePull(context.Background(), f.Asker, cmdline.Words,
		markdown.PullParams{PR: 12, Commit: topicSHA})
	check(t, err)
	name := "``" + strings.ReplaceAll(query.Clean(hostileNode), "  ", " ") + "``"
	want := "\nMay be the cause:\n\n- several commits in " + name + ": ``changes Rows, which web/p_test.go uses over Page; "
	if !strings.Contains(pull.Markdown, want) || !strings.Contains(pull.Markdown, "(`code@2222222222/db/db.go:1`)\n") ||
		strings.Contains(pull.Markdown, "- `2222") {
		t.Errorf("no %q in:\n%s", want, pull.Markdown)
	}
	why, err := f.Why(context.Background(), query.WhyParams{Ref: "build:2:1"})
	check(t, err)
	if len(why.Suspects) != 1 || why.Suspects[0].Kind != query.SuspectNode || why.Suspects[0].Commit != "" ||
		why.Suspects[0].Since != mainSHA || why.Suspects[0].Node != query.Clean(hostileNode) {
		t.Errorf("%+v", why.Suspects)
	}
}

// If several commits changed the same node, and none of them stands out, the suspect is the node.
func TestANodeStandsForCommitsThatAreAlike(t *testing.T) {
	t.Parallel()
	f := layers(t)
	history := f.Docs.Facts.(querytest.History)
	second, third := maps.Clone(history[0].Files), maps.Clone(history[0].Files)
	second["db/other.go"] = "package db\nfunc One() {}\n"
	third["db/other.go"] = "package db\nfunc One() {}\nfunc Two() {}\n"
	history[1].Files, history[2].Files = second, third
	why, err := f.Why(context.Background(), query.WhyParams{Ref: "build:2:1"})
	check(t, err)
	if len(why.Suspects) != 1 || why.Suspects[0].Kind != query.SuspectNode || why.Suspects[0].Since != mainSHA ||
		!strings.Contains(why.Suspects[0].Why, "in 2 commits of which none stands out") ||
		len(why.Suspects[0].Evidence) != 2 {
		t.Errorf("%+v", why.Suspects)
	}
}

func TestReportsWithoutFactsNameNoNodes(t *testing.T) {
	t.Parallel()
	f := layers(t)
	f.Docs.Facts = querytest.History{}
	pull, err := markdown.WritePull(context.Background(), f.Asker, cmdline.Words,
		markdown.PullParams{PR: 12, Commit: topicSHA})
	check(t, err)
	if strings.Contains(pull.Markdown, "Node:") || strings.Contains(pull.Markdown, "cause") {
		t.Error(pull.Markdown)
	}
}

// A search that was stopped could name other suspects each time.
func TestASearchThatEndsEarlyNamesNoSuspects(t *testing.T) {
	t.Parallel()
	f := layers(t)
	head, err := f.Store.Run(t.Context(), store.Everything(), store.Ref{Source: "build", Serial: 2})
	check(t, err)
	before, err := f.Store.Run(t.Context(), store.Everything(), store.Ref{Source: "build", Serial: 1})
	check(t, err)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	base := store.Baseline{Run: before}
	for ctx, want := range map[context.Context]bool{t.Context(): true, over: false} {
		found, complete := f.EventGraphs(ctx, head, base, []store.Event{
			{File: "web/p_test.go", Line: 2, Message: "got 4, want 3", Test: "TestPage"}})
		if complete != want || !complete && len(query.MergeSuspects(found)) > 0 {
			t.Errorf("complete is %v, the suspects are %+v", complete, query.MergeSuspects(found))
		}
	}
}

// An error that a run lacks is fixed only if the run printed all its output.
func TestNothingIsFixedByARunThatWasKilled(t *testing.T) {
	t.Parallel()
	for signal, want := range map[string]bool{"": true, "SIGKILL": false, "SIGTERM": false, "SIGSEGV": true} {
		run := store.Run{State: store.StateCompleted, Ending: store.Ending{ExitCode: new(1), Signal: signal}}
		facts := markdown.Facts{Run: run, Baseline: store.Baseline{Run: store.Run{Source: "build", Serial: 1}}}
		facts.Fixed = 2
		if got := strings.Contains(facts.ErrorCounts(), "2 fixed"); got != want {
			t.Errorf("%q: %s", signal, facts.ErrorCounts())
		}
	}
}
