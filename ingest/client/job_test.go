package client_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/store"
)

func TestAJobProvesWhoItIs(t *testing.T) {
	t.Parallel()
	asked := 0
	runner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer runner-secret" || r.URL.Query().Get("api-version") != "2" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if asked++; asked == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		fmt.Fprintf(w, `{"value":"proof %d for %s"}`, asked, r.URL.Query().Get("audience"))
	}))
	defer runner.Close()
	far := newService(t)
	expires := time.Now().Add(time.Hour)
	exchanged := 0
	far.fail = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/token" {
			return false
		}
		proof := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if exchanged++; exchanged == 1 {
			w.WriteHeader(http.StatusServiceUnavailable) // the OIDC token is used up, too
			return true
		}
		json.NewEncoder(w).Encode(map[string]any{"token": "ours for " + proof, "expires_at": expires})
		return true
	}
	w := &waits{}
	config := client.Config{URL: far.URL, Sleep: w.sleep}
	token, err := client.JobToken(config, client.Job{URL: runner.URL + "/token?api-version=2", Token: "runner-secret"})
	check(t, err)
	config.Token = token
	c, err := client.New(config)
	check(t, err)
	s := finished(t, 3, 10)
	got, err := s.pusher(c).Push(t.Context(), attempt)
	if err != nil || !got.Complete || asked != 3 || exchanged != 2 {
		t.Fatalf("%+v, %v after %d proofs and %d exchanges", got, err, asked, exchanged)
	}
	if want := "Bearer ours for proof 3 for " + far.URL; !far.tokens[want] {
		t.Errorf("tokens %v, want %s", far.tokens, want)
	}
	expires = time.Now().Add(30 * time.Second)
	token, err = client.JobToken(
		config, client.Job{URL: runner.URL + "?api-version=2", Token: "runner-secret", Audience: "me"})
	check(t, err)
	for i := range 2 {
		if got, err := token(t.Context()); err != nil || got != fmt.Sprintf("ours for proof %d for me", 4+i) {
			t.Errorf("of one about to expire: %s, %v", got, err)
		}
	}
	token, err = client.JobToken(config, client.Job{URL: runner.URL, Token: "wrong-secret"})
	check(t, err)
	if _, err := token(t.Context()); store.CodeOf(err) != store.Unauthorized || strings.Contains(err.Error(), "secret") {
		t.Errorf("refused by the runner: %v", err)
	}
}
