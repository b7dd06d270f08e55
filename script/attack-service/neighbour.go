//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"time"
)

// neighbour is a tenant that asks for its status. It has an address of its own.
type neighbour struct {
	s    *service
	web  *http.Client
	once *http.Client // makes a new connection for each request
}

// latencies are the durations of answers.
type latencies struct {
	list   []time.Duration
	failed int
}

func newNeighbour(s *service) *neighbour {
	dial := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}, Timeout: slowest}
	n := &neighbour{s: s}
	n.web = &http.Client{Timeout: slowest, Transport: &http.Transport{DialContext: dial.DialContext}}
	n.once = &http.Client{Timeout: slowest,
		Transport: &http.Transport{DialContext: dial.DialContext, DisableKeepAlives: true}}
	return n
}

func (n *neighbour) close() { n.web.CloseIdleConnections() }

// slowest is the max duration of an answer. A slower answer counts as failed. Every failed answer counts as an answer
// that took this time.
const slowest = 20 * time.Second

// between is the pause between two questions. Without this pause, the neighbour would use up its own share.
const between = 40 * time.Millisecond

// warm asks a few times, to warm up.
func (n *neighbour) warm(ctx context.Context) error {
	for range 50 {
		if err := n.ask(ctx, n.web); err != nil {
			return err
		}
	}
	return nil
}

// measure asks for some time. Every tenth question uses a new connection.
func (n *neighbour) measure(ctx context.Context, d time.Duration) (latencies, error) {
	var l latencies
	for i, end := 0, time.Now().Add(d); time.Now().Before(end); i++ {
		web := n.web
		if i%10 == 0 {
			web = n.once
		}
		began := time.Now()
		err := n.ask(ctx, web)
		if ctx.Err() != nil {
			return l, ctx.Err()
		}
		took := time.Since(began)
		if err != nil {
			l.failed++
			took = slowest
		}
		l.list = append(l.list, took)
		pause(ctx, between)
	}
	return l, nil
}

// recovers returns the time before the first of ten consecutive good answers. A good answer takes at most the given
// limit. After the time slowest, recovers gives up.
func (n *neighbour) recovers(ctx context.Context, limit time.Duration) time.Duration {
	began := time.Now()
	good, since := 0, began
	for good < 10 && time.Since(began) < slowest {
		at := time.Now()
		if n.ask(ctx, n.once) != nil || time.Since(at) > limit {
			good, since = 0, time.Now()
			continue
		}
		good++
	}
	return since.Sub(began)
}

func (n *neighbour) ask(ctx context.Context, web *http.Client) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.s.URL+"/v1/status", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+n.s.token)
	res, err := web.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("status: %d %s", res.StatusCode, text)
	}
	return err
}

func (l latencies) add(m latencies) latencies {
	return latencies{append(slices.Clone(l.list), m.list...), l.failed + m.failed}
}

// quantile returns the duration that the given fraction of the answers did not exceed.
func (l latencies) quantile(part float64) time.Duration {
	if len(l.list) == 0 {
		return slowest
	}
	sorted := slices.Sorted(slices.Values(l.list))
	return sorted[min(len(sorted)-1, int(part*float64(len(sorted))))]
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1000) }
