package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store"
)

// BenchmarkRead measures the cost of questions about many events in many repositories. Each run has 100 events.
func BenchmarkRead(b *testing.B) {
	for _, size := range []int{100_000, 1_000_000} {
		if size > 100_000 && testing.Short() {
			continue
		}
		benchmarkRead(b, size)
	}
}

// benchmarkRead asks a store with size events.
func benchmarkRead(b *testing.B, size int) {
	b.Helper()
	url := pgtest.Copy(b, migrate)
	s := open(b, url)
	fill(b, url, size/100, 1000)
	ctx, all := b.Context(), store.Everything()
	var some []string
	for i := range 50 {
		some = append(some, fmt.Sprint("o/r", i))
	}
	mine, ours := store.Repos("o/r7"), store.Repos(some...)
	last, err := s.Run(ctx, mine, store.Ref{})
	if err != nil {
		b.Fatal(err)
	}
	page, err := s.Events(ctx, mine, store.EventFilter{Runs: store.RunFilter{Attempts: []string{last.Attempt}}})
	if err != nil || page.Total != 100 {
		b.Fatal(page.Total, err)
	}
	leg := ""
	runs := func(sc store.Scope, f store.RunFilter) func() error {
		return func() error { _, err := s.Runs(ctx, sc, f); return err }
	}
	list := func(sc store.Scope, f store.EventFilter) func() error {
		return func() error { _, err := s.Events(ctx, sc, f); return err }
	}
	sql := func(sc store.Scope, q string) func() error {
		return func() error { _, err := s.Query(ctx, sc, store.Query{SQL: q}); return err }
	}
	for _, test := range []struct {
		name string
		ask  func() error
	}{
		{"Latest", func() error { _, err := s.Run(ctx, mine, store.Ref{}); return err }},
		{"LatestOf50", func() error { _, err := s.Run(ctx, ours, store.Ref{}); return err }},
		{"LatestOfSource", func() error { _, err := s.Run(ctx, all, store.Ref{Source: "build"}); return err }},
		{"Newest", runs(mine, store.RunFilter{Newest: true})},
		{"NewestOf50", runs(ours, store.RunFilter{Newest: true})},
		{"NewestOfAll", runs(all, store.RunFilter{Newest: true, Limit: 20})},
		{"History", runs(mine, store.RunFilter{Source: "build", Limit: 20})},
		{"HistoryOf50", runs(ours, store.RunFilter{Source: "build", Limit: 20})},
		{"Before",
			runs(mine, store.RunFilter{Repo: "o/r7", Source: "build", Leg: &leg, Before: last.Serial - 1, Limit: 20})},
		{"Commit", runs(mine, store.RunFilter{Repo: "o/r7", Commit: "00000000c", Limit: 1})},
		{"Branch", runs(mine, store.RunFilter{Repo: "o/r7", Branch: "main", Baseline: true, Limit: 2})},
		{"Branches", func() error { _, err := s.Branches(ctx, mine, "o/r7", 20); return err }},
		{"BranchesOf50", func() error { _, err := s.Branches(ctx, ours, "", 20); return err }},
		{"EventsOfRun", list(mine, store.EventFilter{Runs: store.RunFilter{Attempts: []string{last.Attempt}}, Limit: 20})},
		{"EventsOfNewest", list(mine, store.EventFilter{
			Runs: store.RunFilter{Newest: true}, Severities: []store.Severity{store.SeverityError}, Limit: 20})},
		{"EventsByFingerprint", list(mine, store.EventFilter{Runs: store.RunFilter{Repo: "o/r7", Source: "build"},
			Fingerprints: []string{page.Events[5].Fingerprint}, Limit: 20})},
		{"EventsByFilter", list(mine, store.EventFilter{
			Where: []store.Condition{{Field: "message", Op: store.Contains, Values: []string{"m5"}}}, Limit: 20})},
		{"FingerprintHistory",
			func() error { _, err := s.FingerprintHistory(ctx, mine, last, page.Events[5].Fingerprint); return err }},
		{"SQLEmpty", sql(store.Repos("o/none"), "SELECT 1")},
		{"SQL", sql(mine, "SELECT tool_name, count(*) FROM blq_load_events() GROUP BY 1")},
		{"SQLOf50", sql(ours, "SELECT tool_name, count(*) FROM blq_load_events() GROUP BY 1")},
	} {
		b.Run(fmt.Sprintf("%s/%d", test.name, size), func(b *testing.B) {
			for b.Loop() {
				if err := test.ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fill adds runs of two sources to repositories, with 100 events each.
func fill(b *testing.B, url string, runs, repos int) {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, q := range []string{
		fmt.Sprintf(`INSERT INTO repos (name, last_serial) SELECT 'o/r' || i, %d FROM generate_series(0, %d - 1) i`,
			runs, repos),
		`INSERT INTO sources (repo, name) SELECT name, s FROM repos, (VALUES ('build'), ('test')) v (s)`,
		fmt.Sprintf(`
			INSERT INTO runs (
				attempt, repo, serial, source_id, source, command, cwd, started_at, hostname, platform, arch,
				git_commit, git_branch, git_dirty, git_root, fork, pr, leg, format, state, events, errors
			)
			SELECT
				'attempt-' || i, s.repo, 1 + i / %[2]d, s.id, s.name, 'make', '/src', now() - (%[1]d - i) * interval '1 minute', 'host', 'Linux', 'x86_64',
				lpad(to_hex(i), 9, '0') || repeat('c', 31), CASE WHEN i / %[2]d %% 5 = 0 THEN 'main' ELSE 'topic' || i %% 50 END, false, '/src', false, 0, 0, '', 'completed', 100, 100
			FROM generate_series(0, %[1]d - 1) i
			JOIN sources s ON s.repo = 'o/r' || i %% %[2]d AND s.name = CASE WHEN i / %[2]d %% 2 = 0 THEN 'build' ELSE 'test' END
			ORDER BY i`, runs, repos),
		`INSERT INTO events
			SELECT
				r.id, (hashtextextended(r.repo, e) & 9223372036854775807) / CASE WHEN e < 10 THEN 1 ELSE 1 + r.serial END, e, e, r.source_id, e, 1, e, e, 1,
				'src/module' || e || '/file.c', 'undeclared identifier m' || e, 'gcc', 'compile', '', '', ''
			FROM runs r, generate_series(1, 100) e
			ORDER BY r.id, e`,
		`VACUUM ANALYZE`,
	} {
		if _, err := conn.Exec(b.Context(), q); err != nil {
			b.Fatal(err)
		}
	}
}
