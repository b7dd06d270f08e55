package gcs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"github.com/blq-ci/blq/internal/wait"
	"github.com/blq-ci/blq/store"
)

// patience bounds the attempts of a call. The context of the call may end the attempts earlier.
type patience struct {
	attempts int           // max number of attempts
	each     time.Duration // max time of one attempt, including the body
	pause    time.Duration // pause before the second attempt; it doubles after each attempt
}

// maxPause is the max pause between two attempts.
const maxPause = 10 * time.Second

// tried is the error of a call after the last attempt.
type tried struct {
	attempts int
	why      error // error of the context, nil if all attempts are used up
	last     error
}

func (t *tried) Error() string {
	if t.why != nil {
		return fmt.Sprintf("%v in attempt %d, where: %v", t.why, t.attempts, brief(t.last))
	}
	return fmt.Sprintf("given up after %d attempts, the last: %v", t.attempts, brief(t.last))
}

func (t *tried) Unwrap() []error { return []error{t.why, t.last} }

// retry calls f until the bucket has answered, or no more attempts are allowed. f makes a request that may be repeated.
func (b *Bucket) retry(ctx context.Context, f func(context.Context) error) error {
	pause := b.patience.pause
	for attempt := 1; ; attempt++ {
		err := b.once(ctx, f)
		if err == nil || final(err) {
			return err
		}
		if ctx.Err() != nil || attempt >= b.patience.attempts {
			return &tried{attempt, ctx.Err(), err}
		}
		if ended := wait.For(ctx, pause/2+rand.N(pause/2+1)); ended != nil {
			return &tried{attempt, ended, err}
		}
		pause = min(2*pause, maxPause)
	}
}

func (b *Bucket) once(ctx context.Context, f func(context.Context) error) error {
	attempt, cancel := context.WithTimeout(ctx, b.patience.each)
	defer cancel()
	err := f(attempt)
	if err != nil && ctx.Err() == nil && errors.Is(attempt.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no whole answer within %s: %w", b.patience.each, err)
	}
	return err
}

// final reports whether another attempt is useless, because the bucket has answered or the error is permanent.
func final(err error) bool {
	if store.CodeOf(err) != "" {
		return true
	}
	code := status(err)
	switch {
	case code == http.StatusBadRequest && strings.Contains(err.Error(), "CRC32C"): // the request was damaged in transit
		return false
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests:
		return false
	}
	return code >= 400 && code < 500 || isNotFound(err)
}

// status returns the HTTP status of an error, or 0 if the error has none.
func status(err error) int {
	if e, ok := errors.AsType[*googleapi.Error](err); ok {
		return e.Code
	}
	if e, ok := errors.AsType[*auth.Error](err); ok && e.Response != nil && e.Response.StatusCode < 500 {
		return http.StatusUnauthorized
	}
	return 0
}

func isNotFound(err error) bool {
	return status(err) == http.StatusNotFound || errors.Is(err, storage.ErrBucketNotExist) ||
		errors.Is(err, storage.ErrObjectNotExist)
}
