package formats

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// A line may end anywhere, even within the literal that a format looks for.
func TestLinesMayEndAtALiteral(t *testing.T) {
	t.Parallel()
	failed := 1
	for _, f := range inOrder {
		for _, literal := range append(append([]string{}, f.Triggers...), f.Starts...) {
			part := strings.TrimSpace(literal)
			for _, line := range []string{literal, literal + part, literal + part[:len(part)/2], "a" + literal,
				literal + "\n" + literal} {
				p := parse.New(parse.Options{Formats: All(), Strict: true}, func(store.Event) {})
				p.Write([]byte(line + "\n  " + part + "\n"))
				p.Finish(&failed)
			}
		}
	}
}
