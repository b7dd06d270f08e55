package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// The requests of one tenant leave connections for other tenants, however long they take.
func TestOpenRequestsLeaveConnectionsForOthers(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", func(c *Config) { c.Limits.Connections = 8 })
	one, other := w.token("one/app"), w.token("other/app")
	send := func(token string) int { // sends a request without its body
		t.Helper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		check(t, err)
		t.Cleanup(func() { conn.Close() })
		_, err = fmt.Fprintf(conn, "POST /v1/ask/status HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", token)
		check(t, err)
		status := make([]byte, len("HTTP/1.1 100"))
		_, err = io.ReadFull(conn, status)
		check(t, err)
		n, err := strconv.Atoi(string(status[9:]))
		check(t, err)
		return n
	}
	hasFour(t, send, one, other, http.StatusContinue)
}

// The event streams of one tenant leave streams for other tenants, and connections for requests.
func TestStreamsLeaveConnectionsForOthers(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", func(c *Config) { c.Limits.Connections = 16 })
	one, other := w.token("one/app"), w.token("other/app")
	open := func(token string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+"/sse", nil)
		check(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Accept", "text/event-stream")
		resp, err := http.DefaultClient.Do(r)
		check(t, err)
		t.Cleanup(func() { resp.Body.Close() })
		return resp.StatusCode
	}
	hasFour(t, open, one, other, http.StatusOK)
}

// hasFour checks that four requests of a tenant are accepted, and that further ones are refused until these end. A
// request of another tenant is accepted nevertheless. send sends a request with a token, and returns the status.
func hasFour(t *testing.T, send func(token string) int, one, other string, accepted int) {
	t.Helper()
	for i := range 6 {
		want := accepted
		if i >= 4 {
			want = http.StatusTooManyRequests
		}
		if got := send(one); got != want {
			t.Errorf("request %d: %d", i+1, got)
		}
	}
	if got := send(other); got != accepted {
		t.Errorf("a request of another tenant: %d", got)
	}
}
