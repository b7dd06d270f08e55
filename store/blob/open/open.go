// Package open opens the object storage of a service by its URL, of any kind. The command line opens files with
// store/blob and does not link this package.
package open

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/blob/gcs"
)

// Place is where a service keeps objects, with what its operation needs.
type Place interface {
	store.Blobs
	// CheckWrite checks that objects can be put, read and deleted, by doing it with a small one. It is cheap enough
	// for readiness. The error has a hint.
	CheckWrite(ctx context.Context) error
	// Close releases connections.
	Close() error
}

// kinds are the ways to open a place, by the scheme of its URL.
var kinds = map[string]func(ctx context.Context, url string) (Place, error){
	"file": func(_ context.Context, url string) (Place, error) {
		f, err := blob.OpenFile(strings.TrimPrefix(url, "file://"))
		if err != nil {
			return nil, err // not a nil *blob.File in a Place
		}
		return f, nil
	},
	"gs": func(ctx context.Context, url string) (Place, error) {
		b, err := gcs.Open(ctx, url)
		if err != nil {
			return nil, err
		}
		return b, nil
	},
}

// Check checks that a URL is one of a known kind. Invalid: it is not.
func Check(url string) error {
	kind, rest, _ := strings.Cut(url, "://")
	if kinds[kind] == nil || rest == "" {
		return store.Hint(store.Errorf(store.Invalid, "%.100q is not a place for logs", url),
			"write it like file:///var/lib/blq/logs or gs://my-bucket/blq")
	}
	return nil
}

// Open returns the place at file:///var/lib/blq/logs or gs://bucket/prefix.
// Invalid: it is no such URL. Unauthorized: there are no credentials for it.
// Unavailable: the directory cannot be made.
func Open(ctx context.Context, url string) (Place, error) {
	if err := Check(url); err != nil {
		return nil, err
	}
	kind, _, _ := strings.Cut(url, "://")
	return kinds[kind](ctx, url)
}
