package httpserver

import (
	"crypto/rand"
	"net/http"
)

// headerRequestID is the header with the ID of a request. The answer has the same header, and the service logs the ID.
const headerRequestID = "X-Request-Id"

// requestID returns the client's request ID if it is safe to log, or else a new ID.
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
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' ||
			c == ':' || c == '/') {
			return false
		}
	}
	return true
}
