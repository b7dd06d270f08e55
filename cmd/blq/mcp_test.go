//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newProject makes a folder with a passed build, two failed builds, and two registered commands.
func newProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, script := range []string{
		"echo all well",
		`printf 'a.c:3:5: error: expected ; before }\nb.c:7:1: warning: unused variable x [-Wunused]\n'; exit 2`,
		`printf 'a.c:3:5: error: expected ; before }\na.c:9:2: error: too few arguments\n'; exit 2`,
	} {
		if err := blq(dir, "run", "--quiet", "--name", "build", "--", "sh", "-c", script).Run(); err != nil &&
			!strings.Contains(script, "exit 2") {
			t.Fatal(err)
		}
	}
	for _, c := range [][]string{{"ok", "true"}, {"spare", "false"}} {
		if out, err := blq(dir, "commands", "register", c[0], c[1]).CombinedOutput(); err != nil {
			t.Fatalf("register: %v\n%s", err, out)
		}
	}
	return dir
}

// serveHTTP starts blq mcp serve and returns its address. At the end of the test it stops the server, which must exit
// without an error.
func serveHTTP(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := blq(dir, append([]string{"mcp", "serve", "--transport", "http", "--port", "0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the server ended: %v", cmd.Wait())
		}
		_, rest, ok := strings.Cut(line, "serving MCP at ")
		if url, _, found := strings.Cut(rest, "/mcp,"); ok && found {
			t.Cleanup(func() {
				cmd.Process.Signal(syscall.SIGTERM)
				rest, _ := io.ReadAll(lines)
				if err := cmd.Wait(); err != nil {
					t.Errorf("the server ended with %v:\n%s", err, rest)
				}
			})
			return url
		}
	}
}

// way is how a client reaches the server.
type way struct {
	name, revision string
	transport      func() mcp.Transport
}

// ways are all transports, each with some of the revisions that it supports.
func ways(t *testing.T, dir string) []way {
	url := serveHTTP(t, dir)
	stdio := func() mcp.Transport { return &mcp.CommandTransport{Command: stdioServer(dir)} }
	http := func() mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: url + "/mcp"} }
	sse := func() mcp.Transport { return &mcp.SSEClientTransport{Endpoint: url + "/sse"} }
	return []way{
		{"stdio", "2026-07-28", stdio}, {"stdio", "2025-11-25", stdio}, {"stdio", "2024-11-05", stdio},
		{"http", "2026-07-28", http}, {"http", "2025-11-25", http}, {"http", "2025-03-26", http},
		{"sse", "2024-11-05", sse}, {"sse", "2025-11-25", sse},
	}
}

func stdioServer(dir string, args ...string) *exec.Cmd {
	cmd := blq(dir, append([]string{"mcp", "serve"}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

func (w way) connect(t *testing.T) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), w.transport(), &mcp.ClientSessionOptions{ProtocolVersion: w.revision})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != w.revision {
		t.Errorf("the server speaks revision %s, want %s", got, w.revision)
	}
	return session
}

// calls has the arguments of a call of each tool. changes are the tools that run, stop or change something.
var (
	calls = map[string]string{
		"run": `{"command":"ok"}`, "exec": `{"command":"true"}`, "register_command": `{"name":"ok","cmd":"true"}`,
		"unregister_command": `{"name":"spare"}`, "cancel": `{"ref":"sleep"}`,
		"clean": `{"mode":"prune","days":10000,"confirm":true}`,
		"query": `{"filter":"severity=error"}`, "events": `{"severity":"error"}`, "inspect": `{"ref":"build:2:1"}`,
		"output": `{"ref":"build:2"}`, "status": `{}`, "info": `{"ref":"build:2","context":3}`, "history": `{}`,
		"tests": `{}`,
		"diff":  `{"run1":2,"run2":3}`, "commands": `{}`, "triage": `{"ref":"build:3"}`, "summarize": `{"ref":"build:3"}`,
	}
	changes = []string{"run", "exec", "cancel", "register_command", "unregister_command", "clean"}
)

// everything calls all tools of the server that change nothing, and asks for its resources and prompts. It returns the
// answers by question.
func everything(t *testing.T, s *mcp.ClientSession) map[string]any {
	t.Helper()
	answers := map[string]any{}
	keep := func(question string, answer any, err error) {
		if err != nil {
			t.Errorf("%s: %v", question, err)
		}
		answers[question] = plain(t, answer)
	}
	ctx := t.Context()
	tools, err := s.ListTools(ctx, nil)
	keep("tools", tools.Tools, err)
	for _, tool := range tools.Tools {
		if slices.Contains(changes, tool.Name) {
			continue
		}
		if calls[tool.Name] == "" {
			t.Errorf("tool %s has no call here: add one", tool.Name)
		}
		r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: json.RawMessage(calls[tool.Name])})
		keep("tool "+tool.Name, []any{r.IsError, r.Content, r.StructuredContent}, err)
		if r.IsError {
			t.Errorf("tool %s: %v", tool.Name, plain(t, r.Content))
		}
	}
	askResources(ctx, t, s, keep)
	askPrompts(ctx, t, s, keep)
	return answers
}

