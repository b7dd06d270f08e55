package gcs

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"

	"github.com/blq-ci/blq/store"
)

// check checks that the bucket exists and that its objects can be listed. It makes one small request, and may repeat
// the request. The error has a hint. NotFound: there is no such bucket. Unauthorized: the credentials are not accepted.
// Forbidden: the credentials lack a permission. Unavailable: the bucket cannot be reached.
func (b *Bucket) check(ctx context.Context) error {
	if err := b.retry(ctx, b.look); err != nil {
		return b.explain(err)
	}
	return nil
}

func (b *Bucket) look(ctx context.Context) error {
	_, _, err := b.names(ctx, "", "", "", 1)
	return err
}

// CheckWrite checks that objects can be put, read and deleted. It uses an object under a name that is not a key. The
// errors have the same codes as the errors of check.
func (b *Bucket) CheckWrite(ctx context.Context) error {
	if err := b.check(ctx); err != nil {
		return err
	}
	text := rand.Text()
	o := b.bucket().Object(b.prefix + ".check-" + text)
	for _, step := range []struct {
		verb string
		do   func(context.Context) error
	}{
		{"write", func(ctx context.Context) error {
			return ignoreStatus(http.StatusPreconditionFailed, write(ctx, o, []byte(text)))
		}},
		{"read", func(ctx context.Context) error {
			data, err := read(ctx, o)
			if err == nil && !bytes.Equal(data, []byte(text)) {
				err = errors.New("it holds something else")
			}
			return err
		}},
		{"delete", func(ctx context.Context) error { return ignoreStatus(http.StatusNotFound, o.Delete(ctx)) }},
	} {
		if err := b.retry(ctx, step.do); err != nil {
			err = b.explain(err)
			return store.Next(fmt.Errorf("%s an object: %w", step.verb, err), store.NextOf(err))
		}
	}
	return nil
}

// ignoreStatus returns err, or nil if err has the given HTTP status. This status means that an earlier attempt of the
// same request has succeeded.
func ignoreStatus(code int, err error) error {
	if status(err) == code {
		return nil
	}
	return err
}
