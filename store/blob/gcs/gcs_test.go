package gcs_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob/blobtest"
	"github.com/blq-ci/blq/store/blob/gcs"
)

// serve starts a fake of Google's service with an empty bucket named logs, and points the client at it.
func serve(t *testing.T) *fakestorage.Server {
	t.Helper()
	return serveWith(t, fakestorage.Options{})
}

func serveWith(t *testing.T, o fakestorage.Options) *fakestorage.Server {
	t.Helper()
	o.Scheme, o.Host, o.Port = "http", "127.0.0.1", 0
	server, err := fakestorage.NewServerWithOptions(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	server.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "logs"})
	t.Setenv("STORAGE_EMULATOR_HOST", server.URL())
	return server
}

func open(t *testing.T, url string) *gcs.Bucket {
	t.Helper()
	b, err := gcs.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b.WithPatience(4, 20*time.Second, time.Millisecond)
}

func TestBucket(t *testing.T) {
	for _, url := range []string{"gs://logs", "gs://logs/", "gs://logs/some/prefix"} {
		t.Run(url, func(t *testing.T) {
			blobtest.Test(t, func(t *testing.T) store.Blobs {
				serve(t)
				return open(t, url)
			})
		})
	}
}

func TestOpenRefusesWhatIsNoBucket(t *testing.T) {
	serve(t)
	for _, url := range []string{"", "logs", "gs://", "gs:///logs", "gs://UPPER", "gs://a b", "gs://logs/../x",
		"gs://logs//x", "file:///logs", "gs://logs/ä"} {
		if _, err := gcs.Open(t.Context(), url); store.CodeOf(err) != store.Invalid ||
			!strings.Contains(cmdline.Of(store.NextOf(err)), "gs://") {
			t.Errorf("%q: %v, hint %q", url, err, cmdline.Of(store.NextOf(err)))
		}
	}
}

func TestOpenWithoutCredentialsSaysHowToGetSome(t *testing.T) {
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", t.TempDir()+"/none.json")
	_, err := gcs.Open(t.Context(), "gs://logs")
	if store.CodeOf(err) != store.Unauthorized ||
		!strings.Contains(cmdline.Of(store.NextOf(err)), "GOOGLE_APPLICATION_CREDENTIALS") {
		t.Errorf("got %v, hint %q", err, cmdline.Of(store.NextOf(err)))
	}
}

func TestPrefixesAreApart(t *testing.T) {
	server := serve(t)
	one, two := open(t, "gs://logs/one"), open(t, "gs://logs/one/more")
	for _, b := range []*gcs.Bucket{one, two} {
		if err := b.Put(t.Context(), "a/k", []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"one/a/k", "one/more/a/k"} {
		if _, err := server.GetObject("logs", name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if keys, err := two.List(t.Context(), "", "", 0); len(keys) != 1 || keys[0] != "a/k" || err != nil {
		t.Errorf("got %v, %v", keys, err)
	}
}

func TestListOfManyPages(t *testing.T) {
	server := serveWith(t, fakestorage.Options{StorageRoot: t.TempDir()}) // in memory, a put compares all objects
	for i := range 2100 {
		server.CreateObject(fakestorage.Object{ObjectAttrs: fakestorage.ObjectAttrs{BucketName: "logs", Name: name(i)}})
	}
	server.CreateObject(fakestorage.Object{ObjectAttrs: fakestorage.ObjectAttrs{BucketName: "logs", Name: "k/.no key"}})
	keys, err := open(t, "gs://logs").List(t.Context(), "k/", "", 0)
	if err != nil || len(keys) != 2100 || keys[0] != name(0) || keys[2099] != name(2099) {
		t.Errorf("got %d keys, %v", len(keys), err)
	}
}

func name(i int) string { return fmt.Sprintf("k/%06d", i) }

func TestOfManyWhoPutOtherBytesOneWins(t *testing.T) {
	serve(t)
	var wg sync.WaitGroup
	var won atomic.Int64
	for i := range 10 {
		b := open(t, "gs://logs") // another process
		wg.Go(func() {
			switch err := b.Put(t.Context(), "k", []byte(name(i))); {
			case err == nil:
				won.Add(1)
				if got, err := b.Get(t.Context(), "k"); string(got) != name(i) || err != nil {
					t.Errorf("%d won, but there is %q, %v", i, got, err)
				}
			case store.CodeOf(err) != store.Conflict:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d won", won.Load())
	}
}
