package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

func TestLaterKeepsWhatTheErrorSays(t *testing.T) {
	if err := store.Later(nil, time.Second); err != nil {
		t.Errorf("of nil: %v", err)
	}
	err := store.Hint(fmt.Errorf(
		"ask: %w", store.Later(store.Hint(store.Errorf(store.RateLimited, "too many"), "less"), 3*time.Second)), "later")
	if after, ok := store.RetryAfter(err); !ok || after != 3*time.Second || store.CodeOf(err) != store.RateLimited ||
		err.Error() != "ask: too many" {
		t.Errorf("%v, code %s, after %v (%v)", err, store.CodeOf(err), after, ok)
	}
	if hint := store.NextOf(store.Later(store.Hint(err, "less"), time.Second)); hint != store.Text("less") {
		t.Errorf("hint %q", hint)
	}
	if after, ok := store.RetryAfter(store.Errorf(store.Unavailable, "down")); ok || after != 0 {
		t.Errorf("of an error that says nothing: %v", after)
	}
}
