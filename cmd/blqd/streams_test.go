package main

import (
	"net/http"
	"testing"
)

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
	for i := range 6 {
		want := http.StatusOK
		if i >= 4 {
			want = http.StatusTooManyRequests
		}
		if got := open(one); got != want {
			t.Errorf("stream %d: %d", i+1, got)
		}
	}
	if got := open(other); got != http.StatusOK {
		t.Errorf("a stream of another tenant: %d", got)
	}
}
