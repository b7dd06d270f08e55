package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"hash/crc32"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// TokenPattern is the shape of our tokens' secrets, for scanners: blq_, the
// kind (s for one that somebody made, j for a CI job's), 32 random letters and
// digits, and 6 of a checksum.
var TokenPattern = regexp.MustCompile(`\bblq_[sj]_[0-9A-Za-z]{38}\b`)

const (
	prefixPeople = "blq_s_"
	prefixJob    = "blq_j_"
	digits       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomDigits = 32 // 190 bits
)

// NewToken returns the secret of a new token, to be shown once, and the token
// to be stored, which has what t has, an ID and the secret's hash. The time of
// its making is the caller's to set. Invalid: see store.Token.Check, or it may
// do something but nowhere.
func NewToken(t store.Token) (secret string, stored store.Token, err error) {
	prefix := prefixPeople
	if t.Job != "" {
		prefix = prefixJob
	}
	t.ID = strings.ToLower(base32.StdEncoding.EncodeToString(random(5)))
	secret = newSecret(prefix)
	t.Hash = hash(secret)
	if len(t.Repos) == 0 && len(t.Owners) == 0 && !slices.Equal(t.Scopes, []store.TokenScope{store.ScopeAdmin}) {
		err := store.Errorf(store.Invalid, "the token is good for no repository")
		return "", store.Token{}, store.Hint(err, "name repositories, owners, or %s for all", store.EveryOwner)
	}
	for _, o := range t.Owners {
		if o == "" || strings.ContainsAny(o, "/@: \t") {
			return "", store.Token{}, store.Errorf(store.Invalid, "%q is no name of an owner", o)
		}
	}
	if err := t.Check(); err != nil {
		return "", store.Token{}, err
	}
	return secret, t, nil
}

func newSecret(prefix string) string {
	var b strings.Builder
	b.WriteString(prefix)
	most := big.NewInt(int64(len(digits)))
	for range randomDigits {
		n, err := rand.Int(rand.Reader, most)
		if err != nil {
			panic(fmt.Sprintf("no random numbers: %v", err)) // crypto/rand never returns one
		}
		b.WriteByte(digits[n.Int64()])
	}
	return b.String() + checksum(b.String())
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

// checksum tells a secret from what only looks like one, without asking anybody.
func checksum(s string) string {
	n := crc32.ChecksumIEEE([]byte(s))
	var out [6]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = digits[n%62]
		n /= 62
	}
	return string(out[:])
}

// isOurs says whether a bearer token has the shape and checksum of ours.
func isOurs(s string) bool {
	if TokenPattern.FindString(s) != s || s == "" {
		return false
	}
	cut := len(s) - 6
	return checksum(s[:cut]) == s[cut:]
}

func hash(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
