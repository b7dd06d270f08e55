package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// from calls the function with the context of a request from an address.
func from(t *testing.T, address string, f func(ctx context.Context)) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	r.RemoteAddr = address
	httpserver.Watch{Address: httpserver.ClientAddress(nil)}.Handler(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			f(r.Context())
		})).ServeHTTP(httptest.NewRecorder(), r)
}

func TestAddressesThatGuessAreNotLookedUp(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g := newGuards(func() time.Time { return now })
	lookups := 0
	check := func(address, token string, answer error) (err error) {
		from(t, address, func(ctx context.Context) {
			_, err = g.check(ctx, token, func(context.Context) (Principal, error) { lookups++; return Principal{}, answer })
		})
		return err
	}
	bad := badToken("not known")
	if err := check("1.2.3.4:1", "good", nil); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if err := check(fmt.Sprintf("1.2.3.4:%d", i+1), fmt.Sprint("bad", i), bad); i >= guesses &&
			store.CodeOf(err) != store.RateLimited {
			t.Fatalf("guess %d: %v", i, err)
		}
	}
	if lookups != guesses+1 {
		t.Errorf("%d tokens were looked up", lookups)
	}
	if after, ok := store.RetryAfter(check("1.2.3.4:1", "new", nil)); !ok || after <= 0 {
		t.Error("the refusal does not say when to try again")
	}
	for address, token := range map[string]string{"1.2.3.4:9": "good", "1.2.3.5:9": "other"} {
		if err := check(address, token, nil); err != nil {
			t.Errorf("%s with %s: %v", address, token, err)
		}
	}
	now = now.Add(time.Second)
	if err := check("1.2.3.4:1", "new", nil); err != nil {
		t.Errorf("a second later: %v", err)
	}
	if err := check("1.2.3.4:1", "good", bad); store.CodeOf(err) != store.Unauthorized {
		t.Errorf("a token that was revoked: %v", err)
	}
	if _, ok := g.wasGood("good"); ok {
		t.Error("a revoked token counts as good")
	}
}

func TestWhatIsRememberedOfTokensIsBounded(t *testing.T) {
	t.Parallel()
	g := newGuards(time.Now)
	for i := range maxRemembered + 100 {
		g.remember(fmt.Sprint(i), "")
	}
	if len(g.good) != maxRemembered {
		t.Errorf("%d are remembered", len(g.good))
	}
	s := newAnswers(time.Now, func(context.Context) (int64, error) { return 0, nil })
	valid := func(context.Context) (found, error) { return found{p: Principal{ID: "ann"}, good: time.Hour}, nil }
	refused := func(context.Context) (found, error) { return found{good: time.Hour}, badToken("no") }
	if _, err := s.get(t.Context(), "ann", valid); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * maxAnswers {
		_, _ = s.get(t.Context(), fmt.Sprint(i), refused)
	}
	if s.by["ann"] == nil || len(s.by) > maxAnswers {
		t.Errorf("of %d answers a valid one is lost", len(s.by))
	}
}

// While GitHub hangs, requests with a known token do not wait for its answer.
func TestAHangingGitHubHoldsUpNobodyWithALastAnswer(t *testing.T) {
	t.Parallel()
	s := newAnswers(time.Now, func(context.Context) (int64, error) { return 7, nil })
	s.patience = time.Millisecond
	good := found{p: Principal{ID: "ann"}, version: 7}
	if p, err := s.get(t.Context(), "token", func(context.Context) (found, error) { return good, nil }); p.ID != "ann" {
		t.Fatal(p, err)
	}
	ended := make(chan struct{})
	hang := func(context.Context) (found, error) {
		<-ended
		return found{good: time.Hour}, store.Errorf(store.Unauthorized, "revoked")
	}
	for range 3 {
		if p, err := s.get(t.Context(), "token", hang); p.ID != "ann" || err != nil {
			t.Errorf("%+v, %v", p, err)
		}
	}
	close(ended)
	<-s.by["token"].done
	if p, err := s.get(t.Context(), "token", hang); store.CodeOf(err) != store.Unauthorized {
		t.Errorf("%+v, %v", p, err)
	}
}

// The data may change during a lookup that began before. Its result is not used, as if nobody had waited too long.
func TestALookupThatHangsWhileTheDataChangesIsRepeated(t *testing.T) {
	t.Parallel()
	var version atomic.Int64
	s := newAnswers(time.Now, func(context.Context) (int64, error) { return version.Load(), nil })
	s.patience = time.Millisecond
	lookups := 0
	find := func(context.Context) (found, error) {
		before := version.Load()
		if lookups++; lookups == 2 {
			version.Add(1)
			time.Sleep(50 * time.Millisecond)
		}
		return found{p: Principal{ID: fmt.Sprint("ann at ", before)}, version: before}, nil
	}
	for _, want := range []string{"ann at 0", "ann at 1"} {
		if p, err := s.get(t.Context(), "token", find); p.ID != want || err != nil {
			t.Errorf("%+v, %v, want %s", p, err, want)
		}
	}
}
