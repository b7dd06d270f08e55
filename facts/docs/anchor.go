package docs

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// anchorLength is the number of characters of an anchor.
const anchorLength = 22

// anchor returns a name for the section under a heading. The name stays the same when the section moves. Equal
// headings have equal anchors, so the caller adds a number to a repeated anchor.
func anchor(heading string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(heading))))
	return base64.StdEncoding.EncodeToString(sum[:])[:anchorLength]
}
