package realms_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/realms"
)

// A notification is posted once, signed, and again after a failure that may pass.
func TestNotificationsArePosted(t *testing.T) {
	t.Parallel()
	type delivery struct {
		body   []byte
		header http.Header
	}
	got := make(chan delivery, 10)
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if tries++; tries == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		got <- delivery{body, r.Header}
	}))
	t.Cleanup(server.Close)
	hook, err := realms.NewHook(server.URL, "hush", true, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	var slept []time.Duration
	hook.Sleep = func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { hook.Run(ctx); close(ended) }()
	f, _, a := published(t, "2.0.0")
	a.Hook = hook
	f.ok(a.Repo(t.Context(), "acme/azure"))
	one := <-got
	f.ok(a.Repo(t.Context(), "acme/azure")) // nothing is new
	cancel()
	<-ended
	mac := hmac.New(sha256.New, []byte("hush"))
	mac.Write(one.body)
	if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); one.header.Get("X-Hub-Signature-256") != want {
		t.Errorf("signature %s, want %s", one.header.Get("X-Hub-Signature-256"), want)
	}
	var said struct {
		ID, Contract, Change string
		New                  string   `json:"new_version"`
		To                   []string `json:"repositories"`
	}
	err = json.Unmarshal(one.body, &said)
	if err != nil || said.ID == "" || said.ID != one.header.Get("X-Blq-Delivery") || said.Contract != "permissions" ||
		said.New != "2.0.0" || len(said.To) != 2 {
		t.Errorf("%s, %v", one.body, err)
	}
	if len(slept) != 1 || slept[0] != time.Second || len(got) > 0 {
		t.Errorf("slept %v, %d more", slept, len(got))
	}
}

// A webhook reaches no private address unless the operator says so, and has a secret.
func TestAddressesOfWebhooks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address, secret string
		private, ok     bool
	}{
		{"https://hooks.example.com/blq", "s", false, true},
		{"https://hooks.example.com/blq", "", false, false},
		{"http://hooks.example.com/blq", "s", false, false},
		{"https://127.0.0.1/", "s", false, false},
		{"https://[::1]/", "s", false, false},
		{"https://10.1.2.3/", "s", false, false},
		{"https://169.254.169.254/latest", "s", true, false},
		{"http://10.1.2.3:8080/", "s", true, true},
		{"ftp://hooks.example.com", "s", true, false},
		{"https://user:word@hooks.example.com", "s", false, false},
	} {
		_, err := realms.NewHook(c.address, c.secret, c.private, slog.New(slog.DiscardHandler))
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.address, err)
		}
	}
}