// values has values for the variables of resource templates, and for the arguments of prompts.
var values = map[string]string{
	"ref": "build%3A2%3A1", "run_ref": "build%3A2", "serial": "2", "run_id": "2", "source": "build",
	"event_ref": "build%3A2%3A1",
	"severity":  "error", "limit": "5", "file": "a.c", "file_pattern": "a%25", "lines": "3", "tail": "3", "status": "FAIL",
	"citation": "code%2Fa.c%3A1",
	"run1":     "2", "run2": "3", "name": "ok", "fingerprint": "x", "event_id": "1", "id": "2",
}

// expand replaces the variables of a template, and drops its query string.
func expand(template string) string {
	path, _, _ := strings.Cut(template, "{?")
	for name, value := range values {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
		path = strings.ReplaceAll(path, "{+"+name+"}", value)
	}
	return path
}

func askResources(ctx context.Context, t *testing.T, s *mcp.ClientSession, keep func(string, any, error)) {
	resources, err := s.ListResources(ctx, nil)
	keep("resources", resources.Resources, err)
	templates, err := s.ListResourceTemplates(ctx, nil)
	keep("templates", templates.ResourceTemplates, err)
	var uris []string
	for _, r := range resources.Resources {
		uris = append(uris, r.URI)
	}
	for _, r := range templates.ResourceTemplates {
		uri := expand(r.URITemplate)
		if strings.Contains(uri, "{") {
			t.Errorf("template %s has a variable without a value here: add one", r.URITemplate)
		}
		uris = append(uris, uri)
		completed, err := s.Complete(ctx, &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: r.URITemplate},
			Argument: mcp.CompleteParamsArgument{Name: "ref", Value: ""},
		})
		if err != nil {
			t.Errorf("complete %s: %v", r.URITemplate, err)
			continue
		}
		keep("complete "+r.URITemplate, completed.Completion, err)
	}
	for _, uri := range uris {
		r, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Errorf("read %s: %v", uri, err)
			continue
		}
		keep("resource "+uri, r.Contents, err)
	}
}

func askPrompts(ctx context.Context, t *testing.T, s *mcp.ClientSession, keep func(string, any, error)) {
	prompts, err := s.ListPrompts(ctx, nil)
	keep("prompts", prompts.Prompts, err)
	for _, p := range prompts.Prompts {
		r, err := s.GetPrompt(ctx, &mcp.GetPromptParams{Name: p.Name})
		if err != nil {
			t.Errorf("prompt %s: %v", p.Name, err)
			continue
		}
		keep("prompt "+p.Name, r.Messages, err)
		for _, a := range p.Arguments {
			c, err := s.Complete(ctx, &mcp.CompleteParams{
				Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: p.Name},
				Argument: mcp.CompleteParamsArgument{Name: a.Name, Value: ""},
			})
			keep("complete "+p.Name+" "+a.Name, c.Completion, err)
		}
	}
}

// plain returns v after a round trip through JSON.
func plain(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var p any
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// A client of the MCP library asks all questions that change nothing. The answers are the same over every transport.
func TestAllTransportsAnswerAlike(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	var first map[string]any
	for _, w := range ways(t, dir) {
		t.Run(w.name+" "+w.revision, func(t *testing.T) {
			answers := everything(t, w.connect(t))
			if first == nil {
				first = answers
				t.Logf("%d questions", len(answers))
			}
			for _, question := range slices.Sorted(maps.Keys(first)) {
				if diff := cmp.Diff(first[question], answers[question]); diff != "" {
					t.Errorf("%s is answered otherwise than over stdio (-stdio +this):\n%s", question, diff)
				}
			}
		})
	}
}

func TestToolsThatChangeSomethingWorkOverAllTransports(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	for _, w := range ways(t, dir) {
		t.Run(w.name+" "+w.revision, func(t *testing.T) {
			s := w.connect(t)
			blq(dir, "commands", "register", "spare", "false").Run()
			for _, name := range toolNames(t, s) {
				if !slices.Contains(changes, name) {
					continue
				}
				if name == "cancel" {
					answerOf(t, s, "exec", map[string]any{"command": "sleep 1000", "wait": 0})
				}
				r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(calls[name])})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				} else if r.IsError {
					t.Errorf("%s: %v", name, plain(t, r.Content))
				}
			}
		})
	}
}

func toolNames(t *testing.T, s *mcp.ClientSession) []string {
	t.Helper()
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}
