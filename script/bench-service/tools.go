//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store/blob/open"
)

// filled is a service on a filled database.
type filled struct {
	*child
	runs   []pastRun // newest first
	recent []pastRun // runs for questions
	bySize map[int][]pastRun
	size   sizesOfEvents
	one    map[string]string // tokens by repository
	fifty  string            // a token for fifty repositories
	all    string            // a token for all repositories
}

// pastRun is a stored run about which questions are asked.
type pastRun struct {
	repo, source   string
	serial, events int
}

func (r pastRun) ref() string { return fmt.Sprintf("%s@%s:%d", r.repo, r.source, r.serial) }

// tools asks questions of a smaller and of a larger database, alternately.
func (b *bench) tools() (err error) {
	at, done, err := b.questioned()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	place, err := open.Open(b.ctx, "file://"+filepath.Join(b.dir, "logs"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, place.Close()) }()
	admin, err := pgx.Connect(b.ctx, at("postgres"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, admin.Close(context.WithoutCancel(b.ctx))) }()
	var pair [2]*filled
	for i, events := range []int{b.small, b.large} {
		database, err := b.load(admin, at, place, events)
		if err != nil {
			return err
		}
		if pair[i], err = b.open(database); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, pair[i].stop()) }()
	}
	fmt.Printf("### Stored events\n\n| events | runs | bytes an event | of them indexes | of them the table |\n| --- " +
		"| --- | --- | --- | --- |\n")
	for _, f := range pair {
		fmt.Printf("| %d | %d | %.0f | %.0f | %.0f |\n", f.size.events, len(f.runs), f.size.all, f.size.indexes,
			f.size.all-f.size.indexes)
	}
	fmt.Printf("\n### Questions\n\nOver HTTP, %d repositories, %d different calls of each, %d times; milliseconds.\n",
		b.repos, b.calls, times)
	fmt.Printf("Best: 99th percentile of the calls' best times. CPU: what blqd took for a call, on average. Idle: " +
		"99th percentile of /healthz meanwhile.\n\n")
	fmt.Printf("| question | token for | %d: p50 | p99 | best | CPU | %d: p50 | p99 | best | CPU | ÷ p50 of best | "+
		"idle |\n|%s\n", b.small, b.large, strings.Repeat(" --- |", 12))
	for _, q := range questions {
		if !strings.Contains(q.name, b.questions) {
			continue
		}
		for _, scope := range []string{"one", "fifty", "all"} {
			if err := b.ask(q, scope, pair); err != nil {
				return err
			}
		}
	}
	return nil
}

// questioned starts a PostgreSQL server for the questions, unless b.server is the URL of a server. The function at
// returns the server's URL for a database.
func (b *bench) questioned() (at func(database string) string, done func() error, err error) {
	if b.server != "" {
		return func(database string) string {
			u, err := url.Parse(b.server)
			if err != nil {
				return b.server
			}
			u.Path = "/" + database
			return u.String()
		}, func() error { return nil }, nil
	}
	settings := []string{"shared_buffers=512MB", "max_wal_size=4GB", "synchronous_commit=off"}
	if b.slow > 0 {
		settings = append(settings, "session_preload_libraries=auto_explain", "auto_explain.log_analyze=on",
			"auto_explain.log_buffers=on", fmt.Sprint("auto_explain.log_min_duration=", b.slow.Milliseconds()))
	}
	server, err := pgtest.Start(pgtest.Options{Settings: settings})
	if err != nil {
		return nil, nil, err
	}
	return server.URL, func() error {
		if b.slow > 0 {
			text, err := os.ReadFile(filepath.Join(server.Directory(), "log"))
			fmt.Fprintf(os.Stderr, "%s", text)
			return errors.Join(err, server.Close())
		}
		return server.Close()
	}, nil
}

// times is the number of measurements of each call. The calls alternate, so that other work on the machine rarely
// delays all measurements of one call.
const times = 3

// ask measures a question with a token of a scope. After each call it calls /healthz. The time of this second call
// shows how slow the machine is.
func (b *bench) ask(q question, scope string, pair [2]*filled) error {
	var all, best [2][]time.Duration
	var idle []time.Duration
	var busy [2]time.Duration
	random := rand.New(rand.NewPCG(7, 7))
	for i := range b.calls + 5 {
		seed := random.Uint64()
		var took [2][]time.Duration
		if i == 5 { // the earlier calls only warm up
			all, best, idle = [2][]time.Duration{}, [2][]time.Duration{}, nil
			busy = [2]time.Duration{pair[0].processor(), pair[1].processor()}
		}
		for j := range 2 * times {
			n := (i + j) % 2
			d, err := b.once(q, scope, pair[n], rand.New(rand.NewPCG(seed, 1)))
			if err != nil {
				return fmt.Errorf("%s for %s: %w", q.name, scope, err)
			}
			took[n] = append(took[n], d)
			began := time.Now()
			if _, err := pair[n].call(b.ctx, "", "GET", "/healthz", nil); err != nil {
				return err
			}
			idle = append(idle, time.Since(began))
		}
		for n := range took {
			all[n], best[n] = append(all[n], took[n]...), append(best[n], slices.Min(took[n]))
		}
	}
	fmt.Printf("| %s | %s |", q.name, scope)
	for n, f := range pair {
		used := (f.processor() - busy[n]) / time.Duration(len(all[n]))
		fmt.Printf(" %s | %s | %s | %s |", ms(quantile(all[n], 0.5)), ms(quantile(all[n], 0.99)),
			ms(quantile(best[n], 0.99)), ms(used))
	}
	fmt.Printf(" %.2f | %s |\n", quantile(best[1], 0.5).Seconds()/quantile(best[0], 0.5).Seconds(),
		ms(quantile(idle, 0.99)))
	return nil
}

func (b *bench) once(q question, scope string, f *filled, random *rand.Rand) (time.Duration, error) {
	token, r := f.caller(scope, random)
	path := "/v1/" + q.tool + "?" + q.arguments(r, scope, random).Encode()
	began := time.Now()
	_, err := f.call(b.ctx, token, "GET", path, nil)
	return time.Since(began), err
}
