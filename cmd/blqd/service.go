package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/architecture"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/deliveries"
	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/githubapp"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/internal/maintenance"
	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// service answers requests. It holds nothing in memory that another replica needs.
type service struct {
	config  *Config
	places  *places
	log     *slog.Logger
	metrics *metrics
	memory  *fair.Share // memory for bodies, in bytes
	streams *fair.Share // event streams that may be open, nil for no limit
	open    *fair.Share // requests that may be open, nil for no limit
	address func(*http.Request) string
	brake   *httpserver.Rate // max rate of answers to requests that cost the client nothing
	slowBy  time.Duration    // delay of an answer that exceeds the rate of brake
	proxies []netip.Prefix
	health  *health
	auth    *auth.Authenticator
	tools   *mcp.Server
	agents  agents            // handler of MCP over HTTP
	sets    map[string]agents // handlers of MCP with a single toolset, by name of the toolset
	indexes indexes
	graphs  *architecture.Cache
	facts   *facts.Sets
	kept    *realms.Memory // cached files of realms
	quotas  store.Quotas
	texts   *chunk.Texts
	parts   query.Parts
	work    *fair.Queue // turns for requests that need much CPU time
	index   *fair.Queue // turns for indexing documents, which takes memory
	search  *fair.Queue // turns for searching logs, which takes CPU time
	read    *fair.Queue // turns for reading parts of logs into memory
	compare *fair.Queue // turns for comparing large runs, which takes memory
	ingest  *ingest.Service
	forge   *realms.Forge // client for pull requests, nil if there is no token
	pulls   proposals
	upkeep  *maintenance.Upkeep

	app        *githubapp.App // GitHub App, nil if there is none
	deliveries *deliveries.Deliveries
	queue      *queue.Queue
	hook       *realms.Hook
	summaries  query.Summaries // posts reports, nil if there is no app
	pages      *pages
}

// agents is the handler of MCP. It keeps streams open until Close.
type agents interface {
	http.Handler
	Close()
}

// keptTexts is the max number of chunks of logs whose texts stay in memory. Each text has up to 1 MiB.
const keptTexts = 64

func newService(c *Config, p *places, log *slog.Logger) (*service, error) {
	s := &service{config: c, places: p, log: log, metrics: newMetrics(), texts: chunk.NewTexts(keptTexts),
		slowBy: aLittle}
	s.newShares()
	for _, part := range []func() error{s.newCallers, s.newWork, s.newTools, s.newIngest, s.newPages} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	s.measure()
	return s, nil
}

// toolGroups are the toolsets that have their own path below /mcp.
var toolGroups = []string{"runs", "docs", "graph", questions.Realm}

// newAgents creates the MCP servers.
func (s *service) newAgents(tools mcp.Config) (err error) {
	if s.tools, err = mcp.New(tools); err != nil {
		return err
	}
	c := s.config
	http := mcp.HTTPConfig{
		Origins: c.Origins, AnyHost: !c.open() || c.Auth == authNone,
		Principal: func(ctx context.Context) string { return auth.From(ctx).ID },
		Turn: func(ctx context.Context) (leave func(), err error) {
			fair.Long(ctx)
			return s.turn(ctx)
		},
	}
	s.agents, s.sets = s.tools.Handler(http), map[string]agents{}
	if tools.CompatLQ {
		return nil
	}
	for _, group := range toolGroups {
		tools.Toolsets = []string{group}
		server, err := mcp.New(tools)
		if err != nil {
			return err
		}
		s.sets[group] = server.Handler(http)
	}
	return nil
}

// asker returns the asker of the caller in the context.
func (s *service) asker(ctx context.Context) (*query.Asker, error) {
	own := s.realms(ctx)
	return &query.Asker{Store: s.places.store, Blobs: s.places.blobs, Scope: auth.From(ctx).Read,
		Ancestry: branches{s.places.store}, Texts: s.texts, Parts: &s.parts, Searches: s.searches, Reads: s.reads,
		Comparisons: s.comparisons,
		Docs:        s.documentation(ctx), Graphs: architecture.InMemory{Cache: s.graphs}, Proposals: s.pulls,
		Summaries: s.summaries, Realms: own, Work: s.realmWork(own), Page: s.config.pageURL,
		PastPage: s.config.pastURL}, nil
}

