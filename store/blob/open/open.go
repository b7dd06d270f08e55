// Package open opens the object storage of a service by its URL, for every kind of storage. The program blq stores
// objects only in files. So it uses store/blob, and does not link this package.
package open

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/blob/gcs"
)

// Place is the object storage of a service, with the checks that operators need.
type Place interface {
	store.Blobs
	// CheckWrite puts, reads and deletes a small object. It is cheap enough for readiness checks. The error has a hint.
	CheckWrite(ctx context.Context) error
	// Close releases connections.
	Close() error
}

// kinds holds the functions that open object storage, by the scheme of the URL.
var kinds = map[string]func(ctx context.Context, url string) (Place, error){
	"file": func(_ context.Context, url string) (Place, error) {
		f, err := blob.OpenFile(strings.TrimPrefix(url, "file://"))
		if err != nil {
			return nil, err // return nil, because a Place that holds a nil pointer would not be nil
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

// Check checks that Open knows the scheme of a URL, and that text follows the scheme. Otherwise the error is Invalid.
func Check(url string) error {
	kind, rest, _ := strings.Cut(url, "://")
	if kinds[kind] == nil || rest == "" {
		return store.Hint(store.Errorf(store.Invalid, "%.100q is not a place for logs", url),
			"write it like file:///var/lib/blq/logs or gs://my-bucket/blq")
	}
	return nil
}

// Open returns the object storage at a URL, such as file:///var/lib/blq/logs or gs://bucket/prefix. Invalid: the
// scheme is unknown, or the URL is not complete. Unauthorized: there are no credentials. Unavailable: the directory
// cannot be made.
func Open(ctx context.Context, url string) (Place, error) {
	if err := Check(url); err != nil {
		return nil, err
	}
	kind, _, _ := strings.Cut(url, "://")
	return kinds[kind](ctx, url)
}
