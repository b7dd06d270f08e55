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
	text, ok := canonical(value)
	if !ok {
		var err error
		if text, err = jcs.Transform(value); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum(text)), nil
}

func sum(text []byte) []byte {
	s := sha256.Sum256(text)
	return s[:]
}
