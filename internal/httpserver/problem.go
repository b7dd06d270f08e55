package httpserver

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

// Error is the body of an error response.
type Error struct {
	Error Problem `json:"error"`
}

// Problem describes an error, and what to do next.
type Problem struct {
	Code      store.Code   `json:"code"` // or "internal"
	Message   string       `json:"message"`
	NextSteps []string     `json:"next_steps,omitempty"` // as text
	Calls     []store.Call `json:"calls,omitempty"`      // the next steps that are calls
}

// explain returns the parts of an error that a caller may see. The names of unavailable dependencies, and the text of
// errors without a code, are only in the log.
func explain(err error) Problem {
	code := store.CodeOf(err)
	_, known := statuses[code]
	switch {
	case code == store.Unavailable && !isBusy(err):
		return Problem{Code: code, Message: "this cannot be done at the moment", NextSteps: []string{"try again"}}
	case known:
	case errors.Is(err, context.Canceled):
		return Problem{Code: Cancelled, Message: "the client went away"}
	case errors.Is(err, context.DeadlineExceeded):
		return Problem{Code: store.Unavailable, Message: "this took too long", NextSteps: []string{"try again"}}
	default:
		return Problem{Code: Internal, Message: "internal error",
			NextSteps: []string{"try again; the server's log has more under this request ID"}}
	}
	p := Problem{Code: code, Message: err.Error()}
	next := store.NextOf(err)
	if text := cmdline.Of(next); text != "" {
		p.NextSteps = []string{text}
	}
	if c, ok := next.(store.Call); ok {
		p.Calls = []store.Call{c}
	}
	return p
}

// busy is an Unavailable error that callers may see.
type busy struct{ error }

func (e busy) Unwrap() error { return e.error }

// Busy marks an Unavailable error that callers may see, because the error is about this server and not about its
// dependencies.
func Busy(err error) error { return busy{err} }

func isBusy(err error) bool {
	var b busy
	return errors.As(err, &b)
}

// setRetryAfter sets the header Retry-After if the status asks for a retry. The time comes from the error, or is one
// second.
func setRetryAfter(h http.Header, status int, err error) {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return
	}
	after, _ := store.RetryAfter(err)
	h.Set("Retry-After", strconv.Itoa(max(1, int(WholeSeconds(after)/time.Second))))
}

// WholeSeconds rounds a duration up to whole seconds for Retry-After.
func WholeSeconds(d time.Duration) time.Duration {
	return time.Duration(math.Ceil(d.Seconds())) * time.Second
}

// WriteJSON sends a response with a JSON body.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the client may have gone away
}
