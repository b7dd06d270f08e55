package ingest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// WebhookSecret is a secret with which GitHub signs deliveries. An owner may have several secrets, because a new
// secret must work before the old secret is removed.
type WebhookSecret struct {
	Owner  string // owner whose repositories the secret signs for, "" for all owners
	Secret []byte
}

// signers are the owners whose secrets signed a delivery.
type signers []string

// signedBy returns the owners whose secrets signed a body.
func (s *Service) signedBy(body []byte, signature string) signers {
	given, err := hex.DecodeString(strings.TrimPrefix(signature, "sha256="))
	if err != nil || len(given) != sha256.Size {
		return nil
	}
	var list signers
	for _, w := range s.WebhookSecrets {
		mac := hmac.New(sha256.New, w.Secret)
		mac.Write(body)
		if hmac.Equal(given, mac.Sum(nil)) {
			list = append(list, w.Owner)
		}
	}
	return list
}

// speakFor reports whether a delivery with these signers may be about a repository. A delivery without a repository may
// have any signer.
func (list signers) speakFor(repo string) bool {
	owner, _, _ := strings.Cut(repo, "/")
	for _, o := range list {
		if o == "" || repo == "" || strings.EqualFold(o, owner) {
			return true
		}
	}
	return false
}
