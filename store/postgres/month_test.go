package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
)

// calendar is a database with a clock that tests can set.
type calendar struct {
	*testing.T
	*postgres.Store
	conn *pgx.Conn
	n    int
}

func newCalendar(t *testing.T) *calendar {
	t.Helper()
	url := database(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return &calendar{T: t, Store: open(t, url), conn: conn}
}

func (c *calendar) exec(q string) {
	c.Helper()
	if _, err := c.conn.Exec(c.Context(), q); err != nil {
		c.Fatal(err)
	}
}

// set sets the clock to a month.
func (c *calendar) set(year, month int) {
	c.Helper()
	c.exec(fmt.Sprintf(
		`CREATE OR REPLACE FUNCTION month_now() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT %d::bigint'`, 12*year+month-1))
}

// fail records a failed run with two errors.
func (c *calendar) fail() store.Run {
	c.Helper()
	c.n++
	r, err := c.StartRun(c.Context(), run("o/n", fmt.Sprint("attempt-", c.n)))
	if err != nil {
		c.Fatal(err)
	}
	if err := c.AddEvents(c.Context(), r.Attempt, 0, events(2, 0)); err != nil {
		c.Fatal(err)
	}
	code := 1
	if r, err = c.FinishRun(
		c.Context(), r.Attempt, store.Finish{Ending: store.Ending{ExitCode: &code}, Batches: 1}); err != nil {
		c.Fatal(err)
	}
	return r
}

// partitions returns the months with a partition, and the number of events in each.
func (c *calendar) partitions() map[string]int {
	c.Helper()
	rows, err := c.conn.Query(
		c.Context(), `SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'events'::regclass`)
	if err != nil {
		c.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		c.Fatal(err)
	}
	counts := map[string]int{}
	for _, name := range names {
		var n int
		if err := c.conn.QueryRow(c.Context(), `SELECT count(*) FROM `+name).Scan(&n); err != nil {
			c.Fatal(err)
		}
		counts[strings.TrimPrefix(name, "events_")] = n
	}
	return counts
}

func (c *calendar) want(months map[string]int) {
	c.Helper()
	got := c.partitions()
	for m, n := range months {
		if have, ok := got[m]; (n < 0) == ok || ok && have != n {
			c.Errorf("month %s has %d events (there: %v), want %d (-1: no partition)", m, have, ok, n)
		}
	}
}

func (c *calendar) prune(p store.Policy, want store.Pruned) {
	c.Helper()
	got, err := c.Prune(c.Context(), everything, p)
	if err != nil || got != want {
		c.Errorf("pruned %+v, %v, want %+v", got, err, want)
	}
}

func TestMonthsAreInOrder(t *testing.T) {
	t.Parallel()
	c := newCalendar(t)
	c.set(2019, 12)
	first := c.fail() // the partition of the run is missing
	c.set(2020, 1)
	second := c.fail()
	third := c.fail()
	c.want(map[string]int{"2019_12": 2, "2020_01": 4})
	page, err := c.Events(t.Context(), everything, store.EventFilter{})
	if err != nil || page.Total != 6 {
		t.Fatal(page.Total, err)
	}
	var serials []int
	for _, e := range page.Events {
		serials = append(serials, 10*e.Run.Serial+e.ID)
	}
	if want := []int{31, 32, 21, 22, 11, 12}; !slices.Equal(serials, want) {
		t.Errorf("events of runs %v, want %v", serials, want)
	}
	h, err := c.FingerprintHistory(t.Context(), everything, third, page.Events[0].Fingerprint)
	if err != nil || h.First.Serial != first.Serial || h.Last.Serial != second.Serial || h.Runs != 3 {
		t.Errorf("history %+v, %v", h, err)
	}
}

func TestMaintenanceMakesTheComingMonths(t *testing.T) {
	t.Parallel()
	c := newCalendar(t)
	c.set(2031, 11)
	atOnce(5, func(int) {
		if err := c.Maintain(t.Context()); err != nil {
			t.Error(err)
		}
	})
	c.want(map[string]int{"2031_10": -1, "2031_11": 0, "2031_12": 0, "2032_01": 0, "2032_02": -1})
	for month, want := range map[int]int{11: 2, 12: 1} {
		c.set(2031, month)
		if n, err := c.PartitionsAhead(t.Context()); n != want || err != nil {
			t.Errorf("in month %d there are partitions for %d to come, %v; want %d", month, n, err, want)
		}
	}
}

func TestRetentionDropsMonths(t *testing.T) {
	t.Parallel()
	c := newCalendar(t)
	for m := range 3 {
		c.set(2020, m+1)
		c.fail()
		c.fail()
	}
	var table uint32
	oid := func() (n uint32) {
		t.Helper()
		if err := c.conn.QueryRow(t.Context(), `SELECT coalesce(to_regclass('events_2020_02')::oid, 0)`).Scan(
			&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	table = oid()
	c.prune(store.Policy{KeepPerSource: 3}, store.Pruned{Runs: 3, Events: 6})
	if err := c.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.want(map[string]int{"2020_01": -1, "2020_02": 2, "2020_03": 4})
	if oid() != table {
		t.Error("a month of which a run is kept was dropped")
	}
	c.prune(store.Policy{All: true}, store.Pruned{Runs: 3, Events: 6})
	c.want(map[string]int{"2020_02": -1, "2020_03": 0}) // the partition of this month is needed
	if r := c.fail(); r.Serial != 7 {
		t.Errorf("serial %d after pruning all", r.Serial)
	}
	if _, err := c.Store.Run(t.Context(), everything, store.Ref{Source: "build", Serial: 1}); store.CodeOf(
		err) != store.NotFound || !strings.Contains(err.Error(), "pruned") {
		t.Errorf("a run of a dropped month: %v", err)
	}
}

func TestReplicasDropMonthsAtOnce(t *testing.T) {
	t.Parallel()
	c := newCalendar(t)
	for m := range 12 {
		c.set(2020, m+1)
		c.fail()
	}
	c.exec(`TRUNCATE runs CASCADE`)
	c.set(2021, 1)
	atOnce(8, func(int) {
		if err := c.Maintain(t.Context()); err != nil {
			t.Error(err)
		}
	})
	for month := range c.partitions() {
		if month < "2021" {
			t.Errorf("month %s is still there", month)
		}
	}
}

func TestRetentionDoesNotWaitForReaders(t *testing.T) {
	t.Parallel()
	c := newCalendar(t)
	c.set(2020, 1)
	c.fail()
	c.set(2020, 2)
	tx, err := c.conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	if _, err := tx.Exec(t.Context(), `SELECT count(*) FROM events`); err != nil { // keeps a lock on the table
		t.Fatal(err)
	}
	c.prune(store.Policy{All: true}, store.Pruned{Runs: 1, Events: 2})
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.want(map[string]int{"2020_01": 0})
	if err := c.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.want(map[string]int{"2020_01": -1})
}

func TestARunIsReadFromOnePartition(t *testing.T) {
	t.Parallel()
	c := newCalendar(t)
	for m := range 4 {
		c.set(2020, m+1)
		c.fail()
	}
	var id int64
	if err := c.conn.QueryRow(t.Context(), `SELECT min(id) FROM runs`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		`SELECT * FROM events WHERE run_id = $1`,
		`SELECT * FROM events WHERE run_id = ANY(ARRAY[$1::bigint]) ORDER BY run_id DESC, id LIMIT 5`,
		`DELETE FROM events WHERE run_id = ANY(ARRAY[$1::bigint])`,
		`SELECT count(*) FROM events WHERE source_id = 1 AND fingerprint = 7 AND run_id <= $1`,
	} {
		rows, err := c.conn.Query(t.Context(), `EXPLAIN `+q, id)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(plan, "\n"); !strings.Contains(text, "on events_2020_01") ||
			strings.Contains(text, "on events_2020_02") {
			t.Errorf("%s looks at:\n%s", q, text)
		}
	}
}
