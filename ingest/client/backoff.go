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
	// maxAsked is the longest wait that the client accepts from a service. A request fails at once if the service asks
	// for a longer wait, such as until the next day.
	maxAsked = time.Minute
)

// backoff returns the wait after a number of tries. The wait doubles with each try, up to maxWait, and has a random
// part. Without the random part, clients that failed at the same time would all retry at the same time.
func backoff(tries int) time.Duration {
	d := maxWait
	if tries < 8 {
		d = min(d, firstWait<<(tries-1))
	}
	return d/2 + rand.N(d/2)
}

// retryAfter returns the wait that the service asks for, or 0.
func retryAfter(h http.Header, now time.Time) time.Duration {
	s := h.Get("Retry-After")
	if n, err := strconv.Atoi(s); err == nil {
		return max(0, time.Duration(min(n, 1e6))*time.Second)
	}
	if t, err := http.ParseTime(s); err == nil {
		return max(0, t.Sub(now))
	}
	return 0
}
