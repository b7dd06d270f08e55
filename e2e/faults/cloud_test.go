//go:build linux

package faults

import (
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store/blob/open"
	"github.com/blq-ci/blq/store/postgres"
)

// emulator is the variable that names the address of the object store.
const emulator = "STORAGE_EMULATOR_HOST"

// files is the object store of all tests. Each test has a bucket of its own.
var files *fakestorage.Server

// serveFiles starts the object store and sets the variable with its address.
func serveFiles() error {
	var err error
	if files, err = fakestorage.NewServerWithOptions(
		fakestorage.Options{Scheme: "http", Host: "127.0.0.1", Port: 0, Writer: io.Discard}); err != nil {
		return err
	}
	return os.Setenv(emulator, files.URL())
}

var buckets atomic.Int64

// cloud is a database and a bucket, each of which can fail.
type cloud struct {
	t        *testing.T
	database *pgtest.Server
	name     string
	bucket   *bucket
	front    *httptest.Server
}

func newCloud(t *testing.T) *cloud {
	t.Helper()
	database, err := pgtest.Start(pgtest.Options{Durable: true})
	check(t, err)
	t.Cleanup(func() { database.Close() })
	c := &cloud{t: t, database: database, name: fmt.Sprint("logs", buckets.Add(1)), bucket: newBucket(t, files.URL())}
	files.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: c.name})
	c.front = httptest.NewUnstartedServer(c.bucket)
	c.front.Config.ErrorLog = quiet
	c.front.Start()
	t.Cleanup(c.front.Close)
	return c
}

func (c *cloud) blobs() string { return "gs://" + c.name + "/blq" }

// env returns the settings of a server that uses the database and the bucket.
func (c *cloud) env() []string {
	return []string{"BLQ_DATABASE_URL=" + c.database.URL("postgres"), "BLQ_BLOBS=" + c.blobs(),
		emulator + "=" + c.front.URL}
}

// open opens the database, and the bucket without its faults.
func (c *cloud) open() place {
	c.t.Helper()
	s, err := postgres.Open(c.t.Context(), c.database.URL("postgres"), postgres.Options{})
	check(c.t, err)
	c.t.Cleanup(func() { s.Close() })
	b, err := open.Open(c.t.Context(), c.blobs())
	check(c.t, err)
	c.t.Cleanup(func() { b.Close() })
	return place{c.t, s, b}
}
