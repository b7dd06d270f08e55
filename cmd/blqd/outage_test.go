//go:build unix

package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/pgtest"
)

// proxy is a proxy in front of a database. It can stop forwarding.
type proxy struct {
	net.Listener
	to string // socket

	mu    sync.Mutex
	stuck chan struct{} // closed when forwarding goes on, nil while it is not stopped
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	p := &proxy{Listener: l, to: to}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(in)
		}
	}()
	return p
}

func (p *proxy) pass(in net.Conn) {
	out, err := net.Dial("unix", p.to)
	if err != nil {
		in.Close()
		return
	}
	go p.copy(out, in)
	p.copy(in, out)
}

func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		stuck := p.stuck
		p.mu.Unlock()
		if stuck != nil {
			<-stuck
		}
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}

// stop stops forwarding until the returned function is called.
func (p *proxy) stop() func() {
	stuck := make(chan struct{})
	p.mu.Lock()
	p.stuck = stuck
	p.mu.Unlock()
	return sync.OnceFunc(func() {
		p.mu.Lock()
		p.stuck = nil
		p.mu.Unlock()
		close(stuck)
	})
}

// outage has requests with the answers that are expected while the database does not answer.
var outage = []struct {
	method, path, body string
	status             int
	want               string
}{
	{"POST", "/v1/runs", `{"attempt_id": "` + another +
		`", "repo": "acme/shop", "source_name": "build", "command": "make", "started_at": "2026-01-01T10:00:00Z"}`,
		503, `"code":"unavailable"`},
	{"GET", "/v1/runs/" + anAttempt, "", 503, `"code":"unavailable"`},
	{"PUT", "/v1/runs/" + anAttempt + "/chunks/0?first_line=1&lines=0&offset=0&bytes=1", "x", 503, `"code":"unavailable"`},
	{"PUT", "/v1/runs/" + anAttempt + "/events/0", "", 503, `"code":"unavailable"`},
	{"POST", "/v1/runs/" + anAttempt + "/finish", `{}`, 503, `"code":"unavailable"`},
	{"POST", "/v1/runs/" + anAttempt + "/heartbeat", "", 503, `"code":"unavailable"`},
	{"GET", "/v1/status", "", 503, `"code":"unavailable"`},
	{"GET", "/v1/query?sql=SELECT+1+FROM+blq_load_runs()", "", 503, `"code":"unavailable"`},
	{"POST", "/v1/ask/status", `{}`, 503, `"code":"unavailable"`},
	{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status","arguments":{}}}`,
		0, "unavailable"},
	{"GET", "/readyz", "", 503, "unavailable"},
	{"GET", "/metrics", "", 200, `blq_ready{dependency="database"} 0`},
	{"GET", "/healthz", "", 200, "ok"},
	{"GET", "/v1/openapi.yaml", "", 200, "openapi"},
}

// unready waits until the process reports that it is not ready.
func (p *process) unready(t *testing.T) {
	t.Helper()
	until(t, "not ready", func() bool { status, _ := p.do("GET", "/readyz", nil); return status == 503 })
}

// away checks that each request in outage gets its answer within bound.
func (p *process) away(t *testing.T, what string, bound time.Duration) {
	t.Helper()
	var all sync.WaitGroup
	for _, o := range outage {
		if o.path == "/metrics" && p.token != "" { // with a token, the metrics need the database
			o.status, o.want = 503, `"code":"unavailable"`
		}
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), bound)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, o.method, p.URL+o.path, strings.NewReader(o.body))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Accept", "application/json, text/event-stream")
			if o.method == "POST" {
				r.Header.Set("Content-Type", "application/json")
			}
			if p.token != "" {
				r.Header.Set("Authorization", "Bearer "+p.token)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Errorf("%s: %s %s: no answer within %v: %v", what, o.method, o.path, bound, err)
				return
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil || o.status != 0 && resp.StatusCode != o.status || !strings.Contains(string(text), o.want) {
				t.Errorf("%s: %s %s: %d %.300s, %v; want %d %s", what, o.method, o.path, resp.StatusCode, text,
					err, o.status, o.want)
			}
			if strings.Contains(string(text), "127.0.0.1") || strings.Contains(string(text), "connection refused") {
				t.Errorf("%s: %s %s tells where the database is: %.300s", what, o.method, o.path, text)
			}
			if resp.StatusCode == 503 && o.path != "/readyz" && resp.Header.Get("Retry-After") == "" {
				t.Errorf("%s: %s %s: no Retry-After", what, o.method, o.path)
			}
		})
	}
	all.Wait()
}

func TestEveryRouteAnswersWithoutItsDatabaseAndRecovers(t *testing.T) {
	t.Parallel()
	database, err := pgtest.Start(pgtest.Options{})
	check(t, err)
	t.Cleanup(func() { database.Close() })
	direct, err := url.Parse(database.URL("postgres"))
	check(t, err)
	between := newProxy(t, filepath.Join(direct.Query().Get("host"), ".s.PGSQL.5432"))
	direct.Host, direct.RawQuery = between.Addr().String(), "sslmode=disable"
	env := []string{"BLQ_DATABASE_URL=" + direct.String(), "BLQ_DATA=" + t.TempDir(), "BLQ_LIMIT_BODY_TIME=3s",
		"BLQ_LIMIT_WORK_TIME=3s"}
	migrate := command(t.Context(), env, "migrate")
	if out, err := migrate.CombinedOutput(); err != nil {
		t.Fatalf("migrate: %v\n%s", err, out)
	}
	token := makeToken(t, env, "--scope", "ingest,query", "--repo", "acme/shop")
	open, closed := serve(t, env, "--auth", "none"), serve(t, env, "--auth", "required").with(token)
	both := map[string]*process{"open": open, "with tokens": closed}
	well := func() bool {
		for _, p := range both {
			if status, _ := p.do("GET", "/readyz", nil); status != 200 {
				return false
			}
			if status, _ := p.do("GET", "/v1/runs/"+anAttempt, nil); status != 200 {
				return false
			}
		}
		return true
	}
	if status, text := open.start(anAttempt, "acme/shop", "build"); status != 201 {
		t.Fatalf("start: %d %s", status, text)
	}
	if !well() {
		t.Fatal("it is not well before")
	}
	check(t, database.Down(pgtest.Immediate))
	all := func(what string) {
		var wg sync.WaitGroup
		for name, p := range both {
			wg.Go(func() {
				p.unready(t)
				p.away(t, name+what, time.Minute)
			})
		}
		wg.Wait()
	}
	all(", database down")
	check(t, database.Up())
	until(t, "well after the database is up", well)

	goOn := between.stop()
	defer goOn()
	all(", database hanging")
	goOn()
	until(t, "well after the database goes on", well)
	for _, p := range both {
		p.terminate()
		if code := p.wait(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
}
