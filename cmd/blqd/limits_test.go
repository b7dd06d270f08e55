package main

import (
	"bufio"
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
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/cage"
)

// bounded is a service in this process. Its limits may be lower than the settings of blqd allow.
type bounded struct {
	*process
	handler http.Handler
}

func newBounded(t *testing.T, change func(*limits)) bounded {
	t.Helper()
	return newQuoted(t, change, func(*quotas) {})
}

// newQuoted is newBounded with quotas.
func newQuoted(t *testing.T, change func(*limits), quota func(*quotas)) bounded {
	t.Helper()
	a := &app{stderr: io.Discard, config: defaults()}
	a.config.Data = t.TempDir()
	change(&a.config.Limits)
	quota(&a.config.Quotas)
	p, err := a.open(t.Context())
	check(t, err)
	s, err := newService(&a.config, p, slog.New(slog.DiscardHandler))
	check(t, err)
	server := s.unstarted()
	server.Start()
	t.Cleanup(func() {
		server.Close()
		s.agents.Close()
		p.Close()
	})
	return bounded{&process{T: t, URL: server.URL, client: newClient(t)}, server.Config.Handler}
}

// unstarted returns a server with the service's limits of connections.
func (s *service) unstarted() *httptest.Server {
	server := httptest.NewUnstartedServer(nil)
	public := s.capped(server.Listener)
	server.Listener, server.Config.ConnContext = public, public.context
	server.Config.Handler = public.handler(s.handler())
	return server
}

// metrics returns the answer of /metrics, without the network.
func (b bounded) metrics() string {
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/metrics", nil))
	return w.Body.String()
}

// events sends a batch of events.
func (b bounded) events(n int, body string) (int, string) {
	return b.do("PUT", fmt.Sprintf("/v1/runs/%s/events/%d", anAttempt, n), strings.NewReader(body), "Content-Type",
		"application/x-ndjson")
}

const another = "018d0c00-0000-7000-8000-000000000002"

