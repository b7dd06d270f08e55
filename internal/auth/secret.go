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

// tokenPattern matches the secrets of blqd's tokens, for secret scanners. A secret begins with blq_ and the kind: s
// for an operator's token, j for a CI job's token. Then come 32 random letters and digits, and a checksum of 6
// characters.
var tokenPattern = regexp.MustCompile(`\bblq_[sj]_[0-9A-Za-z]{38}\b`)

const (
	prefixPeople = "blq_s_"
	prefixJob    = "blq_j_"
	digits       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomDigits = 32 // 190 bits
)

// NewToken returns a new token: its secret, and the token to store. The token to store is the given token with an ID
// and the hash of the secret. The secret itself is not stored. The caller sets the creation time of the token. Errors:
// invalid for a token that store.Token.Check refuses, or with an invalid owner. A token without repositories and owners
// is also invalid, unless its only scope is admin.
func NewToken(t store.Token) (secret string, stored store.Token, err error) {
	prefix := prefixPeople
	if t.Job != "" {
		prefix = prefixJob
	}
	t.ID = strings.ToLower(base32.StdEncoding.EncodeToString(random(5)))
	secret = newSecret(prefix)
	t.Hash = hash(secret)
	if len(t.Repos) == 0 && len(t.Owners) == 0 && !slices.Equal(t.Scopes, []store.TokenScope{store.ScopeAdmin}) {
		err := store.Errorf(store.Invalid, "the token has scopes but no repositories")
		return "", store.Token{}, store.Hint(err, "name repositories, owners, or %s for all", store.EveryOwner)
	}
	for _, o := range t.Owners {
		if o == "" || strings.ContainsAny(o, "/@: \t") {
			return "", store.Token{}, store.Errorf(store.Invalid, "%q is not the name of an owner", o)
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
	limit := big.NewInt(int64(len(digits)))
	for range randomDigits {
		n, err := rand.Int(rand.Reader, limit)
		if err != nil {
			panic(fmt.Sprintf("no random numbers: %v", err)) // crypto/rand never returns an error
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

// checksum returns the check digits of a secret. The digits show without a lookup that a string is mistyped, or is no
// secret at all.
func checksum(s string) string {
	n := crc32.ChecksumIEEE([]byte(s))
	var out [6]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = digits[n%62]
		n /= 62
	}
	return string(out[:])
}

// isOurs reports whether a bearer token has the form and checksum of a token of blqd.
func isOurs(s string) bool {
	if tokenPattern.FindString(s) != s || s == "" {
		return false
	}
	cut := len(s) - 6
	return checksum(s[:cut]) == s[cut:]
}

func hash(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
