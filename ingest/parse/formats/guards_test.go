package formats

import (
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
)

// Lines that look like a tool's and are not: it always prints what they lack.
func TestGuards(t *testing.T) {
	for _, tt := range []struct{ line, tool string }{
		{"src/a.js:3: something is wrong [error/rule]", "eslint"},
		{"src/a.js:3: something is wrong [error]", "eslint"},
	} {
		for _, e := range parse.Bytes([]byte(tt.line+"\n"), nil, all) {
			if e.Tool == tt.tool {
				t.Errorf("%q is taken for %s's: %+v", tt.line, tt.tool, e)
			}
		}
	}
}
