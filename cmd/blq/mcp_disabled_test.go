//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The flag, the environment, the configuration and safe mode can each disable tools. A disabled tool is not listed and
// cannot be called. The refusal says how to enable the tool.
func TestDisabledToolsAreNotThere(t *testing.T) {
	t.Parallel()
	const seed = "Tool '%s' is disabled. Enable it by removing from mcp.disabled_tools in .lq/config.toml or " +
		"BLQ_MCP_DISABLED_TOOLS environment variable."
	dir := newProject(t)
	config := filepath.Join(dir, ".lq", "config.toml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, append(text, "\n[mcp]\ndisabled_tools = [\"history\", \"later\"]\n"...),
		0o644); err != nil {
		t.Fatal(err)
	}
	all := toolNames(t, connectStdio(t, newProject(t), ""))
	for _, c := range []struct {
		name, env string
		args      []string
		gone      map[string]string // tool → text of its refusal
	}{
		{"configuration", "", nil, map[string]string{"history": seed}},
		{"and environment", " status ,nosuch", nil, map[string]string{"history": seed, "status": seed}},
		{"and flag", "status", []string{"-D", "diff, info"},
			map[string]string{"history": seed, "status": seed, "diff": seed, "info": seed}},
		{"and flag with an unknown name", "", []string{"-D", "nosuch,diff"},
			map[string]string{"history": seed, "diff": seed}},
		{"and flag twice", "", []string{"-D", "diff", "--disabled-tools", "info"},
			map[string]string{"history": seed, "diff": seed, "info": seed}},
		{"and safe mode", "", []string{"-S"},
			map[string]string{"history": seed, "exec": "--safe-mode", "cancel": "--safe-mode",
				"clean": "--safe-mode", "register_command": "--safe-mode", "unregister_command": "--safe-mode"}},
		{"and toolsets", "", []string{"--toolsets", "registry,clean"},
			map[string]string{"status": "adding ask to --toolsets", "history": seed}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := connectStdio(t, dir, c.env, c.args...)
			listed := toolNames(t, s)
			for name, says := range c.gone {
				if slices.Contains(listed, name) {
					t.Errorf("%s is listed", name)
				}
				r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{}})
				if err != nil || !r.IsError {
					t.Errorf("%s is called: %v, %v", name, plain(t, r), err)
					continue
				}
				if got := r.Content[0].(*mcp.TextContent).Text; !strings.Contains(got, strings.ReplaceAll(says, "%s", name)) {
					t.Errorf("%s is refused with %s, want %s", name, got, says)
				}
			}
			if c.name == "and toolsets" {
				return
			}
			var want []string
			for _, name := range all {
				if c.gone[name] == "" {
					want = append(want, name)
				}
			}
			if diff := cmp.Diff(want, listed); diff != "" {
				t.Errorf("listed (-want +got):\n%s", diff)
			}
		})
	}
}

func connectStdio(t *testing.T, dir, disabled string, args ...string) *mcp.ClientSession {
	t.Helper()
	return way{"stdio", "2026-07-28", func() mcp.Transport {
		cmd := stdioServer(dir, args...)
		cmd.Stderr = io.Discard
		cmd.Env = append(cmd.Env, "BLQ_MCP_DISABLED_TOOLS="+disabled)
		return &mcp.CommandTransport{Command: cmd}
	}}.connect(t)
}

// The server must not start before it knows what the configuration disables.
func TestBrokenConfigurationServesNothing(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	if err := os.WriteFile(filepath.Join(dir, ".lq", "config.toml"), []byte("[mcp]\ndisabled_tools = [\"exec\"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	out, err := blq(dir, "mcp", "serve").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "config.toml: line") {
		t.Errorf("ended with %v and %s", err, out)
	}
}

func TestStdioServerEndsWithItsInputAndOnSignals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() // without a .lq folder, because a server does not need one
	for name, end := range map[string]func(in io.Closer, p *os.Process) error{
		"end of input": func(in io.Closer, _ *os.Process) error { return in.Close() },
		"SIGTERM":      func(_ io.Closer, p *os.Process) error { return p.Signal(syscall.SIGTERM) },
		"SIGINT":       func(_ io.Closer, p *os.Process) error { return p.Signal(syscall.SIGINT) },
	} {
		t.Run(name, func(t *testing.T) {
			cmd := blq(dir, "mcp", "serve")
			var stderr strings.Builder
			cmd.Stderr = &stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
			answer := make([]byte, len(`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n"))
			if _, err := io.ReadFull(out, answer); err != nil {
				t.Fatal(err)
			}
			if err := end(in, cmd.Process); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(out)
			if err != nil || len(rest) > 0 {
				t.Errorf("after its answer it said %q (%v)", rest, err)
			}
			if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
				t.Errorf("it ended with %v and said %s", err, stderr.String())
			}
		})
	}
}
