package hook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/hook"
	"github.com/blq-ci/blq/store"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A delivery is signed in both headers, and has the headers for its event.
func TestADeliveryIsSigned(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- strings.Join([]string{r.Header.Get("X-Blq-Event"), r.Header.Get("X-Blq-Delivery"),
			r.Header.Get("X-Hub-Signature-256"), r.Header.Get("X-Blq-Signature-256"), string(body)}, " ")
	}))
	t.Cleanup(server.Close)
	s, err := hook.New(hook.Config{Address: server.URL, Secret: "hush", Private: true})
	check(t, err)
	check(t, s.Send(t.Context(), "contract", "7", []byte(`{"a":1}`)))
	mac := hmac.New(sha256.New, []byte("hush"))
	mac.Write([]byte(`{"a":1}`))
	signature := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	if text, want := <-got, "contract 7 "+signature+" "+signature+` {"a":1}`; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// The error of a delivery says whether another try may help. It never contains the address of the receiver.
func TestAnswersOfReceivers(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]struct {
		code  store.Code
		after time.Duration
	}{
		204: {}, 302: {code: store.Invalid}, 404: {code: store.Invalid}, 429: {store.Unavailable, 7 * time.Second},
		502: {store.Unavailable, 7 * time.Second},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}))
		s, err := hook.New(hook.Config{Address: server.URL, Private: true})
		check(t, err)
		err = s.Send(t.Context(), "failure", "1", nil)
		after, _ := store.RetryAfter(err)
		if store.CodeOf(err) != want.code || after != want.after ||
			err != nil && strings.Contains(err.Error(), strings.TrimPrefix(server.URL, "http://")) {
			t.Errorf("%d: %v after %s", status, err, after)
		}
		server.Close()
		if err := s.Send(t.Context(), "failure", "1", nil); store.CodeOf(err) != store.Unavailable ||
			strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("a receiver that is gone: %v", err)
		}
	}
}

// Only public addresses with https are allowed. The operator can also allow http, this machine and private networks.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address     string
		private, ok bool
	}{
		{"https://hooks.example.com/blq", false, true},
		{"http://hooks.example.com/blq", false, false},
		{"https://127.0.0.1/", false, false},
		{"https://[::1]/", false, false},
		{"https://10.1.2.3/", false, false},
		{"https://169.254.169.254/latest", true, false},
		{"http://10.1.2.3:8080/", true, true},
		{"ftp://hooks.example.com", true, false},
		{"https://user:word@hooks.example.com", false, false},
	} {
		if _, err := hook.New(hook.Config{Address: c.address, Private: c.private}); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.address, err)
		}
	}
	if s, err := hook.New(hook.Config{}); s != nil || err != nil {
		t.Errorf("without an address: %v, %v", s, err)
	}
}
