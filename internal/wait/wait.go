// Package wait waits for a time, or for the end of a context.
package wait

import (
	"context"
	"time"
)

// For waits for a duration. If the context ends first, it returns the context's error.
func For(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
