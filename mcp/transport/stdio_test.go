package transport_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/mcp/transport"
)

// peer is the other end of a server on two pipes.
type peer struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Scanner
	ended chan error
	stop  context.CancelFunc
}

func newPeer(t *testing.T, c transport.Config) *peer {
	theirs, in := io.Pipe()
	out, ours := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	p := &peer{t: t, in: in, lines: bufio.NewScanner(out), ended: make(chan error, 1), stop: stop}
	go func() {
		err := transport.Stdio(ctx, c, theirs, ours)
		ours.Close()
		p.ended <- err
	}()
	t.Cleanup(func() { stop(); in.Close(); out.Close() })
	return p
}

func (p *peer) send(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) receive() string {
	p.t.Helper()
	if !p.lines.Scan() {
		p.t.Fatalf("the server said no more: %v", p.lines.Err())
	}
	return p.lines.Text()
}

func TestBadLinesAreAnsweredAndEndNothing(t *testing.T) {
	t.Parallel()
	var l log
	p := newPeer(t, config(&l, nil))
	for _, c := range []struct{ name, line, want string }{
		{"no JSON", `{"jsonrpc":`, "-32700"},
		{"10 MB", strings.Repeat("a", 10<<20), "larger than"},
		{"10 MB of JSON", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("a", 10<<20) + `"}}`,
			"larger than"},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "batches"},
		{"no version", `{"id":1,"method":"ping"}`, "jsonrpc"},
		{"name of another type", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`, "name is text"},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"nosuch"}`, "-32601"},
		{"unknown tool", tool(1, "nosuch"), "-32602"},
		{"panic in a tool", tool(1, "panics"), "internal error"},
		{"panic elsewhere", `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"b","value":"c"}}}`, "internal error"},
	} {
		p.send(c.line)
		got := p.receive()
		if !strings.Contains(got, c.want) || !json.Valid([]byte(got)) {
			t.Errorf("%s: answered %s, want %q", c.name, got, c.want)
		}
		checkNoLeak(t, got)
		p.send(tool(c.name, "good"))
		if got := p.receive(); !strings.Contains(got, "fine") || !strings.Contains(got, c.name) {
			t.Errorf("%s: afterwards a good call is answered %s", c.name, got)
		}
	}
	if !strings.Contains(l.String(), "secret detail") {
		t.Errorf("the log does not tell of the panic: %s", l.String())
	}
}

func TestWhatNeedsNoAnswerGetsNone(t *testing.T) {
	t.Parallel()
	p := newPeer(t, config(&log{}, nil))
	for _, line := range []string{"", "   ", `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":3,"result":{}}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`} {
		p.send(line)
	}
	p.send(tool(8, "good") + "\r")
	if got := p.receive(); !strings.Contains(got, `"id":8`) {
		t.Errorf("the first answer is %s, want that to the request", got)
	}
}

func TestInputThatEndsIsStillAnswered(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	in := tool(1, "good") + "\n" + tool(2, "good") + "\n" + tool(3, "good") // without a final newline
	if err := transport.Stdio(t.Context(), config(&log{}, nil), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "fine"); n != 3 {
		t.Errorf("%d of 3 requests were answered:\n%s", n, out.String())
	}
}

func TestStopEndsRequestsToo(t *testing.T) {
	t.Parallel()
	p := newPeer(t, config(&log{}, nil))
	p.send(tool(1, "waits"))
	p.send(tool(2, "good"))
	p.receive()
	p.stop()
	for p.lines.Scan() { // until the server ends
	}
	if err := <-p.ended; err != nil {
		t.Errorf("Stdio: %v", err)
	}
}

func TestStopEndsAServerThatIsBusy(t *testing.T) {
	t.Parallel()
	p := newPeer(t, config(&log{}, nil))
	// There are more requests than can run at the same time, and each is longer than the read buffer. After the last
	// one was read, the one before it waits for its turn.
	long := tool(1, "waits") + strings.Repeat(" ", 100<<10)
	for range 34 {
		p.send(long)
	}
	p.stop()
	for p.lines.Scan() { // until the server ends
	}
	if err := <-p.ended; err != nil {
		t.Errorf("Stdio: %v", err)
	}
}

func TestClientCancelsItsRequest(t *testing.T) {
	t.Parallel()
	p := newPeer(t, config(&log{}, nil))
	p.send(tool(1, "waits"))
	p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	p.receive()
	// A cancellation has no effect before the request has begun, so repeat it until the request is answered.
	done := make(chan string, 1)
	go func() { done <- p.receive() }()
	for {
		select {
		case got := <-done:
			if !strings.Contains(got, `"id":1`) {
				t.Errorf("answered %s", got)
			}
			return
		default:
			p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		}
	}
}

func TestNotificationsOfARequestComeBeforeItsAnswer(t *testing.T) {
	t.Parallel()
	p := newPeer(t, config(&log{}, nil))
	for range 50 {
		p.send(tool(1, "tells"))
		var got []string
		for range 6 {
			var m struct {
				Method string
				Params struct{ Progress *int }
			}
			if err := json.Unmarshal([]byte(p.receive()), &m); err != nil {
				t.Fatal(err)
			}
			got = append(got, m.Method)
		}
		n := "notifications/progress"
		if diff := cmp.Diff([]string{n, n, n, n, n, ""}, got); diff != "" {
			t.Fatalf("messages (-want +got):\n%s", diff)
		}
	}
}
