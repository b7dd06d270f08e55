package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob/open"
	"github.com/blq-ci/blq/store/sqlite"
)

// engine is a store with everything that the service needs.
type engine interface {
	store.Store
	store.Directory
	store.Queue
	store.Notes
	store.Remover
	// Ready checks that the store is writable. It may write to the store. Most errors tell the operator what to do.
	Ready(ctx context.Context) error
}

// migrator is implemented by stores that are not migrated when they are opened.
type migrator interface{ Migrate(context.Context) error }

// places are the store and the object storage of the service.
type places struct {
	store engine
	blobs open.Place
}

// open opens the places in the configuration. It creates places on this machine if they are missing.
func (a *app) open(ctx context.Context) (*places, error) {
	s, err := a.openStore(ctx)
	if err != nil {
		return nil, err
	}
	b, err := a.openBlobs(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &places{s, b}, nil
}

// Close closes the places.
func (p *places) Close() error { return errors.Join(p.store.Close(), p.blobs.Close()) }

func (a *app) openStore(ctx context.Context) (engine, error) {
	if a.config.Database != "" {
		return openPostgres(ctx, &a.config)
	}
	if err := a.makeData(); err != nil {
		return nil, err
	}
	s, err := sqlite.Open(ctx, a.config.sqliteFile())
	if err != nil {
		return nil, err
	}
	if s.ReadOnly() {
		return nil, errors.Join(store.Next(store.Errorf(store.Unavailable, "%s cannot be written", a.config.sqliteFile()),
			store.Shell{Line: "ls -l " + a.config.Data}), s.Close())
	}
	s.LimitQueries(a.config.Statements.cage())
	return s, nil
}

func (a *app) openBlobs(ctx context.Context) (open.Place, error) {
	if a.config.Blobs == "" {
		if err := a.makeData(); err != nil {
			return nil, err
		}
	}
	return open.Open(ctx, a.config.blobsURL())
}

func (a *app) makeData() error {
	if err := os.MkdirAll(a.config.Data, 0o700); err != nil {
		return store.Next(store.Errorf(store.Unavailable, "the folder for data cannot be made: %w", err),
			store.Shell{Line: "blqd serve --data DIR"})
	}
	return nil
}

func (c *Config) sqliteFile() string { return filepath.Join(c.Data, "blq.db") }

func (c *Config) blobsURL() string {
	if c.Blobs != "" {
		return c.Blobs
	}
	return "file://" + filepath.ToSlash(filepath.Join(c.Data, "logs"))
}

// databaseName returns a readable name of the database.
func (c *Config) databaseName() string {
	if c.Database != "" {
		return redactURL(c.Database)
	}
	return c.sqliteFile()
}

// storeReady returns an error if the store is not writable.
func (p *places) storeReady(ctx context.Context) error {
	if err := p.store.Ready(ctx); err != nil {
		return store.Next(fmt.Errorf("database: %w", err), store.NextOf(err))
	}
	return nil
}

// blobsReady returns an error if the object storage is not writable.
func (p *places) blobsReady(ctx context.Context) error {
	if err := p.blobs.CheckWrite(ctx); err != nil {
		return store.Next(fmt.Errorf("logs: %w", err), store.NextOf(err))
	}
	return nil
}
