package httpserver

import (
	"crypto/rand"
	"net/http"
)

// headerRequestID has the ID of a request, for the logs of all programs that handle it.
const headerRequestID = "X-Request-Id"

// requestID returns the client's ID of the request if it is safe in a log, or else a new one.
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
