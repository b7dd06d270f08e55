package open_test

import (
	"path/filepath"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob/open"
)

func TestOpen(t *testing.T) {
	server, err := fakestorage.NewServerWithOptions(fakestorage.Options{Scheme: "http", Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	server.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "logs"})
	t.Setenv("STORAGE_EMULATOR_HOST", server.URL())
	for _, url := range []string{"file://" + filepath.ToSlash(t.TempDir()) + "/new", "gs://logs", "gs://logs/blq"} {
		place, err := open.Open(t.Context(), url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		defer place.Close()
		if err := place.CheckWrite(t.Context()); err != nil {
			t.Errorf("%s: check write: %v", url, err)
		}
		if keys, err := place.List(t.Context(), "", "", 0); len(keys) != 0 || err != nil {
			t.Errorf("%s: left %v, %v", url, keys, err)
		}
	}
}

func TestOpenRefusesOtherPlaces(t *testing.T) {
	for _, url := range []string{"", "/var/lib/blq", "s3://logs", "file://", "gs://"} {
		place, err := open.Open(t.Context(), url)
		if store.CodeOf(err) != store.Invalid || store.NextOf(err) == nil || place != nil {
			t.Errorf("%q: got %v, %v", url, place, err)
		}
	}
}
