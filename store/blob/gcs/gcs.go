// Package gcs stores objects in a bucket of Google Cloud Storage. Only the service links this package. This package may
// import store, store/blob, internal/wait and Google's client.
package gcs

import (
	"context"
	"os"
	"regexp"
	"strings"
	"time"

	"cloud.google.com/go/storage"
	"google.golang.org/api/option"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
)

// Bucket stores objects in a bucket, below a prefix. Several processes may use the same bucket.
type Bucket struct {
	client   *storage.Client
	name     string
	prefix   string // "" or a path that ends in /
	patience patience
}

var _ store.Blobs = (*Bucket)(nil)

// emulator is the environment variable with the address of a server that replaces Google's server. Google's client
// reads the variable. If the variable is set, the client needs no credentials.
const emulator = "STORAGE_EMULATOR_HOST"

// Open returns the object storage at gs://bucket or gs://bucket/prefix. It uses the credentials that Google's tools
// find in the environment. Open makes no request; use CheckWrite to test the bucket. Invalid: the URL is not of this
// form. Unauthorized: there are no credentials.
func Open(ctx context.Context, url string) (*Bucket, error) {
	name, prefix, err := split(url)
	if err != nil {
		return nil, err
	}
	client, err := storage.NewClient(ctx, option.WithScopes(storage.ScopeReadWrite), storage.WithJSONReads())
	if err != nil {
		return nil, store.Hint(store.Errorf(store.Unauthorized, "open gs://%s: %w", name, err), credentialsHint)
	}
	client.SetRetry(storage.WithPolicy(storage.RetryNever)) // retry repeats each request as a whole instead
	return &Bucket{client: client, name: name, prefix: prefix,
		patience: patience{attempts: 6, each: 30 * time.Second, pause: 200 * time.Millisecond}}, nil
}

// Close closes idle connections.
func (b *Bucket) Close() error { return b.client.Close() }

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$`)

func split(url string) (name, prefix string, err error) {
	rest, ok := strings.CutPrefix(url, "gs://")
	name, prefix, _ = strings.Cut(rest, "/")
	if !ok || !bucketName.MatchString(name) {
		return "",
			"", store.Hint(store.Errorf(store.Invalid, "%.100q names no bucket", url), "write it like gs://my-bucket/blq")
	}
	if prefix = strings.TrimSuffix(prefix, "/"); prefix == "" {
		return name, "", nil
	}
	if err := blob.CheckKey(prefix); err != nil {
		return "",
			"", store.Hint(store.Errorf(store.Invalid, "open gs://%s: %w", name, err), "write it like gs://%s/blq", name)
	}
	return name, prefix + "/", nil
}

// maxName is the max size of an object's name, in bytes.
const maxName = 1024

func (b *Bucket) object(key string) (*storage.ObjectHandle, error) {
	if err := blob.CheckKey(key); err != nil {
		return nil, err
	}
	if len(b.prefix)+len(key) > maxName {
		return nil,
			store.Errorf(store.Invalid, "%.100q is not a key: with the bucket's prefix it has more than %d bytes",
				key, maxName)
	}
	return b.bucket().Object(b.prefix + key), nil
}

func (b *Bucket) bucket() *storage.BucketHandle { return b.client.Bucket(b.name) }

func (b *Bucket) emulated() string { return os.Getenv(emulator) }
