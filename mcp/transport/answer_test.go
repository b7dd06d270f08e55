package transport

import (
	"net/http/httptest"
	"testing"
	"time"
)

// deadlines counts how often the write deadline of an answer is set to a time in the future.
type deadlines struct {
	*httptest.ResponseRecorder
	set int
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	if time.Until(t) > 0 {
		d.set++
	}
	return nil
}

// Each event of an answer with progress reports moves the write deadline. An answer without progress reports does not
// move it.
func TestProgressMovesTheDeadline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		events []string
		want   int
	}{
		{[]string{`{"jsonrpc":"2.0","method":"notifications/progress"}`,
			`{"jsonrpc":"2.0","method":"notifications/progress"}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`}, 3},
		{[]string{`{"jsonrpc":"2.0","id":1,"result":{}}`}, 0},
	} {
		d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		w := &answerWriter{ResponseWriter: d, request: httptest.NewRequest("POST", "/mcp", nil), caller: &caller{},
			timeout: time.Hour}
		for _, e := range tt.events {
			if _, err := w.Write([]byte("event: message\ndata: " + e + "\n\n")); err != nil {
				t.Fatal(err)
			}
		}
		if d.set != tt.want {
			t.Errorf("%d events move the deadline %d times, want %d", len(tt.events), d.set, tt.want)
		}
	}
}
