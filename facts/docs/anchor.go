package docs

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// anchorLength is the number of characters of an anchor.
const anchorLength = 22

// anchor returns a name for a heading that does not change when the section moves. Equal headings of a document have
// the same anchor, so callers number them.
func anchor(heading string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(heading))))
	return base64.StdEncoding.EncodeToString(sum[:])[:anchorLength]
}
