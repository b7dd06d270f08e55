//go:build !job

package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// serveFlags are the flags of blq mcp serve.
type serveFlags struct {
	transport string
	host      string
	port      int
	safe      bool
	disabled  []string
	toolsets  []string
	compat    string
	arbitrary bool // with --compat lq, the tool run may start commands that are not registered
}

func newMCPServe(a *app) *cobra.Command {
	f := serveFlags{port: 8080}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Start the MCP server",
		Long: `Starts the MCP server. With the transport stdio, which is the default, the
client starts this command itself. http serves current clients at /mcp and
older ones at /sse, and so does sse.

Tools are disabled by --disabled-tools, by BLQ_MCP_DISABLED_TOOLS, and by
disabled_tools under [mcp] in .lq/config.toml, together.

With --compat lq the server has the tools of lq, reads LQ_DIR and LQ_TIMEOUT
as BLQ_DIR and BLQ_TIMEOUT, and runs only registered commands unless
--allow-arbitrary is given.`,
		Example: `  blq mcp serve                        # for a client that starts it
  blq mcp serve --transport http       # at http://127.0.0.1:8080/mcp
  blq mcp serve --safe-mode            # without exec, cancel, clean, register_command, unregister_command
  blq mcp serve -D exec,clean          # without these tools`,
		RunE: func(c *cobra.Command, _ []string) error { return a.serve(c, f) },
	}
	c.Flags().StringVarP(&f.transport, "transport", "t", "stdio", "`TYPE`: stdio, http or sse")
	countFlag(c, &f.port, "port", "p", 0, "port to listen on with http and sse, 0 for a free one")
	c.Flags().StringVar(&f.host, "host", "127.0.0.1", "`ADDRESS` to listen on with http and sse")
	c.Flags().BoolVarP(&f.safe, "safe-mode", "S", false,
		"no tools that run any command, end runs, delete, or change the registry")
	c.Flags().StringSliceVarP(&f.disabled, "disabled-tools", "D", nil, "`TOOLS` that are not there, with commas")
	c.Flags().StringSliceVar(&f.toolsets, "toolsets",
		nil,
		"only the tools of these `SETS`: "+strings.Join(append(questions.GroupNames(), questions.ToolsetNames()...), ", "))
	c.Flags().StringVar(&f.compat, "compat", "", "the tools and resources of another `TOOL` instead: lq")
	c.Flags().BoolVar(&f.arbitrary, "allow-arbitrary", false,
		"with --compat lq: run any command, not only registered ones")
	return c
}

// serve runs the MCP server. It returns when a signal ends the server. With the transport stdio, it also returns when
// the client disconnects.
func (a *app) serve(c *cobra.Command, f serveFlags) error {
	if err := f.check(c); err != nil {
		return usage{err}
	}
	if f.compat == "lq" {
		a.getenv = lqEnvironment(a.getenv)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	config := mcp.Config{
		SafeMode: f.safe, Toolsets: trimmed(f.toolsets), CompatLQ: f.compat == "lq", AllowArbitrary: f.arbitrary,
		Version: version,
		Log:     slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	backend := backend.New(a.getenv, cwd)
	config.Ask, config.Commands = backend.Ask, backend
	if config.Disabled, err = a.disabledTools(cwd, f.disabled, mcp.ToolNames(config)); err != nil {
		return err
	}
	if asker, err := backend.Ask(c.Context()); err == nil && asker.HasSources(c.Context()) {
		config.Also = []string{"docs"}
	}
	if backend.HasRealm() {
		config.Also = append(config.Also, questions.Realm)
	}
	if asker, err := backend.Ask(c.Context()); err == nil && asker.HasGraph(c.Context()) {
		config.Also = append(config.Also, "graph")
	}
	server, err := mcp.New(config)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { stopAtOnce(backend) })
	if f.transport == "stdio" {
		a.greetPeople()
		err = server.ServeStdio(ctx, a.stdin, a.stdout)
	} else {
		err = a.serveHTTP(ctx, server, f)
	}
	if closed := backend.Close(); err == nil {
		err = closed
	}
	return err
}

// stopAtOnce ends this process at the next signal. Until then, the process waits for the end of running commands.
func stopAtOnce(backend *backend.Backend) {
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt, syscall.SIGTERM)
	<-again
	signal.Stop(again)  // one more signal ends the process at once
	_ = backend.Close() // nobody can read the error any more
	os.Exit(1)
}

// lqEnvironment returns an environment for --compat lq. If lq's variable LQ_DIR or LQ_TIMEOUT is set, it replaces
// BLQ_DIR or BLQ_TIMEOUT.
func lqEnvironment(getenv func(string) string) func(string) string {
	return func(name string) string {
		if name == "BLQ_DIR" || name == "BLQ_TIMEOUT" {
			if v := getenv(strings.TrimPrefix(name, "B")); v != "" {
				return v
			}
		}
		return getenv(name)
	}
}

func (f serveFlags) check(c *cobra.Command) error {
	switch {
	case !slices.Contains([]string{"stdio", "http", "sse"}, f.transport):
		return store.Next(fmt.Errorf("--transport must be stdio, http or sse, not %q", f.transport),
			store.NewCall("mcp_serve", "", "transport", "http"))
	case f.compat != "" && f.compat != "lq":
		return store.Next(fmt.Errorf("--compat must be lq, not %q", f.compat), store.NewCall("mcp_serve", "", "compat", "lq"))
	case f.arbitrary && f.compat != "lq":
		return store.Next(fmt.Errorf("--allow-arbitrary is for --compat lq; the tool exec runs any command here"),
			store.NewCall("mcp_serve", "", "compat", "lq", "allow_arbitrary", true))
	case f.port > 65535:
		return store.Next(fmt.Errorf("--port must be at most 65535, not %d", f.port),
			store.NewCall("mcp_serve", "", "transport", "http", "port", 8080))
	case f.transport == "stdio" && (c.Flags().Changed("port") || c.Flags().Changed("host")):
		return store.Next(fmt.Errorf("--port and --host are for the transports http and sse, and this is stdio"),
			store.NewCall("mcp_serve", "", "transport", "http", "port", f.port))
	}
	return nil
}
