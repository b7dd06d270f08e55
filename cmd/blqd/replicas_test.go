//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store/postgres"
)

// shared returns settings for several replicas, with a new database and a new bucket.
func shared(t *testing.T) []string {
	t.Helper()
	bucket, err := fakestorage.NewServerWithOptions(
		fakestorage.Options{Scheme: "http", Host: "127.0.0.1", Port: 0, Writer: io.Discard})
	check(t, err)
	t.Cleanup(bucket.Stop)
	bucket.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "logs"})
	return []string{
		"BLQ_DATABASE_URL=" + pgtest.Copy(t, migrated), "BLQ_BLOBS=gs://logs/blq", "STORAGE_EMULATOR_HOST=" + bucket.URL(),
		"BLQ_AUTH=required",
	}
}

func migrated(ctx context.Context, url string) error {
	s, err := postgres.Open(ctx, url, postgres.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Migrate(ctx)
}

func TestReplicasCarryOnWhenOneIsKilled(t *testing.T) {
	t.Parallel()
	env := shared(t)
	token := makeToken(t, env, "--scope", "ingest,query", "--repo", "acme/shop")
	one, two := serve(t, env).with(token), serve(t, env).with(token)
	const runs = 6
	attempt := func(i int) string { return fmt.Sprintf("018d0c00-0000-7000-8000-%012d", i) }
	for i := range runs {
		if status, text := one.start(attempt(i), "acme/shop", "build"); status != 201 {
			t.Fatalf("start: %d %s", status, text)
		}
		if status, text := one.putChunk(attempt(i), whole, fmt.Sprintf("log of %d\n", i)); status != 204 {
			t.Fatalf("chunk: %d %s", status, text)
		}
	}
	before := two.get("/v1/history?limit=100")
	if got := one.get("/v1/history?limit=100"); got != before {
		t.Errorf("one says %s\ntwo says %s", got, before)
	}
	one.kill()
	for i := range runs {
		if status, text := two.start(attempt(i), "acme/shop", "build"); status != 200 {
			t.Errorf("start again: %d %s", status, text)
		}
		if status, text := two.putChunk(attempt(i), whole, fmt.Sprintf("log of %d\n", i)); status != 204 {
			t.Errorf("chunk again: %d %s", status, text)
		}
		if status, text := two.putChunk(attempt(i), whole, "something else\n"); status != 409 {
			t.Errorf("another chunk: %d %s", status, text)
		}
		if status, text := two.finish(attempt(i), 1); status != 200 {
			t.Errorf("finish: %d %s", status, text)
		}
		if text := two.get("/v1/output?ref=" + attempt(i)); !strings.Contains(text, fmt.Sprintf("log of %d", i)) {
			t.Errorf("output: %s", text)
		}
	}
	three := serve(t, env).with(token)
	if got, want := three.get("/v1/history?limit=100"), two.get("/v1/history?limit=100"); got != want ||
		strings.Count(got, `"FAIL"`) != runs {
		t.Errorf("three says %s\ntwo says %s", got, want)
	}
	if text := three.with(makeToken(t, env, "--scope", "admin")).get("/metrics"); !strings.Contains(
		text, "blq_database_connections_max") {
		t.Error("no metrics of the pool")
	}
}

func TestReadinessNoticesADeadDatabase(t *testing.T) {
	t.Parallel()
	database, err := pgtest.Start(pgtest.Options{})
	check(t, err)
	t.Cleanup(func() { database.Close() })
	p := serve(t, []string{"BLQ_DATABASE_URL=" + database.URL("postgres"), "BLQ_DATA=" + t.TempDir()})
	ready := func() bool {
		status, _ := p.do("GET", "/readyz", nil)
		return status == http.StatusOK
	}
	until(t, "ready", ready)
	check(t, database.Down(pgtest.Immediate))
	until(t, "not ready", func() bool { return !ready() })
	p.get("/healthz")
	if _, text := p.do("GET", "/readyz", nil); text != "database unavailable\n" {
		t.Errorf("readyz: %s", text)
	}
	out, err := command(t.Context(), []string{"BLQ_DATABASE_URL=" + database.URL("postgres"), "BLQ_DATA=" + t.TempDir()},
		"doctor", "--github-api=", "--issuers=").Output()
	if err == nil || !strings.Contains(string(out), "FAIL  database") {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	check(t, database.Up())
	until(t, "ready again", ready)
	p.terminate()
	if code := p.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestManyReplicasMayStartAndMigrateAtOnce(t *testing.T) {
	t.Parallel()
	env := []string{"BLQ_DATABASE_URL=" + pgtest.New(t), "BLQ_DATA=" + t.TempDir()}
	out, err := command(t.Context(), env, "token", "list").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "try: blqd migrate") {
		t.Errorf("without its tables: %v\n%s", err, out)
	}
	done := make(chan error)
	const n = 4
	for range n {
		go func() {
			out, err := command(context.WithoutCancel(t.Context()), env, "migrate").CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			done <- err
		}()
	}
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	out, err = command(t.Context(), env, "token", "list").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
