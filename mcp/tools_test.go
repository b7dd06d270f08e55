package mcp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/query/questions"
)

func TestToolDefinitions(t *testing.T) {
	t.Parallel()
	result, problem := serve(t, runs).request("tools/list", nil)
	if problem != "" {
		t.Fatal(problem)
	}
	golden(t, "tools.json", string(result))
	var list struct {
		Tools []struct {
			Name, Description string
			InputSchema       schema
			OutputSchema      schema
			Annotations       map[string]bool
		}
	}
	querytest.Check(t, json.Unmarshal(result, &list))
	if len(list.Tools) == 0 {
		t.Fatal("no tools")
	}
	for _, tool := range list.Tools {
		if tool.Description == "" || len(tool.Annotations) != 4 {
			t.Errorf("%s: description %q, annotations %v, want all four", tool.Name, tool.Description, tool.Annotations)
		}
		tool.InputSchema.documented(t, tool.Name, true)
		tool.OutputSchema.documented(t, tool.Name, false)
	}
	for _, tool := range mcp.Describe(mcp.Config{}) {
		for _, key := range tool.Answer {
			if key.Description == "" {
				t.Errorf("%s.%s is not documented", tool.Name, key.Name)
			}
		}
	}
	if len(result) > maxDefinitions {
		t.Errorf("%d tools in %d bytes, max %d: say it in fewer words; make tokens names the largest", len(list.Tools),
			len(result), maxDefinitions)
	}
	if further := 3 * len(result) / len(list.Tools); len(result)+further > maxDefinitions {
		t.Errorf("%d tools in %d bytes: there is no room for three more under %d", len(list.Tools), len(result),
			maxDefinitions)
	}
}

// starter is a Commands, but no Registry. The test only lists the tools, and calls no method.
type starter struct{ runner.Commands }

