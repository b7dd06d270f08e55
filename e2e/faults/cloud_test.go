//go:build linux

package faults

import (
	"io"
	"net/http/httptest"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/blq-ci/blq/internal/blobs"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store/postgres"
)

// cloud is a database and a bucket, each of which can fail.
type cloud struct {
	t        *testing.T
	database *pgtest.Server
	bucket   *bucket
	front    *httptest.Server
}

func newCloud(t *testing.T) *cloud {
	t.Helper()
	database, err := pgtest.Start(pgtest.Options{Durable: true})
	check(t, err)
	t.Cleanup(func() { database.Close() })
	files, err := fakestorage.NewServerWithOptions(fakestorage.Options{Scheme: "http", Host: "127.0.0.1", Port: 0, Writer: io.Discard})
	check(t, err)
	t.Cleanup(files.Stop)
	files.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "logs"})
	c := &cloud{t: t, database: database, bucket: newBucket(t, files.URL())}
	c.front = httptest.NewUnstartedServer(c.bucket)
	c.front.Config.ErrorLog = quiet
	c.front.Start()
	t.Cleanup(c.front.Close)
	return c
}

// env are the settings of a server on it.
func (c *cloud) env() []string {
	return []string{"BLQ_DATABASE_URL=" + c.database.URL("postgres"), "BLQ_BLOBS=gs://logs/blq", "STORAGE_EMULATOR_HOST=" + c.front.URL}
}

// open opens what is kept there, past all faults.
func (c *cloud) open() place {
	c.t.Helper()
	c.bucket.heal()
	s, err := postgres.Open(c.t.Context(), c.database.URL("postgres"), postgres.Options{})
	check(c.t, err)
	c.t.Cleanup(func() { s.Close() })
	c.t.Setenv("STORAGE_EMULATOR_HOST", c.front.URL)
	b, err := blobs.Open(c.t.Context(), "gs://logs/blq")
	check(c.t, err)
	c.t.Cleanup(func() { b.Close() })
	return place{c.t, s, b}
}
