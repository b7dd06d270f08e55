package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// cutResultPlace reads ":44->helper:12 » IO broken pipe".
func cutResultPlace(text string) (line int, message string) {
	rest := text
	if i := strings.IndexByte(rest, ':'); i >= 0 && !strings.Contains(rest[:i], " ") {
		if n, length := parse.Number(rest[i+1:]); length > 0 {
			line, rest = n, rest[i+1+length:]
		}
	}
	for strings.HasPrefix(rest, "->") {
		i := strings.IndexByte(rest, ' ')
		if i < 0 {
			return line, ""
		}
		rest = rest[i:]
	}
	return line, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), "» "))
}
