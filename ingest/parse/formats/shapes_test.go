package formats

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/parse"
)

// shape is a text of a tool, with the expected events.
type shape struct {
	name, input string
	want        []string // severity tool file:line:column [code] <test> message
}

func testShapes(t *testing.T, shapes []shape) {
	t.Helper()
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			var got []string
			for _, e := range parse.Bytes([]byte(s.input), nil, all) {
				got = append(got, fmt.Sprintf("%s %s %s:%d:%d [%s] <%s> %s", e.Severity, e.Tool, e.File, e.Line, e.Column,
					e.Code, e.Test, e.Message))
			}
			if diff := cmp.Diff(s.want, got); diff != "" {
				t.Errorf("events differ (-want +got):\n%s", diff)
			}
		})
	}
}
