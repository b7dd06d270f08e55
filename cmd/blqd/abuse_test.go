//go:build unix

package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/internal/pgtest"
)

var abuse = flag.Int("abuse", 1000, "random requests that a real blqd of each engine is sent")

// random returns a random request. Many are nearly valid.
func random(r *rand.Rand, attempt string) (method, path string, body []byte, header []string) {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	path = pick("/v1/runs", "/v1/runs/"+
		attempt+pick("", "/chunks/0", "/chunks/1", "/chunks/-1", "/events/0", "/events/99999999999", "/heartbeat", "/nosuch"),
		"/v1/status", "/v1/events?limit=x", "/v1/ask/status", "/v1/query?sql=%00", "/mcp", "/webhooks/github", "/v1/token",
		"/%2e%2e/v1", "//", "/metrics")
	if strings.Contains(path, "/chunks/") {
		path += "?" + url.Values{"first_line": {pick("1", "2", "0", "x")}, "lines": {pick("0", "1", "9")},
			"offset": {pick("0", "5", "-1")}, "bytes": {pick("1", "4", "2097153")}}.Encode()
	}
	body = []byte(pick("", "{}", "[]", "null", "one\n", strings.Repeat("[", 5000), `{"attempt_id":"`+attempt+`"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT"}}}`))
	if r.IntN(3) == 0 {
		body = make([]byte, r.IntN(500))
		for i := range body {
			body[i] = byte(r.IntN(256))
		}
	}
	for range r.IntN(4) {
		header = append(
			header, pick("Content-Type", "Content-Encoding", "Content-Digest", "X-Request-Id", "X-Hub-Signature-256", "Accept"),
			pick("application/json", "zstd", "gzip", "sha-256=:AAAA:", "text/event-stream, application/json", "sha256=00",
				strings.Repeat("x", 2000)))
	}
	return pick("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"), path, body, header
}

// bombs are objects that take far more memory or time to unpack than objects of their size usually do, or claim to.
func bombs(t *testing.T) map[string][]byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	check(t, err)
	wide, err := zstd.NewWriter(nil, zstd.WithWindowSize(64<<20))
	check(t, err)
	frame := w.EncodeAll([]byte("x"), nil)
	// A frame whose header claims 2^62 bytes: magic, single segment with 8 bytes of size.
	huge := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0}, 0, 0, 0, 0, 0, 0, 0, 0x40)
	return map[string][]byte{
		"much of one byte": w.EncodeAll(make([]byte, 256<<20), nil),
		"a wide window":    wide.EncodeAll(bytes.Repeat([]byte("0123456789abcdef"), 1<<20), nil),
		"a huge frame":     huge,
		"many frames":      bytes.Repeat(frame, (1<<21)/len(frame)),
	}
}

// The memory limit of the garbage collector follows from BLQ_LIMIT_MEMORY_MB. Without it, garbage could double the
// memory that a server takes.
func TestMemoryHasALimit(t *testing.T) {
	t.Parallel()
	p := serve(t, []string{"HOME=" + t.TempDir(), "BLQ_LIMIT_MEMORY_MB=8"})
	if metrics := p.get("/metrics"); !strings.Contains(metrics, "go_gc_gomemlimit_bytes 2.097152e+08\n") {
		t.Error("the garbage collector has another limit of memory than 200 MB")
	}
}

func TestAbuseOfARealServer(t *testing.T) {
	t.Parallel()
	for engine, env := range map[string][]string{
		"sqlite":   {"BLQ_DATA=" + t.TempDir()},
		"postgres": {"BLQ_DATA=" + t.TempDir(), "BLQ_DATABASE_URL=" + pgtest.Copy(t, migrated)},
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p := serve(t, append(env, "BLQ_AUTH=none", "BLQ_LIMIT_REQUESTS=1000000", "BLQ_LIMIT_REQUESTS_BURST=1000000",
				"BLQ_TRUSTED_PROXIES=127.0.0.1"))
			p.randomly(t, *abuse)
			if status, text := p.start(anAttempt, "acme/shop", "build"); status != 201 {
				t.Fatalf("start: %d %s", status, text)
			}
			for name, object := range bombs(t) {
				if len(object) > 2<<20 {
					t.Errorf("%s is too large to be sent: %d", name, len(object))
				}
				p.bomb(t, name, object)
			}
			if status, text := p.putChunk(anAttempt, whole, "well\n"); status != 204 {
				t.Errorf("afterwards: %d %s", status, text)
			}
			if status, text := p.finish(anAttempt, 0); status != 200 {
				t.Errorf("finish: %d %s", status, text)
			}
			if text := p.get("/v1/output?ref=" + anAttempt); !strings.Contains(text, "well") {
				t.Errorf("output: %s", text)
			}
			p.terminate()
			if code := p.wait(); code != 0 || strings.Contains(p.Log(), `"panic"`) {
				t.Errorf("exit code %d\n%.2000s", code, p.Log())
			}
		})
	}
}

