package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const anAttempt = "018d0c00-0000-7000-8000-000000000001"

// packed returns a chunk's object and its digest header.
func packed(t *testing.T, text string) ([]byte, string) {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	check(t, err)
	object := w.EncodeAll([]byte(text), nil)
	sum := sha256.Sum256(object)
	return object, "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// putChunk sends a text as the first chunk of a log. The function body makes the request body from the object.
func (p *process) putChunk(attempt string, body func([]byte) io.Reader, text string) (int, string) {
	p.Helper()
	object, digest := packed(p.T, text)
	path := fmt.Sprintf("/v1/runs/%s/chunks/0?stream=combined&first_line=1&lines=%d&offset=0&bytes=%d", attempt,
		strings.Count(text, "\n"), len(text))
	return p.do("PUT", path, body(object), "Content-Digest", digest, "Content-Type", "application/zstd")
}

func whole(object []byte) io.Reader { return bytes.NewReader(object) }

// finish finishes a run with one chunk of one line and without events.
func (p *process) finish(attempt string, code int) (int, string) {
	p.Helper()
	return p.post("/v1/runs/"+attempt+"/finish",
		fmt.Sprintf(`{"finished_at": "2026-01-01T10:00:05Z", "exit_code": %d, "chunks": 1, "batches": 0, "lines": 1}`, code))
}

func TestWithoutSettingsARunIsSentAndAskedFor(t *testing.T) {
	t.Parallel()
	p := serve(t, []string{"HOME=" + t.TempDir()})
	for _, want := range []string{"token create", "blq run --remote " + p.URL, "curl " + p.URL, p.URL + "/mcp",
		"everybody on this machine"} {
		if !strings.Contains(p.Log(), want) {
			t.Errorf("the greeting lacks %q:\n%s", want, p.Log())
		}
	}
	if status, text := p.start(anAttempt, "acme/shop", "build"); status != 201 ||
		!strings.Contains(text, `"run_ref":"acme/shop@build:1"`) {
		t.Fatalf("start: %d %s", status, text)
	}
	if status, text := p.putChunk(anAttempt, whole, "it broke\n"); status != 204 {
		t.Fatalf("chunk: %d %s", status, text)
	}
	if text := p.get("/v1/output?ref=build:1"); !strings.Contains(text, "it broke") {
		t.Errorf("output of a running run: %s", text)
	}
	if status, text := p.finish(anAttempt, 2); status != 200 || !strings.Contains(text, `"status":"FAIL"`) {
		t.Fatalf("finish: %d %s", status, text)
	}
	_, text := p.post("/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"info","arguments":{"ref":"acme/shop@build:1"}}}`)
	if !strings.Contains(text, `"status":"FAIL"`) {
		t.Errorf("info over MCP: %s", text)
	}
	metrics := p.get("/metrics")
	for _, want := range []string{
		`blq_http_requests_total{method="POST",route="/v1/runs",status="201"} 1`, `blq_ingested_total{what="chunk"} 1`,
		`blq_http_requests_total{method="POST",route="/mcp",status="200"} 1`,
		`blq_ingest_lag_seconds_count{what="finished"} 1`, `blq_tool_calls_total{result="ok",tool="info"} 1`,
		`blq_connections`, `blq_runs_running 0`, "blq_build_info",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	p.terminate()
	if code := p.wait(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, p.Log())
	}
}

func TestWithAuthenticationEveryCallerShowsAToken(t *testing.T) {
	t.Parallel()
	env := []string{"BLQ_DATA=" + t.TempDir(), "BLQ_AUTH=required"}
	p := serve(t, env)
	sends := p.with(makeToken(t, env, "--scope", "ingest", "--repo", "acme/shop"))
	reads := p.with(makeToken(t, env, "--scope", "read", "--repo", "acme/shop"))
	other := p.with(makeToken(t, env, "--scope", "query,ingest", "--repo", "acme/other"))

	for _, path := range []string{"/v1/status", "/mcp", "/sse"} {
		resp, err := p.try("GET", path, nil)
		check(t, err)
		resp.Body.Close()
		if resp.StatusCode != 401 || !strings.Contains(resp.Header.Get("WWW-Authenticate"), "resource_metadata=") {
			t.Errorf("%s without a token: %d, WWW-Authenticate %q", path, resp.StatusCode, resp.Header.Get("WWW-Authenticate"))
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/.well-known/oauth-protected-resource/mcp", "/v1/openapi.yaml"} {
		p.get(path)
	}
	if status, text := sends.start(anAttempt, "acme/shop", "build"); status != 201 {
		t.Fatalf("start: %d %s", status, text)
	}
	if status, _ := sends.do("GET", "/v1/status", nil); status != 403 {
		t.Errorf("a token that sends asks: %d", status)
	}
	if text := reads.get("/v1/status"); !strings.Contains(text, `"name":"build"`) {
		t.Errorf("status: %s", text)
	}
	if status, _ := reads.start("018d0c00-0000-7000-8000-000000000002", "acme/shop", "build"); status != 403 {
		t.Errorf("a token that reads sends: %d", status)
	}
	foreign, absent := "", ""
	_, foreign = other.start("018d0c00-0000-7000-8000-000000000003", "acme/shop", "build")
	_, absent = other.start("018d0c00-0000-7000-8000-000000000003", "acme/nosuch", "build")
	if strings.ReplaceAll(absent, "nosuch", "shop") != foreign {
		t.Errorf("a foreign repository is answered %s, one that is not there %s", foreign, absent)
	}
	if text := other.get("/v1/status"); strings.Contains(text, "build") {
		t.Errorf("status of another repository: %s", text)
	}
	_, text := reads.post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if strings.Contains(text, `"name":"query"`) || !strings.Contains(text, `"name":"triage"`) {
		t.Errorf("tools of a token without scope query: %.500s", text)
	}
	if _, text := other.post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); !strings.Contains(
		text, `"name":"query"`) {
		t.Errorf("tools of a token with scope query: %.500s", text)
	}
	if log := p.Log(); strings.Contains(log, "blq_s_") || strings.Contains(log, "make a token") {
		t.Errorf("log:\n%s", log)
	}
}

func TestRunsHaveTheAddressOfTheirPage(t *testing.T) {
	t.Parallel()
	env := []string{"BLQ_DATA=" + t.TempDir(), "BLQ_PUBLIC_URL=https://blq.example.com/ci/"}
	p := serve(t, env)
	sends := p.with(makeToken(t, env, "--scope", "ingest", "--repo", "acme/shop"))
	reads := p.with(makeToken(t, env, "--scope", "read", "--repo", "acme/shop"))
	const address = "/ui/run/acme/shop@build:1"
	_, started := sends.start(anAttempt, "acme/shop", "build")
	sends.putChunk(anAttempt, whole, "one\n")
	_, finished := sends.finish(anAttempt, 0)
	info := reads.get("/v1/info?ref=acme/shop@build:1")
	for _, text := range []string{started, finished, info} {
		if !strings.Contains(text, `"url":"https://blq.example.com/ci`+address+`"`) {
			t.Errorf("the answer lacks the address: %s", text)
		}
	}
	if status, text := p.do("GET", address, nil); status != http.StatusUnauthorized || !strings.Contains(text, "<h1>") {
		t.Errorf("at the address is %d %s", status, text)
	}
}

func TestReadinessNoticesAPlaceThatIsGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := serve(t, []string{"BLQ_DATA=" + dir})
	p.get("/readyz")
	logs := filepath.Join(dir, "logs")
	check(t, os.Rename(logs, logs+".away"))
	until(t, "not ready", func() bool { status, _ := p.do("GET", "/readyz", nil); return status == 503 })
	if status, text := p.do("GET", "/readyz", nil); status != 503 || text != "logs unavailable\n" {
		t.Errorf("%d %s", status, text)
	}
	p.get("/healthz")
	if text := p.get("/metrics"); !strings.Contains(text, `blq_ready{dependency="logs"} 0`) ||
		!strings.Contains(text, `blq_ready{dependency="database"} 1`) {
		t.Error("the metrics say otherwise")
	}
	check(t, os.Rename(logs+".away", logs))
	until(t, "ready again", func() bool { status, _ := p.do("GET", "/readyz", nil); return status == 200 })
	until(t, "both in the log", func() bool {
		return strings.Contains(p.Log(), "dependency unavailable") && strings.Contains(p.Log(), "dependency available")
	})
}

func TestStoppingFinishesUploads(t *testing.T) {
	t.Parallel()
	env := []string{"BLQ_DATA=" + t.TempDir()}
	p := serve(t, env, "--grace", "50s")
	p.start(anAttempt, "acme/shop", "build")
	stream, err := p.try("GET", "/sse", nil)
	check(t, err)
	defer stream.Body.Close()
	arriving, more := io.Pipe()
	answer := make(chan string, 1)
	begun := make(chan struct{})
	go func() {
		status, text := p.putChunk(anAttempt, func(object []byte) io.Reader {
			go func() {
				_, _ = more.Write(object[:5])
				close(begun)
				<-p.stopping()
				_, _ = more.Write(object[5:])
				more.Close()
			}()
			return arriving
		}, "last words\n")
		answer <- fmt.Sprint(status, text)
	}()
	<-begun
	until(
		t, "the upload is at work", func() bool { return strings.Contains(p.get("/metrics"), "blq_uploads_in_flight 1") })
	p.terminate()
	if got := <-answer; got != "204" {
		t.Errorf("the upload at work is answered %s\n%s", got, p.Log())
	}
	if code := p.wait(); code != 0 || strings.Contains(p.Log(), "cut off") {
		t.Errorf("exit code %d:\n%s", code, p.Log())
	}
	again := serve(t, env)
	if text := again.get("/v1/output?ref=build:1"); !strings.Contains(text, "last words") {
		t.Errorf("after the stop: %s", text)
	}
}

// stopping waits until the process logs that it is stopping. Then it returns a closed channel.
func (p *process) stopping() chan struct{} {
	c := make(chan struct{})
	until(p.T, "stopping", func() bool { return strings.Contains(p.Log(), `"stopping"`) })
	close(c)
	return c
}

func TestNotReadyWhileDraining(t *testing.T) {
	t.Parallel()
	p := serve(t, []string{"BLQ_DATA=" + t.TempDir()}, "--drain", "2s")
	p.terminate()
	<-p.stopping()
	if status, text := p.do("GET", "/readyz", nil); status != 503 || text != "stopping\n" {
		t.Errorf("%d %s", status, text)
	}
	p.get("/v1/status")
	if code := p.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestRequestsHaveIDsInTheLog(t *testing.T) {
	t.Parallel()
	p := serve(t, []string{"BLQ_DATA=" + t.TempDir()})
	for _, path := range []string{"/v1/status", "/mcp", "/nosuch"} {
		resp, err := p.try("GET", path, nil, "X-Request-Id", "of-the-caller-17")
		check(t, err)
		resp.Body.Close()
		if resp.Header.Get("X-Request-Id") != "of-the-caller-17" {
			t.Errorf("%s: %v", path, resp.Header)
		}
	}
	until(t, "three lines", func() bool { return strings.Count(p.Log(), `"request":"of-the-caller-17"`) == 3 })
	resp, err := p.try("GET", "/v1/status", nil, "X-Request-Id", "no\tgood <id>")
	check(t, err)
	resp.Body.Close()
	if id := resp.Header.Get("X-Request-Id"); id == "" || strings.Contains(id, "good") {
		t.Errorf("an ID that is not allowed in a log: %q", id)
	}
}

func TestPagesOfOtherSitesDoNotReachAnOpenService(t *testing.T) {
	t.Parallel()
	p := serve(t, []string{"BLQ_DATA=" + t.TempDir()})
	for _, path := range []string{"/v1/status", "/mcp", "/sse"} {
		for header, value := range map[string]string{"Origin": "https://evil.example.com", "Host": "evil.example.com:8080"} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", p.URL+path, nil)
			check(t, err)
			r.Header.Set(header, value)
			if header == "Host" {
				r.Host = value
			}
			resp, err := http.DefaultClient.Do(r)
			check(t, err)
			resp.Body.Close()
			if resp.StatusCode != 403 {
				t.Errorf("GET %s with %s %s: %d", path, header, value, resp.StatusCode)
			}
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	t.Parallel()
	p := serve(t, []string{"BLQ_DATA=" + t.TempDir()})
	for route, status := range map[string]int{
		"GET /v2/runs": 404, "GET /admin": 404, "POST /": 405, "DELETE /v1/runs": 405, "PUT /v1/token": 405,
		"POST /v1/runs/x":       405,
		"PUT /v1/runs/x/chunks": 404, "GET /debug/pprof/": 404, "POST /v1/triage": 405, "GET /mcp/other": 404,
		"POST /healthz":             405,
		"OPTIONS /v1/runs/x/finish": 204, "HEAD /v1/status": 200, "HEAD /healthz": 200,
	} {
		method, path, _ := strings.Cut(route, " ")
		resp, err := p.try(method, path, nil)
		check(t, err)
		resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("%s: %d, want %d", route, resp.StatusCode, status)
		}
		if allow := resp.Header.Get("Allow"); status == 405 && !strings.Contains(allow, "OPTIONS") || status == 204 &&
			allow != "POST, OPTIONS" {
			t.Errorf("%s: Allow %q", route, allow)
		}
	}
	resp, err := p.try("POST", "/mcp/", nil) // some clients add a slash
	check(t, err)
	resp.Body.Close()
	if resp.StatusCode != 415 {
		t.Errorf("POST /mcp/: %d, want 415", resp.StatusCode)
	}
}

func TestMetricsOnAnotherPort(t *testing.T) {
	t.Parallel()
	p := serve(t, []string{"BLQ_DATA=" + t.TempDir(), "BLQ_METRICS_ADDR=127.0.0.1:0"})
	if status, _ := p.do("GET", "/metrics", nil); status != 404 {
		t.Errorf("metrics are served with the rest: %d", status)
	}
}

func TestServingWhereItMayNot(t *testing.T) {
	t.Parallel()
	p := serve(t, []string{"BLQ_DATA=" + t.TempDir()})
	taken := strings.TrimPrefix(p.URL, "http://")
	for _, tt := range []struct {
		env  string
		args []string
		want string
	}{
		{"", []string{"--addr", taken}, taken + " is in use"},
		{"BLQ_DATABASE_URL=postgres://blq:hunter2secret@127.0.0.1:1/blq", nil, "database"},
		{"BLQ_DATA=/dev/null/x", nil, "the folder for data cannot be made"},
	} {
		out, err := command(t.Context(), []string{"BLQ_DATA=" + t.TempDir(), "BLQ_ADDR=127.0.0.1:0", tt.env},
			append([]string{"serve"}, tt.args...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), tt.want) || !strings.Contains(string(out), "try: ") ||
			strings.Contains(string(out), "hunter2secret") {
			t.Errorf("%s %v: %v\n%s", tt.env, tt.args, err, out)
		}
	}
}
