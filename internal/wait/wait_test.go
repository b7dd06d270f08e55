package wait

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestFor(t *testing.T) {
	t.Parallel()
	if err := For(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := For(ended, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("in a context that has ended: %v", err)
	}
}
