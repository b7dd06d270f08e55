package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/querytest"
)

// telling runs commands that tell how far they have come.
type telling struct{ mcp.Commands }

func (telling) Run(ctx context.Context, _ mcp.RunRequest, _ time.Duration) (mcp.Ran, error) {
	for i := range 3 {
		mcp.TellProgress(ctx, mcp.Progress{Done: float64(i), Total: 3, Message: "step"})
	}
	return mcp.Ran{}, nil
}

func TestProgressIsToldToThoseWhoAsk(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *mcp.Config) { c.Commands = telling{} })
	for token, want := range map[string]int{`"a"`: 3, `7`: 3, ``: 0} {
		meta := ""
		if token != "" {
			meta = `,"_meta":{"progressToken":` + token + `}`
		}
		var out strings.Builder
		in := fmt.Sprintf(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":{"command":"ok"}%s}}`, meta)
		querytest.Check(t, s.ServeStdio(t.Context(), strings.NewReader(in), &out))
		got := strings.Count(out.String(), fmt.Sprintf(`"progressToken":%s,"message":"step"`, token))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if got != want || len(lines) != want+1 || !strings.Contains(lines[want], `"id":1,"result"`) {
			t.Errorf("token %s: %s", token, out.String())
		}
	}
}