// maxSearches is the max number of searches of a tenant that wait for a turn.
const maxSearches = 20

// searches waits until the caller may search a log. The caller calls leave after the search.
func (s *service) searches(ctx context.Context) (leave func(), err error) {
	return s.search.Enter(ctx, httpserver.Tenant(ctx))
}

// newReads returns the turns for reading parts of logs. There are more turns than processors, because a read may wait
// for the object storage.
func newReads() *fair.Queue {
	slots := max(8, 4*runtime.NumCPU())
	return fair.NewQueue(slots, maxTurns).Spare(slots/2, slots/4).Modest(slots / 4).Brief(briefQuery)
}

// reads waits until the caller may read a part of a log. The caller calls leave when the part is in memory.
func (s *service) reads(ctx context.Context) (leave func(), err error) {
	return s.read.Enter(ctx, httpserver.Tenant(ctx))
}

// newComparisons returns the turns for comparing large runs. A comparison may take 32 MB, so there are only four
// slots, and at most three additional turns. A tenant gets at most two turns at a time. The others are for other
// tenants.
func newComparisons() *fair.Queue {
	return fair.NewQueue(4, maxTurns).Spare(1, 1).Modest(2).Brief(briefQuery)
}

// comparisons waits until the caller may compare large runs. The caller calls leave after the comparison.
func (s *service) comparisons(ctx context.Context) (leave func(), err error) {
	return s.compare.Enter(ctx, httpserver.Tenant(ctx))
}

// turn waits until the tenant of a request may begin work that needs much CPU time. The caller calls leave after the
// work.
func (s *service) turn(ctx context.Context) (leave func(), err error) {
	return s.work.Enter(ctx, httpserver.Tenant(ctx))
}

// changed logs whether a dependency has failed or works again.
func (s *service) changed(ctx context.Context, name string, err error) {
	if err != nil {
		s.log.ErrorContext(ctx, "dependency unavailable", "dependency", name, "error", cause(err), "hint",
			cmdline.Of(store.NextOf(err)))
		return
	}
	s.log.InfoContext(ctx, "dependency available", "dependency", name)
}

// handler serves all requests. The ingest API applies its own httpserver.Watch, with other timeouts.
func (s *service) handler() http.Handler {
	rest := s.watched(s.routes())
	api := s.ingest.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isAPI(r.URL.Path) {
			api.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}

// routes serves all requests outside of the ingest API. A table in package auth determines who may use each route.
func (s *service) routes() http.Handler {
	mux := httpserver.NewMux("GET /v1/openapi.yaml describes what is")
	get := func(path string, h http.Handler) {
		mux.Handle(http.MethodGet, path, s.auth.Guard(auth.Action("GET "+path), h))
	}
	get("/healthz", http.HandlerFunc(s.health.live))
	get("/readyz", http.HandlerFunc(s.health.ready))
	if s.config.MetricsAddr == "" {
		get("/metrics", s.measured())
	}
	get(auth.PathMetadata, httpserver.Handler(s.auth.Metadata))
	get(auth.PathMetadata+"/{resource...}", httpserver.Handler(s.auth.Metadata))
	get("/{$}", s.toPages(s.agents))
	agents := s.ingest.LimitRequests(s.agents)
	for _, path := range []string{"/mcp", routeStream, "/message"} {
		for _, written := range []string{path, path + "/{$}"} { // some clients add a slash to the path
			h := agents
			if path == routeStream {
				h = s.shareStreams(agents)
			}
			mux.Handle("", written, s.auth.Guard(auth.Action(path), h))
			mux.Handle(http.MethodOptions, written, s.auth.Guard(auth.Action("OPTIONS "+path), agents))
		}
	}
	for group, h := range s.sets {
		of := s.ingest.LimitRequests(toolsetPath(h))
		mux.Handle("", "/mcp/"+group, s.auth.Guard(auth.Action("/mcp"), of))
		mux.Handle(http.MethodOptions, "/mcp/"+group, s.auth.Guard(auth.Action("OPTIONS /mcp"), of))
	}
	s.pages.routes(mux)
	return s.pages.guard(mux)
}

func (s *service) metricsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.measured())
	mux.HandleFunc("GET /healthz", s.health.live)
	mux.HandleFunc("GET /readyz", s.health.ready)
	return s.watched(mux)
}

