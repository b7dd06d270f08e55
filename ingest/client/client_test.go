package client_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	w.Write([]byte(`{"run_ref":`))
	panic(http.ErrAbortHandler)
}

func hang(_ http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client is gone
	<-r.Context().Done()
}

func TestWhatPassesIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]http.HandlerFunc{
		"429":         status(429, "Retry-After", "7"),
		"502":         status(502),
		"503":         status(503),
		"504":         status(504),
		"cut answer":  cut,
		"hung up":     func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"no response": hang,
	} {
		t.Run(name, func(t *testing.T) {
			config := client.Config{}
			if name == "no response" {
				config.Timeout = 50 * time.Millisecond
			}
			start := func() (*service, *client.Client, *waits, api.Started, error) {
				far := newService(t)
				c, w := far.client(t, config)
				far.failing(1, 3, fail)
				got, err := c.Start(t.Context(), api.Start{AttemptID: attempt, Source: "build"})
				return far, c, w, got, err
			}
			far, c, w, got, err := start()
			for config.Timeout > 0 && len(w.list) > 3 { // on a busy machine a late answer also fails a try
				config.Timeout *= 2
				far, c, w, got, err = start()
			}
			if err != nil || got.RunRef == "" || len(w.list) != 3 {
				t.Fatalf("%+v, %v after %v", got, err, w.list)
			}
			for i, d := range w.list {
				if name == "429" && d != 7*time.Second || name != "429" &&
					(d < 125*time.Millisecond<<i || d >= 250*time.Millisecond<<i) {
					t.Errorf("waited %v before try %d", d, i+2)
				}
			}
			far.failing(1, 1000, fail)
			if _, err := c.Start(t.Context(), api.Start{AttemptID: attempt, Source: "build"}); err == nil ||
				!client.Passing(err) || len(w.list) != 8 {
				t.Errorf("%v after %d waits in all, want 5 more", err, len(w.list)-3)
			}
		})
	}
}

func TestWhatStaysIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fail http.HandlerFunc
		code store.Code
		text string
	}{
		"400": {func(w http.ResponseWriter, _ *http.Request) { refuse(w, 400, store.Invalid, "bad \x1b[31mname") },
			store.Invalid, "bad [31mname"},
		"401": {status(401), store.Unauthorized, "answered 401 Unauthorized"},
		"403": {status(403), store.Forbidden, "answered 403"},
		"404": {status(404), store.NotFound, "answered 404"},
		"409": {status(409), store.Conflict, "answered 409"},
		"413": {status(413), store.TooLarge, "answered 413"},
		"500": {func(w http.ResponseWriter, _ *http.Request) { refuse(w, 500, "internal", "internal error") },
			"", "internal error"},
		"moved": {status(307, "Location", "https://user:pw@evil.example.com/x?token=1"), store.Invalid,
			"sends us on to https://evil.example.com/x"},
		"wrong JSON": {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>welcome</html>")) },
			store.Unavailable, "not blqd's JSON"},
		"empty JSON": {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("{}")) }, store.Unavailable,
			"without a run"},
	} {
		t.Run(name, func(t *testing.T) {
			far := newService(t)
			c, w := far.client(t, client.Config{Token: func(context.Context) (string, error) { return "s3cret", nil }})
			far.failing(1, 1000, tt.fail)
			_, err := c.Start(t.Context(), api.Start{AttemptID: attempt, Source: "build"})
			if store.CodeOf(err) != tt.code || err == nil || !strings.Contains(err.Error(), tt.text) || len(w.list) > 0 ||
				len(far.requests) != 1 {
				t.Errorf("%v (%s) after %d requests", err, store.CodeOf(err), len(far.requests))
			}
			if strings.Contains(err.Error()+cmdline.Of(store.NextOf(err)), "s3cret") {
				t.Errorf("the token is in %v", err)
			}
		})
	}
}

func TestNoServiceThere(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	check(t, l.Close())
	w := &waits{}
	c, err := client.New(client.Config{URL: l.Addr().String(), Sleep: w.sleep, Attempts: 3})
	check(t, err)
	err = c.Heartbeat(t.Context(), attempt)
	if store.CodeOf(err) != store.Unavailable || !client.Passing(err) || len(w.list) != 2 ||
		!strings.Contains(err.Error(), "cannot reach http://"+l.Addr().String()) {
		t.Errorf("%v after %v", err, w.list)
	}
}

func TestAForeignCertificateIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	far := httptest.NewTLSServer(http.NotFoundHandler())
	far.Config.ErrorLog = quiet
	defer far.Close()
	w := &waits{}
	c, err := client.New(client.Config{URL: far.URL, Sleep: w.sleep})
	check(t, err)
	err = c.Heartbeat(t.Context(), attempt)
	if store.CodeOf(err) != store.Unavailable || client.Passing(err) || len(w.list) > 0 ||
		!strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v after %v", err, w.list)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	far := newService(t)
	c, w := far.client(t, client.Config{})
	far.failing(1, 1000, status(429, "Retry-After", "3600"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.Heartbeat(ctx, attempt); store.CodeOf(err) != store.RateLimited || len(w.list) > 0 {
		t.Errorf("%v after %v: there is a minute left, five are asked for", err, w.list)
	}
}

func TestNobodyWaitsForTheNextDay(t *testing.T) {
	t.Parallel()
	far := newService(t)
	c, w := far.client(t, client.Config{})
	for _, answer := range []http.HandlerFunc{status(429, "Retry-After", "301"), status(507)} {
		far.failing(1, 1000, answer)
		if err := c.Heartbeat(t.Context(), attempt); !client.Passing(err) || len(w.list) > 0 {
			t.Errorf("%v after %v", err, w.list)
		}
	}
}

func TestURLs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://blq.example.com/":      "https://blq.example.com",
		"blq.example.com":               "https://blq.example.com",
		"localhost:8080":                "http://localhost:8080",
		"127.0.0.1:1/base/":             "http://127.0.0.1:1/base",
		"https://blq.example.com/a/b":   "https://blq.example.com/a/b",
		"":                              "",
		"ftp://blq.example.com":         "",
		"https://u:p4ss@example.com":    "",
		"https://example.com/?token=p4": "",
		"https://exa mple":              "",
	} {
		u, err := client.ParseURL(in)
		if (err == nil) != (want != "") || err == nil && u.String() != want {
			t.Errorf("%q: %v, %v", in, u, err)
		}
		if err != nil && (store.CodeOf(err) != store.Invalid || strings.Contains(err.Error(), "p4")) {
			t.Errorf("%q: %v", in, err)
		}
	}
}
