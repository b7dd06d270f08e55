package main

import (
	"context"
	"runtime"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/architecture"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/docindex"
	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/internal/maintenance"
	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store/sqlite"
)

// newShares creates the parts that requests share: turns, memory and indexes.
func (s *service) newShares() {
	s.work = fair.NewProcessors()
	if db, ok := s.places.store.(*sqlite.Store); ok {
		shareSQLite(db, s.work)
	}
	s.index = fair.NewQueue(1, maxSearches)
	s.indexes = indexes{docindex.New(maxIndexes, s.indexing)}
	s.graphs = architecture.New(maxGraphs, s.reading)
	s.facts = facts.NewSets(maxManifests)
	s.kept = realms.NewMemory(maxContracts)
	s.search = fair.NewQueue(max(1, runtime.NumCPU()/2), maxSearches)
	s.read = newReads()
	s.compare = newComparisons()
	s.memory = fair.NewShare(int64(s.config.Limits.MemoryMB) << 20)
	s.streams = newStreams(s.config.Limits.Connections)
	s.open = newOpen(s.config.Limits.Connections)
	s.brake = httpserver.NewRate(freeAnswers, freeBurst, time.Now)
}

// newCallers creates the parts that authenticate callers.
func (s *service) newCallers() (err error) {
	if s.proxies, err = s.config.proxies(); err != nil {
		return err
	}
	s.address = httpserver.ClientAddress(s.proxies)
	s.health = &health{places: s.places, metrics: s.metrics, log: s.changed}
	s.auth, err = newAuthenticator(s.config, s.places.store, s.log)
	return err
}

// newWork creates the queue and the clients of GitHub.
func (s *service) newWork() (err error) {
	if s.forge, err = newPulls(s.config); err != nil {
		return err
	}
	if s.pulls, err = newProposals(s.config, s.log); err != nil {
		return err
	}
	if s.app, err = s.config.app(); err != nil {
		return err
	}
	return s.newQueue()
}

// newTools creates the tools for agents.
func (s *service) newTools() error {
	c := s.config
	commands, err := newCommands(c, s.places.store, s.log)
	if err != nil {
		return err
	}
	return s.newAgents(mcp.Config{
		Ask: s.asker, Commands: commands, Hosted: true, Disabled: c.Disabled, CompatLQ: c.Compat == "lq",
		Version: version, Log: s.log, Also: []string{"docs", "graph", questions.Realm}, Shows: s.shows,
		Observe: s.metrics.called, Posts: s.summaries != nil,
		Allow: func(ctx context.Context, row questions.Row) error {
			return auth.Allow(auth.From(ctx), auth.Scope(row.Scope))
		},
	})
}

// newIngest creates the ingest API and maintenance.
func (s *service) newIngest() error {
	c, p := s.config, s.places
	hooks, err := c.webhookSecrets()
	if err != nil {
		return err
	}
	confirm, err := c.confirmer(s.app)
	if err != nil {
		return err
	}
	if s.quotas, err = c.Quotas.store(); err != nil {
		return err
	}
	s.ingest = ingest.New(ingest.Config{
		Store: p.store, Blobs: p.blobs, Ask: s.asker, Tools: s.tools, Directory: p.store, WebhookSecrets: hooks,
		Confirm: confirm, Deliver: s.deliver,
		Gate: s.auth, RunURL: c.runURL, Work: s.work, Memory: s.memory, Address: s.address, Brake: s.slow,
		Open: s.open, Known: occupied,
		Quotas: s.quotas, Limits: c.Limits.ingest(), Observer: s.metrics, Log: s.log, Told: s.announce, Ended: s.ended,
	})
	s.indexes.Objects = &docindex.Objects{Store: p.store, Blobs: p.blobs, Room: s.ingest.Room}
	s.graphs.Objects = s.indexes.Objects
	s.upkeep = maintenance.New(maintenance.Config{
		Store: p.store, Blobs: p.blobs, OrphanAfter: c.OrphanAfter, RunTime: c.Limits.RunTime, Policy: c.policy,
		Quotas: s.quotas, KeepQuota: c.Quotas.Keep, Every: c.Upkeep, Log: s.log, Done: s.metrics.kept,
		Announce: func(ctx context.Context) error { return s.announcer().All(ctx) },
	})
	return nil
}

// newPages creates the pages for people.
func (s *service) newPages() (err error) {
	s.pages, err = newPages(s)
	return err
}

// measure registers the metrics that are computed when they are read.
func (s *service) measure() {
	s.metrics.bounds(s.config.Limits)
	s.metrics.registry.MustRegister(live{s.places.store, time.Now},
		&usages{store: s.places.store, quotas: s.quotas, now: time.Now}, waiting{s.places.store})
	s.metrics.pool(s.places.store)
	s.metrics.share(s.memory)
}
