package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// telling runs commands that report their progress.
type telling struct{ runner.Commands }

func (telling) Run(ctx context.Context, _ runner.Request, _ time.Duration) (runner.Ran, error) {
	for range 3 { // only the first is sent at once
		runner.Tell(ctx, store.Run{Source: "test", Serial: 1, State: store.StateRunning})
	}
	return runner.Ran{}, nil
}

func TestProgressIsToldToThoseWhoAsk(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *mcp.Config) { c.Commands = telling{} })
	for token, want := range map[string]int{`"a"`: 1, `7`: 1, ``: 0} {
		meta := ""
		if token != "" {
			meta = `,"_meta":{"progressToken":` + token + `}`
		}
		var out strings.Builder
		in := fmt.Sprintf(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":{"command":"ok"}%s}}`, meta)
		querytest.Check(t, s.ServeStdio(t.Context(), strings.NewReader(in), &out))
		got := strings.Count(out.String(), fmt.Sprintf(`"progressToken":%s,"message":"test:1 is running`, token))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if got != want || len(lines) != want+1 || !strings.Contains(lines[want], `"id":1,"result"`) {
			t.Errorf("token %s: %s", token, out.String())
		}
	}
}

// patient records how long it should wait, and whether the call has a deadline.
type patient struct {
	runner.Commands
	asked chan patience
}

type patience struct {
	wait    time.Duration
	bounded bool
}

func (p patient) Run(ctx context.Context, _ runner.Request, wait time.Duration) (runner.Ran, error) {
	_, bounded := ctx.Deadline()
	p.asked <- patience{wait, bounded}
	return runner.Ran{}, nil
}

// If the client asks for progress, the tool run may wait for any time. Otherwise the tool waits at most 45 seconds,
// because the client would give up later.
func TestHowLongRunWaits(t *testing.T) {
	t.Parallel()
	asked := make(chan patience, 1)
	s := serve(t, func(c *mcp.Config) { c.Commands = patient{asked: asked} })
	const year = 365 * 24 * time.Hour
	for _, tt := range []struct {
		arguments, meta string
		want            patience
	}{
		{``, ``, patience{45 * time.Second, true}},
		{`,"wait":100`, ``, patience{45 * time.Second, true}},
		{`,"wait":0`, ``, patience{0, true}},
		{`,"timeout":100`, ``, patience{45 * time.Second, true}},
		{``, `,"_meta":{"progressToken":1}`, patience{year, false}},
		{`,"wait":100`, `,"_meta":{"progressToken":1}`, patience{100 * time.Second, false}},
		{`,"wait":0`, `,"_meta":{"progressToken":1}`, patience{0, false}},
	} {
		in := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call",
			"params":{"name":"run","arguments":{"command":"ok"%s}%s}}`, tt.arguments, tt.meta)
		in = strings.ReplaceAll(in, "\n", " ")
		querytest.Check(t, s.ServeStdio(t.Context(), strings.NewReader(in), io.Discard))
		if got := <-asked; got != tt.want {
			t.Errorf("run with %s%s: %+v, want %+v", tt.arguments, tt.meta, got, tt.want)
		}
	}
}

// watched calls a tool over stdio, and calls seen with the message of the first progress report. It returns the answer.
func watched(t *testing.T, s *server, call string, seen func(message string)) string {
	t.Helper()
	in, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		request := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + call + `,"_meta":{"progressToken":"a"}}}`
		err := s.ServeStdio(t.Context(), strings.NewReader(request), out)
		out.Close()
		ended <- err
	}()
	lines := bufio.NewScanner(in)
	first := true
	for lines.Scan() {
		var m struct {
			Method string
			Params struct{ Message string }
		}
		querytest.Check(t, json.Unmarshal(lines.Bytes(), &m))
		switch {
		case m.Method != "notifications/progress":
			text := lines.Text()
			querytest.Check(t, <-ended)
			return text
		case first:
			first = false
			seen(m.Params.Message)
		}
	}
	t.Fatalf("no answer: %v", lines.Err())
	return ""
}

func TestRunTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	s, dir := serveLocal(t)
	stop := filepath.Join(dir, "stop")
	const waiting = `while [ ! -e stop ]; do sleep 0.01; done; echo hello; exit 3`
	var told []string
	end := func(message string) {
		told = append(told, message)
		querytest.Check(t, os.WriteFile(stop, nil, 0o644))
	}
	text := watched(t, s, `"name":"exec","arguments":`+script(t, waiting), end)
	if !strings.Contains(text, `"exit_code":3`) || strings.Contains(text, "RUNNING") {
		t.Errorf("exec: %s", text)
	}
	querytest.Check(t, os.Remove(stop))
	s.do("exec", `{"wait": 0, `+strings.TrimPrefix(script(t, waiting), "{"), false)
	text = watched(t, s, `"name":"info","arguments":{"ref":"latest","wait":100}`, end)
	if !strings.Contains(text, `"status":"FAIL"`) || !strings.Contains(text, `"run_ref":"test:2"`) {
		t.Errorf("info: %s", text)
	}
	if len(told) != 2 || !strings.HasPrefix(told[0], "test:1 is running: ") ||
		!strings.HasPrefix(told[1], "test:2 is running: ") {
		t.Errorf("told %q", told)
	}
}
