package realms

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/internal/wait"
	"github.com/blq-ci/blq/store"
)

// Hook posts notifications to an address of the operator, signed as GitHub signs its webhooks.
type Hook struct {
	address string
	secret  []byte
	client  *http.Client
	log     *slog.Logger
	queue   chan store.Told
	// Sleep waits between tries; it may be replaced before Run.
	Sleep func(ctx context.Context, d time.Duration) error
}

// These bound deliveries.
const (
	maxQueued   = 1000
	hookTime    = 10 * time.Second // of one try
	maxAnswered = 1 << 16          // bytes of an answer that are read
)

// pauses are those between the tries of a delivery.
var pauses = []time.Duration{time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}

// NewHook returns a hook. Addresses of this machine and of private networks, and http, need private. Malformed: the
// address is not allowed. Invalid: there is no secret.
func NewHook(address, secret string, private bool, log *slog.Logger) (*Hook, error) {
	policy := source.Policy{Schemes: []string{"https"}}
	if private {
		policy = source.Local()
	}
	u, err := policy.Check(address)
	if err != nil {
		return nil, err
	}
	if secret == "" {
		return nil, store.Hint(store.Errorf(store.Invalid, "a webhook of notifications needs a secret to sign with"),
			"set BLQ_CONTRACTS_SECRET")
	}
	client := policy.Client(hookTime)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Hook{address: u.String(), secret: []byte(secret), client: client, log: log,
		queue: make(chan store.Told, maxQueued), Sleep: wait.For}, nil
}

// take takes a notification for delivery. It does not wait.
func (h *Hook) take(ctx context.Context, t store.Told) {
	select {
	case h.queue <- t:
	default:
		h.log.WarnContext(ctx, "notification not posted: too many wait", "notification", t.ID)
	}
}

// Run posts notifications until the context ends.
func (h *Hook) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-h.queue:
			if err := h.deliver(ctx, t); err != nil && ctx.Err() == nil {
				h.log.WarnContext(ctx, "notification not posted", "notification", t.ID, "error", err)
			}
		}
	}
}

// deliver posts a notification, with several tries.
func (h *Hook) deliver(ctx context.Context, t store.Told) error {
	body, err := hookBody(t)
	if err != nil {
		return err
	}
	for try := 0; ; try++ {
		again, err := h.post(ctx, t.ID, body)
		if err == nil || !again || try == len(pauses) || ctx.Err() != nil {
			return err
		}
		if err := h.Sleep(ctx, pauses[try]); err != nil {
			return err
		}
	}
}

// hookBody returns the JSON of a notification.
func hookBody(t store.Told) ([]byte, error) {
	return json.Marshal(struct {
		ID string `json:"id"`
		store.Notification
		CreatedAt    string   `json:"created_at"`
		Repositories []string `json:"repositories"`
	}{t.ID, t.Notification, t.CreatedAt.UTC().Format(time.RFC3339), t.To})
}

// post tries to deliver once, and reports whether another try may help.
func (h *Hook) post(ctx context.Context, id string, body []byte) (again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.address, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	mac := hmac.New(sha256.New, h.secret)
	mac.Write(body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "blqd")
	r.Header.Set("X-Blq-Event", "contract")
	r.Header.Set("X-Blq-Delivery", id)
	r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	answer, err := h.client.Do(r)
	if err != nil {
		return true, err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswered)); err != nil {
		return true, err
	}
	if answer.StatusCode/100 == 2 {
		return false, nil
	}
	return answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests,
		fmt.Errorf("the address answers %s", answer.Status)
}
