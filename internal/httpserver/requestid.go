package httpserver

import (
	"crypto/rand"
	"net/http"
)

// headerRequestID names a request in the logs of all who had to do with it.
const headerRequestID = "X-Request-Id"

// requestID returns the ID that the caller chose, where it may stand in a log,
// or a new one.
func requestID(r *http.Request) string {
	if id := r.Header.Get(headerRequestID); isRequestID(id) {
		return id
	}
	return rand.Text()
}

func isRequestID(id string) bool {
	if id == "" || len(id) > 100 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' || c == ':' || c == '/') {
			return false
		}
	}
	return true
}
