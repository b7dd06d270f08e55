// Package hook posts signed JSON to addresses that the operator has configured. The signature has the form of GitHub's
// webhooks. The package does not retry, but its callers may (see store.RetryAfter). The package may import facts/source
// and store.
package hook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/store"
)

// Config configures a Sender.
type Config struct {
	Address string
	Secret  string // key for the signature, "" for none
	Private bool   // the address may be http, on this machine or in a private network
}

// Sender posts to an address.
type Sender struct {
	address string
	secret  []byte
	client  *http.Client
}

// These are the limits of a delivery.
const (
	patience    = 10 * time.Second
	maxAnswered = 1 << 16 // max bytes of a response that are read
	maxPause    = time.Hour
)

// These are the headers of a delivery. Two headers have the same signature, because older versions used one header for
// deliveries about contracts and another header for deliveries about failures.
const (
	headerEvent     = "X-Blq-Event"
	headerID        = "X-Blq-Delivery"
	headerSignature = "X-Hub-Signature-256"
	headerSigned    = "X-Blq-Signature-256"
)

// New returns a sender, or nil without an address. The error is Malformed if the address is not allowed.
func New(c Config) (*Sender, error) {
	if c.Address == "" {
		return nil, nil
	}
	policy := source.Policy{Schemes: []string{"https"}}
	if c.Private {
		policy = source.Local()
	}
	u, err := policy.Check(c.Address)
	if err != nil {
		return nil, err
	}
	client := policy.Client(patience)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Sender{address: u.String(), secret: []byte(c.Secret), client: client}, nil
}

// Send posts a body once. If a caller posts the body again, it must use the same ID. Errors never contain the address,
// because the address may be secret. The error is Unavailable if another try may succeed, after the time in
// store.RetryAfter. It is Invalid if the receiver rejects the body.
func (s *Sender) Send(ctx context.Context, event, id string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, bytes.NewReader(body))
	if err != nil {
		return store.Errorf(store.Invalid, "the address for notifications is none")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "blqd")
	r.Header.Set(headerEvent, event)
	r.Header.Set(headerID, id)
	if len(s.secret) > 0 {
		signature := s.sign(body)
		r.Header.Set(headerSignature, signature)
		r.Header.Set(headerSigned, signature)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return store.Later(store.Errorf(store.Unavailable, "the receiver of notifications cannot be reached"), time.Second)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswered)) // only the status matters
	switch status := answer.StatusCode; {
	case status/100 == 2:
		return nil
	case status == http.StatusTooManyRequests || status >= 500:
		return store.Later(store.Errorf(store.Unavailable, "the receiver of notifications answers %d", status),
			pause(answer.Header))
	default:
		return store.Errorf(store.Invalid, "the receiver of notifications answers %d", status)
	}
}

func (s *Sender) sign(body []byte) string {
	mac := hmac.New(sha256.New, s.secret)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// pause returns the time that a receiver asks to wait, at most maxPause. It returns a second if the receiver asks for
// no time.
func pause(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 {
		return time.Second
	}
	return min(time.Duration(n)*time.Second, maxPause)
}