// randomly sends n random requests, each from another address, because the service delays the answers to many refused
// requests of one address. The test fails if an answer has a status of 500 or more, or if a request starts a run.
func (p *process) randomly(t *testing.T, n int) {
	t.Helper()
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(worker), 7))
			for i := range n / 4 {
				method, path, body, header := random(r, another)
				header = append(header, "X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", worker, i>>8, i&0xff))
				resp, err := p.try(method, path, bytes.NewReader(body), header...)
				if err != nil {
					t.Errorf("%s %s: %v", method, path, err)
					return
				}
				text, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if resp.StatusCode >= 500 {
					t.Errorf("%s %s %v %q: %d %s", method, path, header, body[:min(len(body), 200)], resp.StatusCode, text)
				}
			}
		})
	}
	wg.Wait()
	if text := p.get("/v1/history?limit=10"); strings.Contains(text, "run_ref") {
		t.Errorf("a run came of it: %s", text)
	}
}

// bomb sends an object as a chunk and as a batch of events.
func (p *process) bomb(t *testing.T, name string, object []byte) {
	t.Helper()
	sum := sha256.Sum256(object)
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	for path, header := range map[string][]string{
		"/chunks/0?first_line=1&lines=0&offset=0&bytes=1": {"Content-Digest", digest},
		"/events/0": {"Content-Encoding", "zstd"},
	} {
		status, text := p.do("PUT", "/v1/runs/"+anAttempt+path, bytes.NewReader(object), header...)
		if !slices.Contains([]int{400, 413}, status) || !strings.Contains(text, `"code":`) {
			t.Errorf("%s at %s: %d %s", name, path, status, text)
		}
	}
}

func TestConnectionsThatWasteTime(t *testing.T) {
	t.Parallel()
	p := serve(t, []string{"BLQ_DATA=" + t.TempDir(), "BLQ_LIMIT_BODY_TIME=1s", "BLQ_LIMIT_CONNECTIONS=60"})
	address := strings.TrimPrefix(p.URL, "http://")
	dial := func(text string) net.Conn {
		conn, err := net.Dial("tcp", address)
		check(t, err)
		t.Cleanup(func() { conn.Close() })
		_, err = io.WriteString(conn, text)
		check(t, err)
		return conn
	}
	answer := func(conn net.Conn) int {
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("no answer: %v", err)
			return 0
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if status, text := p.start(anAttempt, "acme/shop", "build"); status != 201 {
		t.Fatalf("start: %d %s", status, text)
	}
	if got := answer(dial("GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
		strings.Repeat("X-Flood: "+strings.Repeat("x", 1000)+"\r\n", 24) + "\r\n")); got != 431 {
		t.Errorf("a flood of headers: %d", got)
	}
	var slow []net.Conn
	for range 20 {
		slow = append(
			slow, dial("PUT /v1/runs/"+anAttempt+"/events/0 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{"))
	}
	for range 10 {
		dial("GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ") // the header never ends
	}
	p.get("/v1/status")
	for _, conn := range slow {
		if got := answer(conn); got != 408 {
			t.Errorf("a body that does not arrive: %d", got)
		}
	}
	refused := 0
	for range 60 {
		conn := dial("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		if answer(conn) == 503 {
			refused++
		}
	}
	if refused > 0 {
		t.Errorf("%d were refused beside connections without a request", refused)
	}
	if status, text := p.do("GET", "/v1/status", nil); status != 200 {
		t.Errorf("who has a connection: %d %s", status, text)
	}
}

func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	p := serve(t, []string{"BLQ_DATA=" + t.TempDir()}, "--grace", "10m")
	if status, text := p.start(anAttempt, "acme/shop", "build"); status != 201 {
		t.Fatalf("start: %d %s", status, text)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
	check(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "PUT /v1/runs/%s/events/0 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{", anAttempt)
	until(
		t, "the upload is at work", func() bool { return strings.Contains(p.get("/metrics"), "blq_uploads_in_flight 1") })
	p.terminate()
	<-p.stopping()
	p.terminate()
	p.wait()
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v", p.cmd.ProcessState)
	}
}
