package auth

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/blq-ci/blq/store"
)

const (
	keysFreshFor   = time.Hour        // older keys are fetched again, because a key may be revoked
	keysGoodFor    = 24 * time.Hour   // max age of keys while fetching fails
	refetchAfter   = time.Minute      // min time between fetches for an unknown key
	retryAfterFail = 10 * time.Second // min time between fetches after a failure
	fetchTimeout   = 10 * time.Second
	maxDocument    = 1 << 20 // max bytes of a response
)

// A key is used only if its size in bits is in these limits. A shorter key is not secure. A longer key needs much CPU
// time.
const (
	minKeyBits = 2048
	maxKeyBits = 8192
)

// keySet holds the public keys of an issuer. It fetches keys when needed. Requests for unknown keys cause only few
// fetches.
type keySet struct {
	issuer Issuer
	http   *http.Client
	now    func() time.Time
	log    *slog.Logger

	fetching chan struct{} // has an element while keys are fetched
	lock     sync.Mutex    // never held while waiting for the network
	keys     map[string]*rsa.PublicKey
	fetched  time.Time // time of the last successful fetch
	tried    time.Time // time of the last fetch
	failed   error     // error of the last fetch
}

// key returns the key with an ID. Errors: unauthorized when the issuer has no such key, unavailable when the keys
// cannot be fetched. While one request fetches keys, other requests use the key from the last download if it is still
// valid, because an issuer may be slow.
func (s *keySet) key(ctx context.Context, id string) (*rsa.PublicKey, error) {
	key, fetch, err := s.have(id)
	if !fetch {
		return key, err
	}
	select {
	case s.fetching <- struct{}{}:
	default:
		if key != nil {
			return key, nil
		}
		select {
		case s.fetching <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer func() { <-s.fetching }()
	if key, fetch, err = s.have(id); !fetch { // another request has fetched the keys in the meantime
		return key, err
	}
	s.fetch(ctx)
	key, _, err = s.have(id)
	return key, err
}

// have returns the key with the given ID, as of the last download. It returns nil if there is no usable key. fetch
// reports whether the keys must be fetched again. If there is no usable key and no fetch is due, have returns an error.
func (s *keySet) have(id string) (key *rsa.PublicKey, fetch bool, err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	now := s.now()
	if now.Sub(s.fetched) < keysGoodFor {
		key = s.keys[id]
	}
	wait := refetchAfter
	if s.failed != nil {
		wait = retryAfterFail
	}
	stale := now.Sub(s.fetched) >= keysFreshFor
	if (key == nil || stale) && (s.tried.IsZero() || now.Sub(s.tried) >= wait) {
		return key, true, nil
	}
	switch {
	case key != nil:
		return key, false, nil
	case s.failed != nil:
		err := store.Errorf(store.Unavailable, "keys of %s: %w", s.issuer.URL, s.failed)
		return nil, false, store.Later(err, retryAfterFail)
	}
	return nil, false, badOIDC("its key is not one of the issuer's")
}

func (s *keySet) fetch(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
	defer cancel()
	keys, err := s.download(ctx)
	s.lock.Lock()
	defer s.lock.Unlock()
	s.tried, s.failed = s.now(), err
	if err != nil {
		s.log.WarnContext(ctx, "cannot fetch keys", "issuer", s.issuer.URL, "error", err)
		return
	}
	s.keys, s.fetched = keys, s.tried
}

// download fetches the issuer's metadata, and then the keys from the address in the metadata. It returns the keys for
// RS256 by their IDs.
func (s *keySet) download(ctx context.Context) (map[string]*rsa.PublicKey, error) {
	var discovery struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if err := s.get(ctx, strings.TrimRight(s.issuer.URL, "/")+"/.well-known/openid-configuration",
		&discovery); err != nil {
		return nil, err
	}
	if discovery.Issuer != s.issuer.URL {
		return nil, fmt.Errorf("the issuer calls itself %q", discovery.Issuer)
	}
	var set jose.JSONWebKeySet
	if err := s.get(ctx, discovery.Keys, &set); err != nil {
		return nil, err
	}
	keys := map[string]*rsa.PublicKey{}
	for _, k := range set.Keys {
		key, ok := k.Key.(*rsa.PublicKey)
		if !ok || key.N.BitLen() < minKeyBits || key.N.BitLen() > maxKeyBits {
			continue
		}
		if k.KeyID != "" && (k.Use == "" || k.Use == "sig") &&
			(k.Algorithm == "" || k.Algorithm == string(jose.RS256)) {
			keys[k.KeyID] = key
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s has no key for RS256", discovery.Keys)
	}
	return keys, nil
}

func (s *keySet) get(ctx context.Context, from string, v any) error {
	if u, err := url.Parse(from); err != nil || u.Host == "" || !secure(u) {
		return fmt.Errorf("%q is not an https URL", from)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", from, resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxDocument)).Decode(v); err != nil {
		return fmt.Errorf("read %s: %w", from, err)
	}
	return nil
}
