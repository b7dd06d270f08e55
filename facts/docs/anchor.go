package docs

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// anchorLength is the number of characters of an anchor.
const anchorLength = 22

// anchor returns a name of a heading that stays when the section moves. Equal headings would have equal anchors, so
// equal ones in a document are numbered.
func anchor(heading string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(heading))))
	return base64.StdEncoding.EncodeToString(sum[:])[:anchorLength]
}
