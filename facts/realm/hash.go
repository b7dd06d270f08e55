package realm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/gowebpki/jcs"
)

// hash returns the SHA-256 of a JSON value in canonical form (RFC 8785), hexadecimal. The order of keys, spaces and
// the form of numbers do not change the hash.
func hash(value json.RawMessage) (string, error) {
	canonical, err := jcs.Transform(value)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum(canonical)), nil
}

func sum(text []byte) []byte {
	s := sha256.Sum256(text)
	return s[:]
}
