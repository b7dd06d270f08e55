package ingest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/store"
)

// Long texts are decoded in turns, like all work that needs much CPU time. Short ones need not wait.
func TestALongJSONWaitsForATurn(t *testing.T) {
	t.Parallel()
	s := &Service{Config: Config{Work: fair.NewQueue(1, 1), Observer: nobody{}}}
	if _, err := s.Work.Enter(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int]bool{10: false, longBody: true} {
		ctx, cancel := context.WithCancel(fair.Request(t.Context()))
		cancel()
		body := strings.NewReader("[" + strings.Repeat(" ", size))
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", body)
		err := s.readJSON(httptest.NewRecorder(), r, &struct{}{})
		if decoded := store.CodeOf(err) == store.Invalid; decoded == want {
			t.Errorf("a text of %d bytes did not wait as it should: %v", size, err)
		}
	}
}

// The time for work begins when the body has arrived. So a request with a body gets no more of it than another request.
func TestABodyAddsNoTimeForWork(t *testing.T) {
	t.Parallel()
	s := &Service{Config: Config{Limits: DefaultLimits()}}
	for _, body := range []string{"", "{}"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/ask/triage", strings.NewReader(body))
		if b := s.bounds(r); b.Work != s.Limits.Work || b.Write <= b.Work {
			t.Errorf("with the body %q: %+v", body, b)
		}
	}
}

func TestAnErrorAboutAValueIsShort(t *testing.T) {
	t.Parallel()
	var v struct {
		N int8 `json:"n"`
	}
	if err := unmarshal([]byte(`{"n":`+strings.Repeat("9", 100_000)+"}"), &v); err == nil || len(err.Error()) > 400 {
		t.Errorf("%.500v", err)
	}
}
