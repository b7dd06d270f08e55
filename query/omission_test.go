package query_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

func TestOmissionsAreTextInJSONAndTravelWhole(t *testing.T) {
	t.Parallel()
	sent := query.Triage{Truncated: []query.Omission{
		{What: "2 errors of new", Next: store.NewCall("events", "", "limit", 2, "ref", "build:1")},
		{What: "3 other runs not OK"},
	}}
	plain, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	travelling, err := json.Marshal(sent.Wire())
	if err != nil {
		t.Fatal(err)
	}
	var shown struct{ Truncated []string }
	lines := []string{`2 errors of new: events(limit=2, ref="build:1")`, "3 other runs not OK"}
	if err := json.Unmarshal(plain, &shown); err != nil || !cmp.Equal(shown.Truncated, lines) {
		t.Errorf("%s, %v", plain, err)
	}
	var got query.Triage
	read := func(text []byte) func(any) error { return func(v any) error { return json.Unmarshal(text, v) } }
	if err := got.ReadWire(read(travelling)); err != nil || !cmp.Equal(got.Truncated, sent.Truncated) {
		t.Errorf("%v, %+v", err, got.Truncated)
	}
	// The answer of a server that sends only text must not fail.
	if err := got.ReadWire(read(plain)); err != nil || len(got.Truncated) != 2 || got.Truncated[0].What != lines[0] ||
		got.Truncated[0].Next.Tool != "" {
		t.Errorf("%v, %+v", err, got.Truncated)
	}
}
