package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// Codes of errors that only HTTP has.
const (
	methodNotAllowed store.Code = "method_not_allowed"
	unsupported      store.Code = "unsupported_media_type"
	tooSlow          store.Code = "timeout"
	internal         store.Code = "internal"
	gone             store.Code = "cancelled"
)

// statusGone is what others note, too, when nobody is there to hear the answer.
const statusGone = 499

// statuses says which status goes with which code.
var statuses = map[store.Code]int{
	store.Invalid:      http.StatusBadRequest,
	store.Unauthorized: http.StatusUnauthorized,
	store.Forbidden:    http.StatusForbidden,
	store.NotFound:     http.StatusNotFound,
	methodNotAllowed:   http.StatusMethodNotAllowed,
	tooSlow:            http.StatusRequestTimeout,
	store.Conflict:     http.StatusConflict,
	store.TooLarge:     http.StatusRequestEntityTooLarge,
	unsupported:        http.StatusUnsupportedMediaType,
	store.RateLimited:  http.StatusTooManyRequests,
	internal:           http.StatusInternalServerError,
	store.Unavailable:  http.StatusServiceUnavailable,
}

// retry is an error that says when to try again.
type retry struct {
	error
	after time.Duration
}

func (e retry) Unwrap() error { return e.error }

func retryAfter(d time.Duration, err error) error { return retry{err, d} }

// problem returns what the caller is told of an error, and the status.
func problem(err error) (api.Problem, int) {
	code := store.CodeOf(err)
	status, known := statuses[code]
	var ours retry
	switch {
	case code == store.Unavailable && !errors.As(err, &ours): // what is down, and where, is nobody's business
		return api.Problem{Code: code, Message: "this cannot be done at the moment", NextSteps: []string{"try again"}}, status
	case known:
	case errors.Is(err, context.Canceled):
		return api.Problem{Code: gone, Message: "the client went away"}, statusGone
	case errors.Is(err, context.DeadlineExceeded):
		return api.Problem{Code: store.Unavailable, Message: "this took too long", NextSteps: []string{"try again"}}, http.StatusServiceUnavailable
	default:
		return api.Problem{Code: internal, Message: "internal error", NextSteps: []string{"try again; the server's log has more under this request ID"}}, http.StatusInternalServerError
	}
	p := api.Problem{Code: code, Message: clean(err.Error())}
	if hint := store.HintOf(err); hint != "" {
		p.NextSteps = []string{clean(hint)}
	}
	return p, status
}

// refuse answers a request that failed.
func (s *Service) refuse(w http.ResponseWriter, r *http.Request, err error) {
	x := exchangeOf(r.Context())
	x.err = err
	if x.status != 0 {
		return // the answer has begun; the log has the error
	}
	p, status := problem(err)
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		after := time.Second
		var e retry
		if errors.As(err, &e) {
			after = wholeSeconds(e.after)
		}
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(after/time.Second))))
	}
	reply(w, status, api.Error{Error: p})
}

// reply answers with JSON.
func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // who does not listen is gone
}
