package httpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// watched serves a request. It returns the response, the log lines and the observed request.
func watched(t *testing.T, r *http.Request, h httpserver.Handler) (*httptest.ResponseRecorder, []map[string]any,
	[]string) {
	t.Helper()
	var log bytes.Buffer
	var seen observer
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	watch := httpserver.Watch{
		Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), Observer: &seen,
		Quiet: []string{"/healthz"},
		Route: func(r *http.Request) string { return "/" + strings.Split(r.URL.Path, "/")[1] },
		Clean: func(s string) string { return strings.ReplaceAll(s, "\u202e", "") },
		Now:   func() time.Time { now = now.Add(time.Second); return now },
	}
	w := httptest.NewRecorder()
	watch.Handler(h).ServeHTTP(w, r)
	var lines []map[string]any
	for line := range strings.Lines(log.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		delete(m, "time")
		lines = append(lines, m)
	}
	return w, lines, seen
}

type observer []string

func (o *observer) Request(route, method string, status int, took time.Duration, in, out int64) {
	*o = append(*o, fmt.Sprint(method, " ", route, " ", status, " ", took, " ", in, " ", out))
}

func request(t *testing.T, method, path, body string) *http.Request {
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("X-Request-Id", "theirs")
	return r
}

func TestARequestIsLoggedAndObserved(t *testing.T) {
	_, lines, seen := watched(t, request(t, "PUT", "/runs/5\u202e", "body"),
		func(w http.ResponseWriter, r *http.Request) error {
			httpserver.SetCaller(r.Context(), "token:a", "a")
			text, err := httpserver.ReadBody(w, r, 10)
			if err != nil || string(text) != "body" || httpserver.BytesIn(r.Context()) != 4 ||
				httpserver.RequestID(r.Context()) != "theirs" {
				t.Errorf("body %q, %v", text, err)
			}
			w.WriteHeader(http.StatusCreated)
			_, err = io.WriteString(w, "answer")
			return err
		})
	want := map[string]any{
		"level": "INFO", "msg": "request", "request": "theirs", "method": "PUT", "path": "/runs/5", "status": 201.0,
		"seconds": 1.0,
		"in":      4.0, "out": 6.0, "caller": "token:a",
	}
	if diff := cmp.Diff([]map[string]any{want}, lines); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"PUT /runs 201 1s 4 6"}, seen); diff != "" {
		t.Error(diff)
	}
}

func TestWhatTheLogAndTheAnswerHaveOfAnError(t *testing.T) {
	for name, tt := range map[string]struct {
		path   string
		err    error
		status int
		level  string
	}{
		"theirs":     {"/runs", store.Errorf(store.Invalid, "no such \u202ename"), 400, "INFO"},
		"ours":       {"/runs", errors.New("disk on fire"), 500, "ERROR"},
		"of a probe": {"/healthz", store.Errorf(store.NotFound, "none"), 404, "DEBUG"},
	} {
		t.Run(name, func(t *testing.T) {
			w, lines, _ := watched(t, request(t, "GET", tt.path, ""),
				func(http.ResponseWriter, *http.Request) error { return tt.err })
			if w.Code != tt.status || len(lines) != 1 || lines[0]["level"] != tt.level || lines[0]["error"] != tt.err.Error() {
				t.Errorf("answered %d, logged %v", w.Code, lines)
			}
			if strings.Contains(w.Body.String(), "\u202e") || strings.Contains(w.Body.String(), "fire") {
				t.Errorf("answered %s", w.Body)
			}
		})
	}
}

func TestAnErrorAfterTheAnswerBeganIsForTheLog(t *testing.T) {
	w, lines, seen := watched(t, request(t, "GET", "/runs", ""), func(w http.ResponseWriter, _ *http.Request) error {
		_, _ = io.WriteString(w, "half")
		return errors.New("no more")
	})
	if w.Code != 200 || w.Body.String() != "half" || lines[0]["error"] != "no more" || seen[0] != "GET /runs 200 1s 0 4" {
		t.Errorf("answered %d %s, logged %v, observed %v", w.Code, w.Body, lines, seen)
	}
}