// measured returns a handler that checks the dependencies, and then serves the metrics.
func (s *service) measured() http.Handler {
	handler := s.metrics.handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.health.look(r.Context())
		handler.ServeHTTP(w, r)
	})
}

// listener is a net.Listener with the handler of its requests.
type listener struct {
	net.Listener
	handler http.Handler
	context func(context.Context, net.Conn) context.Context // ConnContext of the server, may be nil
}

// capped returns the public listener with a limit on its connections.
func (s *service) capped(l net.Listener) *capped {
	c := newCapped(l, s.config.Limits.Connections, s.isProxy, s.metrics.connections, s.metrics.tooMany)
	if n := s.config.Limits.Connects; n > 0 {
		c.pace = newPace(l, n, s.isOwnProxy)
	}
	return c
}

// isOwnProxy reports whether a network belongs to a reverse proxy of the operator.
func (s *service) isOwnProxy(network string) bool {
	at, ok := addressIn(network)
	return ok && s.trusts(at)
}

// isProxy reports whether the connections from a network may belong to many clients. This is true for a reverse proxy
// of the operator, and for this machine.
func (s *service) isProxy(network string) bool {
	at, ok := addressIn(network)
	return ok && (at.IsLoopback() || s.trusts(at))
}

// trusts reports whether an address belongs to a reverse proxy of the operator.
func (s *service) trusts(at netip.Addr) bool {
	return slices.ContainsFunc(s.proxies, func(p netip.Prefix) bool { return p.Contains(at) })
}

// addressIn returns an address of a network. The network is an address or a prefix. ok is false if network is
// neither an address nor a prefix.
func addressIn(network string) (at netip.Addr, ok bool) {
	if p, err := netip.ParsePrefix(network); err == nil {
		return p.Addr(), true
	}
	at, err := netip.ParseAddr(network)
	return at, err == nil
}

// run serves until ctx ends or a server fails. When ctx ends, the service reports that it is not ready, accepts no new
// connections, and gives running requests some time to finish.
func (s *service) run(ctx context.Context, listeners []listener) error {
	warn(ctx, s.log, s.config)
	working, stop := context.WithCancel(ctx)
	defer stop()
	var upkeep sync.WaitGroup
	upkeep.Go(func() { s.upkeep.Run(working) })
	upkeep.Go(func() { s.queue.Run(working) })
	upkeep.Go(func() { s.sweep(working) })
	servers := make([]*http.Server, len(listeners))
	ended := make(chan error, len(listeners))
	for i, l := range listeners {
		servers[i] = httpserver.New(l.handler, s.log, slog.LevelDebug)
		servers[i].ConnContext = l.context
		go func() { ended <- servers[i].Serve(l) }()
	}
	var err error
	select {
	case <-ctx.Done():
		err = s.shutdown(context.WithoutCancel(ctx), servers)
	case err = <-ended: // a server that ends before ctx has failed
	}
	stop()
	upkeep.Wait()
	return err
}

func (s *service) shutdown(ctx context.Context, servers []*http.Server) error {
	s.health.stopping.Store(true)
	s.log.InfoContext(ctx, "stopping", "drain", s.config.Drain.String(), "grace", s.config.Grace.String())
	time.Sleep(s.config.Drain)
	s.agents.Close()
	for _, h := range s.sets {
		h.Close()
	}
	bounded, cancel := context.WithTimeout(ctx, s.config.Grace)
	defer cancel()
	var failed []error
	for _, server := range servers {
		if err := server.Shutdown(bounded); err != nil {
			s.log.WarnContext(ctx, "requests were cut off", "after", s.config.Grace.String())
			failed = append(failed, server.Close())
		}
	}
	return errors.Join(failed...)
}
