//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"

	"github.com/jackc/pgx/v5"
)

// question is an agent's question about a run: a tool with its arguments.
type question struct {
	name, tool string
	arguments  func(r pastRun, scope string, random *rand.Rand) url.Values
}

// about returns a function that builds the arguments of a tool call. The function pairs returns alternating names and
// values.
func about(pairs func(r pastRun) []string) func(pastRun, string, *rand.Rand) url.Values {
	return func(r pastRun, _ string, _ *rand.Rand) url.Values { return values(pairs(r)...) }
}

// within returns a function that builds the arguments of a tool call. pairs holds alternating names and values. The
// call asks about all repositories of the token. With a token for all repositories, the call names one repository,
// because the token has too many repositories for one question.
func within(pairs ...string) func(pastRun, string, *rand.Rand) url.Values {
	return func(r pastRun, scope string, _ *rand.Rand) url.Values {
		v := values(pairs...)
		if scope == "all" {
			v.Set("repo", r.repo)
		}
		return v
	}
}

func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

func ofRun(pairs ...string) func(pastRun, string, *rand.Rand) url.Values {
	return about(func(r pastRun) []string { return append([]string{"ref", r.ref()}, pairs...) })
}

func everywhere(pairs ...string) func(pastRun, string, *rand.Rand) url.Values {
	return about(func(pastRun) []string { return pairs })
}

var questions = []question{
	{"triage", "triage", within()},
	{"triage of a run", "triage", ofRun()},
	{"summarize", "summarize", ofRun()},
	{"events", "events", within("severity", "error")},
	{"events of a run", "events", ofRun()},
	{"inspect", "inspect", func(r pastRun, _ string, random *rand.Rand) url.Values {
		return values("ref", fmt.Sprintf("%s:%d", r.ref(), 1+random.IntN(r.events)), "include_fingerprint_history", "true")
	}},
	{"output, tail", "output", ofRun("tail", "50")},
	{"output, grep", "output", ofRun("grep", "symbol_1|value1|assert 1", "context", "2")},
	{"status", "status", within()},
	{"info", "info", ofRun("errors", "true", "context", "2")},
	{"history", "history", within("limit", "20")},
	{"history of a branch",
		"history", about(func(r pastRun) []string { return []string{"limit", "20", "branch", "main", "repo", r.repo} })},
	{"diff", "diff", about(func(r pastRun) []string { return []string{"run2", r.ref()} })},
	{"query: files with errors", "query", everywhere("sql",
		"SELECT ref_file, count(*) FROM blq_load_events() WHERE severity='error' GROUP BY 1 ORDER BY 2 DESC LIMIT 20")},
	{"query: runs by status",
		"query", everywhere("sql", "SELECT source_name, status, count(*) FROM blq_load_runs() GROUP BY 1, 2")},
	{"query: events of a run", "query", about(func(r pastRun) []string {
		return []string{"sql", fmt.Sprintf(
			"SELECT ref, message FROM blq_load_events() WHERE run_ref = '%s' AND severity = 'error' LIMIT 100", r.ref())}
	})},
	{"query: filter", "query", everywhere("filter", "severity=error,warning ref_file~module1 tool_name!=mypy")},
	{"query: rare filter", "query", everywhere("filter", "severity=error message~nowhere")},
}

// sizesOfEvents holds the number of events, and their sizes in bytes per event.
type sizesOfEvents struct {
	events       int
	all, indexes float64
}

// open starts a service on a filled database and creates tokens for it.
func (b *bench) open(database string) (f *filled, err error) {
	f = &filled{one: map[string]string{}}
	s, err := prepared(b.ctx, database)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := f.read(b, database); err != nil {
		return nil, err
	}
	var some []string
	for i := 0; len(f.one) < min(50, b.repos) && i < len(f.runs); i++ {
		repo := f.runs[i].repo
		if f.one[repo] == "" {
			if f.one[repo], err = newToken(b.ctx, s, repo); err != nil {
				return nil, err
			}
			some = append(some, repo)
		}
	}
	f.choose()
	if f.fifty, err = newToken(b.ctx, s, some...); err != nil {
		return nil, err
	}
	if f.all, err = newToken(b.ctx, s); err != nil {
		return nil, err
	}
	f.child, err = b.startService(database, "file://"+b.dir+"/logs")
	return f, err
}

// read reads the runs and the table sizes of the database.
func (f *filled) read(b *bench, database string) (err error) {
	c, err := pgx.Connect(b.ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(b.ctx))) }()
	var bytes, indexes int64
	err = c.QueryRow(b.ctx, `
		SELECT (SELECT sum(events) FROM runs)::bigint, sum(pg_total_relation_size(inhrelid))::bigint,
			sum(pg_indexes_size(inhrelid))::bigint
		FROM pg_inherits
		WHERE inhparent = 'events'::regclass`).Scan(&f.size.events, &bytes, &indexes)
	if err != nil {
		return err
	}
	f.size.all, f.size.indexes = float64(bytes)/float64(f.size.events), float64(indexes)/float64(f.size.events)
	rows, err := c.Query(b.ctx, `SELECT repo, source, serial, events FROM runs ORDER BY id DESC`)
	if err != nil {
		return err
	}
	f.runs, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r pastRun, err error) {
		err = row.Scan(&r.repo, &r.source, &r.serial, &r.events)
		return r, err
	})
	return err
}

// caller returns a token with a scope, and a recent run with events that the token can see. It first chooses the size
// of the run, so that the runs have the same sizes in databases of any size.
func (f *filled) caller(scope string, random *rand.Rand) (token string, r pastRun) {
	r = f.recent[random.IntN(len(f.recent))]
	of := f.bySize[sizeAt(random.IntN(100-sizes[0].share))]
	if len(of) > 0 {
		r = of[random.IntN(len(of))]
	}
	switch scope {
	case "one":
		return f.one[r.repo], r
	case "fifty":
		return f.fifty, r
	}
	return f.all, r
}

// sizeAt returns the number of events at a percentile of the runs that have events.
func sizeAt(at int) int {
	for _, s := range sizes[1:] {
		if at -= s.share; at < 0 {
			return s.n
		}
	}
	return 0
}

// choose keeps the newest runs with events, in repositories with a token.
func (f *filled) choose() {
	f.bySize = map[int][]pastRun{}
	for _, r := range f.runs {
		if r.events == 0 || f.one[r.repo] == "" || len(f.recent) == 2000 {
			continue
		}
		f.recent = append(f.recent, r)
		f.bySize[r.events] = append(f.bySize[r.events], r)
	}
}