func TestAPanicIsAnsweredAndLogged(t *testing.T) {
	w, lines, seen := watched(t, request(t, "GET", "/runs", ""),
		func(http.ResponseWriter, *http.Request) error { panic("secret detail") })
	if w.Code != 500 || !strings.Contains(w.Body.String(), `"code":"internal"`) ||
		strings.Contains(w.Body.String(), "secret") {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
	stack, _ := lines[0]["stack"].(string)
	if lines[0]["msg"] != "panic" || lines[0]["value"] != "secret detail" || !strings.Contains(stack, "watch_test.go") ||
		lines[1]["status"] != 500.0 {
		t.Errorf("logged %v", lines)
	}
	if seen[0] != "GET /runs 500 1s 0 133" {
		t.Errorf("observed %v", seen)
	}
}

func TestAnAbortedRequestStaysAborted(t *testing.T) {
	defer func() {
		if got := recover(); got != any(http.ErrAbortHandler) {
			t.Errorf("it ended with %v", got)
		}
	}()
	watched(t, request(t, "GET", "/runs", ""),
		func(http.ResponseWriter, *http.Request) error { panic(http.ErrAbortHandler) })
}

func TestTheStatusOfNoAnswer(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	for want, ctx := range map[string]context.Context{"GET /runs 200 1s 0 0": t.Context(), "GET /runs 499 1s 0 0": gone} {
		_, _, seen := watched(t, request(t, "GET", "/runs", "").WithContext(ctx),
			func(http.ResponseWriter, *http.Request) error { return nil })
		if seen[0] != want {
			t.Errorf("observed %v, want %s", seen, want)
		}
	}
}

func TestRequestsHaveAnID(t *testing.T) {
	for given, kept := range map[string]bool{
		"abc-1.2:3/4_5": true, "": false, "a b": false, `a"b`: false, strings.Repeat("x", 100): true,
		strings.Repeat("x", 101): false,
	} {
		r := request(t, "GET", "/", "")
		r.Header.Set("X-Request-Id", given)
		w, lines, _ := watched(t, r, func(http.ResponseWriter, *http.Request) error { return nil })
		id := w.Header().Get("X-Request-Id")
		if (id == given) != kept || id == "" || lines[0]["request"] != id {
			t.Errorf("%q became %q, logged %v", given, id, lines)
		}
	}
}

func TestTheTimeForARequestBeginsAgainAfterItsBody(t *testing.T) {
	type key struct{}
	gone, leave := context.WithCancel(t.Context())
	defer leave()
	watch := httpserver.Watch{Bounds: func(*http.Request) httpserver.Bounds {
		return httpserver.Bounds{Read: time.Hour, Work: time.Minute}
	}}
	watch.Handler(httpserver.Handler(func(w http.ResponseWriter, r *http.Request) error {
		r = r.WithContext(context.WithValue(r.Context(), key{}, "kept"))
		earlier := r.Context()
		before, _ := earlier.Deadline()
		if _, err := httpserver.ReadBody(w, r, 10); err != nil {
			t.Error(err)
		}
		after, _ := r.Context().Deadline()
		if !after.After(before) || time.Until(after) > time.Minute {
			t.Errorf("the request ends at %v, and at %v after its body", before, after)
		}
		if r.Context().Value(key{}) != "kept" || r.Context().Err() != nil || earlier.Err() != nil {
			t.Errorf("%v, %v, %v", r.Context().Value(key{}), r.Context().Err(), earlier.Err())
		}
		leave()
		<-r.Context().Done()
		return r.Context().Err()
	})).ServeHTTP(httptest.NewRecorder(), request(t, "PUT", "/", "body").WithContext(gone))
}

// dial sends text to a server with bounds, and returns the response.
func dial(t *testing.T, b httpserver.Bounds, h httpserver.Handler, text string) string {
	t.Helper()
	watch := httpserver.Watch{Bounds: func(*http.Request) httpserver.Bounds { return b }}
	server := httptest.NewServer(watch.Handler(h))
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, text)
	answer, _ := io.ReadAll(conn) // until the server closes the connection
	return string(answer)
}

func TestABodyThatDoesNotArrive(t *testing.T) {
	read := func(w http.ResponseWriter, r *http.Request) error {
		_, err := httpserver.ReadBody(w, r, 1000)
		return err
	}
	for name, tt := range map[string]struct{ text, want string }{
		"in time": {"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf", "the body did not arrive within 100ms"},
		"whole": {"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nz\r\n",
			"the body did not arrive whole"},
		"in bound": {"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n", "the body is larger than 1000 bytes"},
		"in bound, without its size": {
			"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + strings.Repeat("x", 1001) + "\r\n",
			"the body is larger than 1000 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := dial(t, httpserver.Bounds{Read: 100 * time.Millisecond}, read, tt.text); !strings.Contains(got, tt.want) {
				t.Errorf("answered %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWorkIsBounded(t *testing.T) {
	wait := func(_ http.ResponseWriter, r *http.Request) error {
		<-r.Context().Done()
		return r.Context().Err()
	}
	text := "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	if got := dial(t, httpserver.Bounds{Work: time.Millisecond}, wait, text); !strings.Contains(got, "503") ||
		!strings.Contains(got, "this took too long") {
		t.Errorf("answered %q", got)
	}
}

// deadlines is a response whose connection records its read deadlines.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// The deadline of a body that has arrived must not end the work on it.
func TestTheDeadlineOfABodyEndsWithIt(t *testing.T) {
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	watch := httpserver.Watch{Bounds: func(*http.Request) httpserver.Bounds { return httpserver.Bounds{Read: time.Hour} }}
	watch.Handler(httpserver.Handler(func(_ http.ResponseWriter, r *http.Request) error {
		if len(w.set) != 1 || w.set[0].IsZero() {
			t.Errorf("before the body is read the deadlines are %v", w.set)
		}
		_, err := httpserver.ReadBody(w, r, 10)
		return err
	})).ServeHTTP(w, request(t, "PUT", "/", "body"))
	if len(w.set) != 2 || !w.set[1].IsZero() {
		t.Errorf("after the body the deadlines are %v", w.set)
	}
}

// Answers that cost the client nothing may be delayed: answers to too many requests, answers of a busy server, and
// answers to unknown callers.
func TestTheBrakeIsForCheapAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		caller, want string
		err          error
	}{
		"unknown":  {"", "from an address", store.Errorf(store.Invalid, "no")},
		"refused":  {"ann", "ann's", store.Errorf(store.RateLimited, "too many")},
		"busy":     {"ann", "ann's", httpserver.Busy(store.Errorf(store.Unavailable, "no room"))},
		"answered": {"ann", "", nil},
		"invalid":  {"ann", "", store.Errorf(store.Invalid, "no")},
	} {
		var of string
		watch := httpserver.Watch{Address: func(*http.Request) string { return "an address" },
			Brake: func(_ context.Context, who string) { of = who }}
		watch.Handler(httpserver.Handler(func(_ http.ResponseWriter, r *http.Request) error {
			if tt.caller != "" {
				httpserver.SetCaller(r.Context(), tt.caller, tt.caller+"'s")
			}
			return tt.err
		})).ServeHTTP(httptest.NewRecorder(), request(t, "GET", "/", ""))
		if of != tt.want {
			t.Errorf("%s: the brake is for %q, want %q", name, of, tt.want)
		}
	}
}