func TestToolsOfAHostedServerThatStartsCommands(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *mcp.Config) { c.Commands, c.Hosted = starter{}, true })
	result, problem := s.request("tools/list", nil)
	if problem != "" {
		t.Fatal(problem)
	}
	if len(result) > maxDefinitions {
		t.Errorf("%d bytes, max %d", len(result), maxDefinitions)
	}
	for name, want := range map[string]bool{"run": true, "commands": true, "exec": false, "register_command": false,
		"unregister_command": false, "clean": false} {
		if got := strings.Contains(string(result), `"name":"`+name+`"`); got != want {
			t.Errorf("%s is listed: %v", name, got)
		}
		if !want {
			if text, isError := s.call(name, `{"command": "make"}`); !isError ||
				!strings.Contains(text, "starts only what its operator has configured") {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
	if text, isError := serve(t).call("run", `{"command": "make", "repo": "acme/shop"}`); !isError ||
		!strings.Contains(text, "runs no commands") {
		t.Error(text)
	}
}

// poster records the requested summaries.
type poster struct{ asked *[]query.PullSummary }

func (p poster) PostSummary(_ context.Context, s query.PullSummary) (query.SummaryPosted, error) {
	*p.asked = append(*p.asked, s)
	return query.SummaryPosted{Repo: s.Repo, PR: s.PR, State: "posted", URL: "https://x", Markdown: "### ok\n"}, nil
}

// A server with a GitHub App offers post_summary, unless it is in safe mode. Other servers refuse the call with a
// reason.
func TestSummariesArePostedByServersWithAnApp(t *testing.T) {
	t.Parallel()
	var asked []query.PullSummary
	posts := func(c *mcp.Config) {
		ask := c.Ask
		c.Hosted, c.Posts, c.Commands = true, true, starter{}
		c.Ask = func(ctx context.Context) (*query.Asker, error) {
			a, err := ask(ctx)
			if err == nil {
				a.Summaries = poster{&asked}
			}
			return a, err
		}
	}
	s := serve(t, posts)
	result, problem := s.request("tools/list", nil)
	var list struct{ Tools []json.RawMessage }
	querytest.Check(t, json.Unmarshal(result, &list))
	if problem != "" || len(result) > maxDefinitions {
		t.Errorf("%s, %d bytes, max %d", problem, len(result), maxDefinitions)
	}
	for _, tool := range list.Tools {
		if strings.Contains(string(tool), `"name":"post_summary"`) {
			golden(t, "post_summary_tool.json", string(tool))
		}
	}
	text, isError := s.call("post_summary", `{"pr": 7, "repo": "o/n", "note": " it is\u202e the cache ", "format": "brief"}`)
	if isError || !strings.Contains(text, `"state":"posted"`) || len(asked) != 1 ||
		asked[0] != (query.PullSummary{Repo: "o/n", PR: 7, Note: "it is the cache", Format: "brief"}) {
		t.Errorf("%s: %+v", text, asked)
	}
	for arguments, want := range map[string]string{`{"note": "x"}`: "which pull request", `{"pr": -1}`: "pr",
		`{"ref": "build:1"}`: "not a run of the pull request", `{"pr": 99}`: "no runs of the pull request 99",
		`{"pr": 7, "repo": "o/n", "format": "long"}`: "format"} {
		if text, isError := s.call("post_summary", arguments); !isError || !strings.Contains(text, want) {
			t.Errorf("%s: %s", arguments, text)
		}
	}
	safe := serve(t, posts, func(c *mcp.Config) { c.SafeMode = true })
	for why, s := range map[string]*server{"without --safe-mode": safe, "has no GitHub App": serve(t, runs)} {
		text, isError := s.call("post_summary", `{"pr": 7}`)
		if list, _ := s.request("tools/list", nil); !isError || !strings.Contains(text, why) ||
			strings.Contains(string(list), "post_summary") {
			t.Errorf("%s, not %s", text, why)
		}
	}
	if len(asked) != 1 {
		t.Errorf("%+v", asked)
	}
}

// maxDefinitions is the max size of the definitions of all tools in bytes of JSON: 6,000 tokens of 4.2 bytes each,
// counted with the o200k vocabulary. An agent reads the definitions before it does anything.
const maxDefinitions = 25_200

// schema holds the parts of a JSON Schema that the test reads.
type schema struct {
	Type        any
	Description string
	Properties  map[string]schema
	Items       *schema
}

// documented checks that each key has a description, at any depth. In an answer only keys with objects need one,
// because names and values of the other keys are enough.
func (s schema) documented(t *testing.T, at string, input bool) {
	t.Helper()
	if s.Items != nil {
		s.Items.documented(t, at+"[]", input)
	}
	for key, p := range s.Properties {
		holdsObjects := p.Type == "object" || p.Items != nil && p.Items.Type == "object"
		if p.Description == "" && (input || holdsObjects) {
			t.Errorf("%s.%s is not documented", at, key)
		}
		p.documented(t, at+"."+key, input)
	}
}

// noCommands is a Registry without commands.
type noCommands struct{ runner.Registry }

func (noCommands) List(context.Context) ([]runner.Command, error) { return nil, nil }

func runs(c *mcp.Config) { c.Commands = noCommands{} }

func TestQuestions(t *testing.T) {
	t.Parallel()
	s := serve(t)
	// The tools in this list have their own tests.
	asked := []string{"summarize", "commands", "find", "list-sources", "run-command", "learn-blz",
		"realm_status", "realm_check", "contract_get", "notifications_list", "realm_pr_status",
		"prime", "get_context", "get_graph", "list_nodes", "search", "why", "lint", "sync_check", "get_status",
		"generate_docs"}
	for _, tt := range []struct{ golden, tool, arguments string }{
		{"status", "status", `{}`},
		{"events", "events", `{}`},
		{"events_run", "events", `{"run_id": 3, "severity": "error", "limit": 1}`},
		{"events_batch", "events", `{"run_ids": [1, 3], "severity": "error", "limit_per_run": 2}`},
		{"query_sql", "query", `{"sql": "SELECT ref_file, count(*) AS n FROM blq_load_events() GROUP BY 1 ORDER BY 1"}`},
		{"query_filter", "query", `{"filter": "severity=error ref_file~main", "limit": 2}`},
		{"inspect", "inspect",
			`{"ref": "build:3:1", "lines": 1, "include_git_context": true, "include_fingerprint_history": true}`},
		{"inspect_batch", "inspect", `{"refs": ["build:3:1", "3:99"], "lines": 0, "include_source_context": false}`},
		{"output", "output", `{"run_id": 3, "tail": 2}`},
		{"output_grep", "output", `{"ref": "build:3", "grep": "bar", "context": 1}`},
		{"info", "info", `{"ref": "build:3", "tail": 1, "errors": true, "limit": 1}`},
		{"info_context", "info", `{"ref": "build:3", "context": 1}`},
		{"info_context_tail", "info", `{"ref": "build:3", "context": 1, "tail": 1, "limit": 1}`},
		{"info_context_nothing_recognised", "info", `{"ref": "test", "context": 1}`},
		{"history", "history", `{"limit": 2}`},
		{"tests", "tests", `{}`},
		{"diff", "diff", `{"run1": 1, "run2": 3}`},
		{"triage", "triage", `{"ref": "build:3"}`},
		{"triage_nothing_recognised", "triage", `{"source": "test"}`},
	} {
		asked = append(asked, tt.tool)
		t.Run(tt.golden, func(t *testing.T) {
			text, isError := s.call(tt.tool, tt.arguments)
			if isError {
				t.Fatal(text)
			}
			golden(t, tt.golden+".json", text)
		})
	}
	for _, row := range questions.All().Tools() {
		if row.ReadOnly && !slices.Contains(asked, row.Tool) {
			t.Errorf("the tool %s has no call here: add one", row.Tool)
		}
	}
}

// Each defined tool has a row in the list of questions. No client gets a tool without a row.
func TestEveryToolHasARow(t *testing.T) {
	t.Parallel()
	described := mcp.ToolNames(mcp.Config{})
	for _, row := range questions.All().Tools() {
		if !slices.Contains(described, row.Tool) {
			t.Errorf("the row %s is of no tool: nothing is written for %s", row.Name, row.Tool)
		}
	}
	if len(described) != len(questions.All().Tools()) {
		t.Errorf("the tools are %v", described)
	}
}
