package httpserver

import (
	"net/http"

	"github.com/blq-ci/blq/store"
)

// These codes exist only over HTTP.
const (
	MethodNotAllowed store.Code = "method_not_allowed"
	UnsupportedType  store.Code = "unsupported_media_type"
	Timeout          store.Code = "timeout"   // the request's body did not arrive in time
	Cancelled        store.Code = "cancelled" // the client has disconnected
	Internal         store.Code = "internal"  // an error without a code
)

// statusCancelled is the status of a request whose client has disconnected. It is only for logs, because nobody reads
// the response. nginx logs the same status.
const statusCancelled = 499

// statuses maps error codes to statuses.
var statuses = map[store.Code]int{
	store.Invalid:      http.StatusBadRequest,
	store.Unauthorized: http.StatusUnauthorized,
	store.Forbidden:    http.StatusForbidden,
	store.NotFound:     http.StatusNotFound,
	MethodNotAllowed:   http.StatusMethodNotAllowed,
	Timeout:            http.StatusRequestTimeout,
	store.Conflict:     http.StatusConflict,
	store.TooLarge:     http.StatusRequestEntityTooLarge,
	UnsupportedType:    http.StatusUnsupportedMediaType,
	store.RateLimited:  http.StatusTooManyRequests,
	Cancelled:          statusCancelled,
	Internal:           http.StatusInternalServerError,
	store.Unavailable:  http.StatusServiceUnavailable,
	store.Full:         http.StatusInsufficientStorage,
	store.Malformed:    http.StatusUnprocessableEntity,
	store.Failed:       http.StatusFailedDependency,
}

// statusOf returns the status for an error code. It is 500 for "" and for codes that are not in the table.
func statusOf(code store.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// IsFault reports whether a status means that the service, and not the caller, is at fault. For an exhausted storage
// quota, the caller is at fault.
func IsFault(status int) bool {
	return status >= http.StatusInternalServerError && status != http.StatusInsufficientStorage
}

// CodeOf returns the error code for a status. It returns "" if there is none.
func CodeOf(status int) store.Code {
	for code, s := range statuses {
		if s == status {
			return code
		}
	}
	return ""
}
