// Package mcp serves blq to agents over the Model Context Protocol. Some tools have their own code, and the other tools
// are made from the rows of questions (see allTools). Tools, resources and prompts use package query. The same server
// runs on a laptop over stdio and in the hosted service over HTTP. The package may import store, query,
// query/questions, mcp/transport, small packages such as internal/markdown, and the protocol's library. It must not
// import a store engine such as store/sqlite.
package mcp

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/mcp/transport"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// Config configures what a server offers, and which callers it serves.
type Config struct {
	// Ask returns the asker for the caller in the context. Answers do not reveal runs outside of the asker's scope.
	Ask func(ctx context.Context) (*query.Asker, error)
	// Allow returns an error if the caller may not use the tool of a row. The caller's list of tools leaves out such
	// tools. Callers get the error of Allow unchanged. nil allows all tools.
	Allow func(ctx context.Context, row questions.Row) error
	// Questions is the table of questions. The tools are made from its rows. nil means questions.All.
	Questions questions.Table
	// Observe is called after each call, with the tool, the result (ok or an error code) and the duration. It may be
	// nil.
	Observe func(tool, result string, took time.Duration)
	// Commands runs commands. If Commands is nil, tools that need it are not offered. Tools that change the registry,
	// run any command, end a running command or remove runs are offered only if Commands is also a runner.Registry.
	Commands runner.Commands

	SafeMode bool     // do not offer tools that change existing runs
	Disabled []string // names of tools that are not offered
	Toolsets []string // toolsets, or groups of them; nil means the group runs and the toolsets in Also
	Also     []string // further toolsets, for which the project has data
	// Shows reports whether a caller's list has the tools of a toolset in Also. nil means that every caller's list has
	// them.
	Shows    func(ctx context.Context, toolset string) bool
	CompatLQ bool // offer lq's tools and resources instead of blq's
	// AllowArbitrary lets lq's tool run start commands that are not registered.
	AllowArbitrary bool
	Hosted         bool // there are many repositories, so tools have the parameter repo
	Posts          bool // the askers have Summaries, so the server can write comments on pull requests

	Version string
	Log     *slog.Logger // nil means no log
}

// Server is the set of tools, resources and prompts, ready for a transport.
type Server struct {
	config Config
	log    *slog.Logger
	all    []tool // all tools, including tools that are not offered
	tools  []tool // offered tools
	chosen bool   // whether the configuration names toolsets
	sdk    *transport.Server
}

// New returns a server. Invalid: the configuration names a tool or toolset that does not exist.
func New(c Config) (*Server, error) {
	c.Toolsets = questions.Expand(c.Toolsets)
	chosen := len(c.Toolsets) > 0
	if !chosen {
		c.Toolsets = append(questions.Expand([]string{"runs"}), c.Also...)
	}
	s := &Server{config: c, chosen: chosen, log: cmp.Or(c.Log, slog.New(slog.DiscardHandler))}
	if err := s.choose(); err != nil {
		return nil, err
	}
	s.sdk = transport.NewServer(
		&sdk.Implementation{Name: "blq", Title: "blq: CI output as rows", Version: cmp.Or(c.Version, "dev")},
		sdk.ServerOptions{
			Instructions: s.instructions(),
			Capabilities: &sdk.ServerCapabilities{
				Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}, Prompts: &sdk.PromptCapabilities{},
			},
			SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) {
				c.TTLMs, c.CacheScope = int(cacheFor.Milliseconds()), "private"
			},
			CompletionHandler: s.complete,
		}, s.log, s.asBefore, s.refuseUnknown, s.listOffered)
	for _, t := range s.tools {
		s.sdk.AddTool(t.definition(c.Hosted), s.handler(t))
	}
	s.addResources()
	s.addPrompts()
	return s, nil
}

// choose selects the tools that the configuration offers.
func (s *Server) choose() error {
	s.all = allTools(s.config)
	for _, name := range slices.Concat(s.config.Disabled, s.config.Toolsets) {
		if err := s.known(name); err != nil {
			return err
		}
	}
	for _, t := range s.all {
		if s.offers(t) {
			s.tools = append(s.tools, t)
		}
	}
	return nil
}

func (s *Server) known(name string) error {
	var names []string
	for _, t := range s.all {
		if t.name == name && slices.Contains(s.config.Disabled, name) {
			return nil
		}
		names = append(names, t.name)
	}
	toolsets := questions.ToolsetNames()
	if slices.Contains(toolsets, name) && slices.Contains(s.config.Toolsets, name) {
		return nil
	}
	if slices.Contains(s.config.Toolsets, name) {
		return store.Next(store.Errorf(store.Invalid, "no toolset %q; there are %s", name, strings.Join(toolsets, ", ")),
			store.NewCall("mcp_serve", "", "toolsets", strings.Join(toolsets, ",")))
	}
	return store.Next(store.Errorf(store.Invalid, "no tool %q to disable; there are %s", name, strings.Join(names, ", ")),
		store.NewCall("mcp_serve", "", "disabled_tools", "exec,clean"))
}

func (s *Server) offers(t tool) bool { return s.verdict(t) == questions.Offered }

// verdict returns Offered, or the reason why a tool is not offered.
func (s *Server) verdict(t tool) questions.Verdict {
	c := s.config
	offer := questions.Offer{Toolsets: c.Toolsets, Disabled: c.Disabled, SafeMode: c.SafeMode, Posts: c.Posts}
	if _, changes := c.Commands.(runner.Registry); changes {
		offer.Has = questions.Registry
	} else if c.Commands != nil {
		offer.Has = questions.Commands
	}
	return offer.Of(t.name, t.row)
}

// mentions reports whether answers about errors may name documentation. It returns false if the configuration names
// toolsets without the tool find.
func (s *Server) mentions() bool { return !s.chosen || s.has("find") }

// has reports whether a tool is offered. Hints and prompts name only tools that are offered.
func (s *Server) has(name string) bool {
	return slices.ContainsFunc(s.tools, func(t tool) bool { return t.name == name })
}
