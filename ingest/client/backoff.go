package client

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	firstWait = 250 * time.Millisecond
	maxWait   = 30 * time.Second
	// mostAsked is how long a service may ask us to wait.
	mostAsked = 5 * time.Minute
)

// backoff is how long to wait after so many tries: twice as long each time, and
// not the same for all who failed at the same moment.
func backoff(tries int) time.Duration {
	d := maxWait
	if tries < 8 {
		d = min(d, firstWait<<(tries-1))
	}
	return d/2 + rand.N(d/2)
}

// retryAfter reads how long the service asks us to wait, 0 for nothing.
func retryAfter(h http.Header, now time.Time) time.Duration {
	s := h.Get("Retry-After")
	if n, err := strconv.Atoi(s); err == nil {
		return min(max(0, time.Duration(min(n, 1e6))*time.Second), mostAsked)
	}
	if t, err := http.ParseTime(s); err == nil {
		return min(max(0, t.Sub(now)), mostAsked)
	}
	return 0
}
