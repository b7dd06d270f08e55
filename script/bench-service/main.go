//go:build unix

// Command bench-service measures the hosted service with a real blqd on a real PostgreSQL, and prints Markdown.
// Alternatives run in turns, so that a busy machine slows them in the same way. The printed results are medians of
// the rounds.
//
//	go run ./script/bench-service -blqd bin/blqd -blq bin/blq
//	go run ./script/bench-service -blqd bin/blqd -blq bin/blq -small 1000000 -large 10000000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/blq-ci/blq/internal/pgtest"
)

// options are the flags.
type options struct {
	blq, blqd    string
	only         string
	rounds       int
	repos        int
	small, large int
	calls        int
	questions    string
	server, dir  string
	slow         time.Duration
}

func main() {
	log.SetFlags(0)
	if len(os.Args) > 2 && alone(os.Args[1], os.Args[2:]) {
		return
	}
	var o options
	flag.StringVar(&o.blq, "blq", "bin/blq", "the command line to measure")
	flag.StringVar(&o.blqd, "blqd", "bin/blqd", "the service to measure")
	flag.StringVar(&o.only, "only", "events,chunks,memory,tools,docs,deliveries", "what to measure")
	flag.IntVar(&o.rounds, "n", 7, "rounds of what is compared")
	flag.IntVar(&o.repos, "repos", 1000, "repositories that tools are asked about")
	flag.IntVar(&o.small, "small", 20_000, "events in the smaller database that tools are asked about")
	flag.IntVar(&o.large, "large", 200_000, "events in the larger one")
	flag.IntVar(&o.calls, "calls", 100, "calls of each question")
	flag.StringVar(&o.questions, "questions", "", "only questions with this in their name")
	flag.StringVar(&o.server, "server",
		"", "URL of a PostgreSQL server where the databases stay, for another time with the same -dir; else a throwaway one")
	flag.StringVar(&o.dir, "dir", "", "folder for logs that stays; else a throwaway one")
	flag.DurationVar(
		&o.slow, "slow", 0, "show the plans of statements that take longer, of a throwaway server; 0 for none")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		stop()
		log.Fatal(err)
	}
}

// bench has the parts that all measurements share.
type bench struct {
	options
	ctx context.Context
}

func run(ctx context.Context, o options) (err error) {
	for _, path := range []*string{&o.blq, &o.blqd} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "blq-bench-service-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.dir)) }()
	}
	b := &bench{o, ctx}
	for _, part := range []struct {
		name string
		run  func() error
	}{{"events", b.events}, {"chunks", b.chunks}, {"memory", b.memory}, {"tools", b.tools},
		{"docs", b.docs}, {"deliveries", b.deliveries}} {
		if slices.Contains(strings.Split(o.only, ","), part.name) {
			if err := part.run(); err != nil {
				return fmt.Errorf("%s: %w", part.name, err)
			}
		}
	}
	return nil
}

// durable starts a PostgreSQL that keeps committed data after a crash.
func (b *bench) durable() (*pgtest.Server, error) {
	return pgtest.Start(pgtest.Options{Durable: true, Settings: []string{"shared_buffers=512MB", "max_wal_size=4GB"}})
}

// alone runs the part of this program that a flag names. Each of these parts needs a process of its own. alone returns
// false if the flag names no such part.
func alone(flag string, args []string) bool {
	switch flag {
	case receiverFlag:
		receive(args[0])
	case starterFlag:
		startOne(args)
	default:
		return false
	}
	return true
}