// limitCases reach each limit.
var limitCases = map[string]struct {
	set func(*limits)
	hit func(b bounded) (int, string)
}{
	"requests": {func(l *limits) { l.Requests, l.RequestsBurst = 1, 1 }, func(b bounded) (int, string) {
		b.get("/v1/status")
		status, text := b.post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if status != 429 || !strings.Contains(text, `"code":"rate_limited"`) {
			b.Errorf("over MCP: %d %s", status, text)
		}
		return b.do("GET", "/v1/status", nil)
	}},
	"open": {func(l *limits) { l.Connections = 2 }, func(b bounded) (int, string) {
		held, err := net.Dial("tcp", strings.TrimPrefix(b.URL, "http://"))
		check(b.T, err)
		defer held.Close()
		fmt.Fprintf(held, "PUT /v1/runs/%s/events/0 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\n",
			anAttempt)
		until(b.T, "a request is at work",
			func() bool { return strings.Contains(b.metrics(), "blq_uploads_in_flight 1") })
		return b.do("GET", "/v1/status", nil)
	}},
	"bytes": {func(l *limits) { l.UploadMB, l.UploadMBBurst = 1, 8 }, func(b bounded) (int, string) {
		body := strings.Repeat(strings.Repeat(" ", 1<<10-1)+"\n", 8<<10)
		if status, text := b.events(0, body); status != 204 {
			b.Errorf("the first: %d %s", status, text)
		}
		return b.events(1, body)
	}},
	"body": {func(*limits) {}, func(b bounded) (int, string) { return b.post("/v1/runs", strings.Repeat(" ", 1<<20+1)) }},
	"slow": {func(l *limits) { l.BodyTime = 200 * time.Millisecond }, func(b bounded) (int, string) {
		body, more := io.Pipe()
		defer more.Close()
		return b.putChunk(anAttempt, func([]byte) io.Reader { return body }, "late\n")
	}},
	"uploads": {func(l *limits) { l.MemoryMB = 1 }, func(b bounded) (int, string) {
		body, more := io.Pipe()
		done := make(chan int)
		go func() {
			status, _ := b.putChunk(anAttempt, func([]byte) io.Reader { return body }, "late\n")
			done <- status
		}()
		_, err := more.Write(make([]byte, 400<<10))
		check(b.T, err)
		until(b.T, "the first is being received",
			func() bool { return strings.Contains(b.metrics(), "blq_upload_memory_bytes 524288") })
		if !strings.Contains(b.metrics(), "blq_uploads_in_flight 1") {
			b.Errorf("the metrics do not tell of the upload")
		}
		status, text := b.putChunk(anAttempt, whole, "next\n")
		more.Close()
		<-done
		return status, text
	}},
	"run_log": {func(l *limits) { l.RunChunks = 1 }, func(b bounded) (int, string) {
		return b.do("PUT", "/v1/runs/"+anAttempt+"/chunks/1", strings.NewReader("x"))
	}},
	"run_events": {func(l *limits) { l.RunEvents = 1 }, func(b bounded) (int, string) { return b.events(1, "") }},
	"run_time": {func(l *limits) { l.RunTime = 1 },
		func(b bounded) (int, string) { return b.putChunk(anAttempt, whole, "one\n") }},
	"running": {
		func(l *limits) { l.Running = 1 }, func(b bounded) (int, string) { return b.start(another, "acme/shop", "build") }},
	limitConnections: {func(l *limits) { l.Connections = 1 }, func(b bounded) (int, string) {
		address := strings.TrimPrefix(b.URL, "http://")
		b.client.CloseIdleConnections()
		until(b.T, "no connection is open", func() bool { return strings.Contains(b.metrics(), "blq_connections 0") })
		held, err := net.Dial("tcp", address)
		check(b.T, err)
		defer held.Close()
		fmt.Fprintf(held, "PUT /v1/runs/%s/events/0 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\n", anAttempt)
		until(b.T, "a request is at work", func() bool { return strings.Contains(b.metrics(), "blq_uploads_in_flight 1") })
		conn, err := net.Dial("tcp", address)
		check(b.T, err)
		defer conn.Close()
		fmt.Fprint(conn, "GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		check(b.T, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		check(b.T, err)
		return resp.StatusCode, string(text)
	}},
}

// newWith returns a service in which the named limit or quota is low, and a function whose request exceeds it.
func newWith(t *testing.T, limit string) (b bounded, hit func(bounded) (int, string)) {
	t.Helper()
	if c, ok := limitCases[limit]; ok {
		return newBounded(t, c.set), c.hit
	}
	c, ok := quotaCases[limit]
	if !ok {
		t.Fatal("nothing hits this limit")
	}
	return newQuoted(t, func(*limits) {}, c.set), c.hit
}

func TestEachLimitShowsToTheCallerAndInTheMetrics(t *testing.T) {
	t.Parallel()
	all := ingest.LimitCodes()
	all[limitConnections] = store.Unavailable
	for limit, code := range all {
		t.Run(limit, func(t *testing.T) {
			b, hit := newWith(t, limit)
			if limit != "requests" { // a start would use up this limit
				if status, text := b.start(anAttempt, "acme/shop", "build"); status != 201 {
					t.Fatalf("start: %d %s", status, text)
				}
			}
			counter := fmt.Sprintf(`blq_limit_hits_total{code=%q,limit=%q} `, code, limit)
			if before := b.metrics(); !strings.Contains(before, counter+"0\n") {
				t.Errorf("before it is hit, the metrics lack %s0", counter)
			}
			status, text := hit(b)
			if codeOf(status) != string(code) || !strings.Contains(text, fmt.Sprintf(`"code":%q`, code)) ||
				!strings.Contains(text, `"next_steps":[`) {
				t.Errorf("the caller hears %d %s; want code %s", status, text, code)
			}
			after := b.metrics()
			if strings.Contains(after, counter+"0\n") || !strings.Contains(after, counter) {
				t.Errorf("the metrics do not count it")
			}
			if limit != limitConnections && !strings.Contains(after, fmt.Sprintf(`blq_refusals_total{code=%q,route="/`, code)) {
				t.Errorf("the metrics do not count the refusal with code %s", code)
			}
			lint(t, after)
		})
	}
}

// lint checks that the metrics of blq follow the conventions of Prometheus.
func lint(t *testing.T, text string) {
	t.Helper()
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	check(t, err)
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "blq_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

func TestRefusalsAndToolsAreCountedByCode(t *testing.T) {
	t.Parallel()
	b := newBounded(t, func(*limits) {})
	b.start(anAttempt, "acme/shop", "build")
	b.putChunk(anAttempt, whole, "one\n")
	b.putChunk(anAttempt, whole, "two\n")
	b.do("GET", "/v1/status", nil, "Authorization", "Bearer blq_i_nosuch")
	b.do("GET", "/v1/info?ref=nosuch:1", nil)
	b.do("DELETE", "/v1/runs", nil)
	b.post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inspect","arguments":{"ref":"acme/shop@build:1:7"}}}`)
	b.post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELEC"}}}`)
	text := b.metrics()
	for _, want := range []string{
		`blq_refusals_total{code="conflict",route="/v1/runs/{attempt_id}/chunks/{seq}"} 1`,
		`blq_refusals_total{code="unauthorized",route="/v1/{tool}"} 1`,
		`blq_refusals_total{code="not_found",route="/v1/{tool}"} 1`,
		`blq_refusals_total{code="method_not_allowed",route="/v1/runs"} 1`,
		`blq_tool_calls_total{result="not_found",tool="info"} 1`, `blq_tool_calls_total{result="not_found",tool="inspect"} 1`,
		`blq_tool_calls_total{result="invalid",tool="query"} 1`, `blq_tool_duration_seconds_count{tool="query"} 1`,
		`blq_ingest_lag_seconds_count{what="run"} 1`, `blq_runs_running 1`, `blq_runs_newest_heartbeat_age_seconds `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	lint(t, text)
	if t.Failed() {
		t.Log(text)
	}
}

func TestLimitsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*limits, *statements){
		"limit-requests":        func(l *limits, _ *statements) { l.Requests = 0 },
		"limit-upload-mb-burst": func(l *limits, _ *statements) { l.UploadMBBurst = 7 },
		"limit-run-events":      func(l *limits, _ *statements) { l.RunEvents = 1 << 31 },
		"limit-running":         func(l *limits, _ *statements) { l.Running = -1 },
		"limit-body-time":       func(l *limits, _ *statements) { l.BodyTime = time.Millisecond },
		"limit-run-time":        func(l *limits, _ *statements) { l.RunTime = time.Second },
		"limit-statements":      func(_ *limits, s *statements) { s.Slots = 0 },
		"limit-statement-mb":    func(_ *limits, s *statements) { s.MemoryMB = 1 },
		"limit-statement-cpu":   func(_ *limits, s *statements) { s.CPU = time.Millisecond },
	} {
		c := defaults()
		change(&c.Limits, &c.Statements)
		if err := c.check(); store.CodeOf(err) != store.Invalid || !strings.Contains(err.Error(), "--"+name+" (BLQ_LIMIT_") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := defaults()
	c.Limits.RunTime, c.Limits.Running, c.Limits.Connections = 0, 0, 0
	if err := c.check(); err != nil {
		t.Errorf("none at all: %v", err)
	}
	if l := c.Limits.ingest(); l.RunTime < 100*365*24*time.Hour || l.Running < 1<<40 {
		t.Errorf("none at all: %+v", l)
	}
}

func TestTheDefaultsOfTheSettingsAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(ingest.DefaultLimits(), defaultLimits().ingest()); diff != "" {
		t.Error(diff)
	}
}

func TestTheDefaultsOfStatementsAreThoseOfTheCage(t *testing.T) {
	t.Parallel()
	set := cage.New(defaults().Statements.cage()).Options
	own := cage.New(cage.Options{Ahead: true, Tenant: httpserver.Tenant}).Options
	set.Tenant, own.Tenant = nil, nil
	if diff := cmp.Diff(own, set); diff != "" {
		t.Error(diff)
	}
}
