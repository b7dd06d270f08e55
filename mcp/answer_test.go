package mcp_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestOtherFrontEndsGetTheSameAnswers(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for tool, arguments := range map[string]map[string]any{
		"status": {}, "events": {"severity": "error", "limit": "2"}, "output": {"ref": "build:3", "tail": "3"},
		"info":  {"ref": "build:3"},
		"query": {"sql": "SELECT count(*) FROM blq_load_events()"}, "history": {}, "triage": {"ref": "build:3"},
		"diff": {"run1": "1", "run2": "3"},
	} {
		text, err := s.Answer(t.Context(), tool, arguments)
		querytest.Check(t, err)
		encoded := []string{}
		for k, v := range arguments {
			encoded = append(encoded, `"`+k+`":"`+v.(string)+`"`)
		}
		want, isError := s.call(tool, "{"+strings.Join(encoded, ",")+"}")
		if diff := cmp.Diff(want, string(text)); isError || diff != "" {
			t.Errorf("%s: -mcp +answer:\n%s", tool, diff)
		}
	}
}

func TestOtherFrontEndsMayAskForMore(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.fixture.Add(t, querytest.Run{Source: "long", At: 40, Log: querytest.Lines("a line of a long log", 20_000)})
	for limit, atLeast := range map[string]int{"0": 1000, "10000000": 400_000} {
		text, err := s.Answer(t.Context(), "output", map[string]any{"ref": "long", "head": "20000", "max_bytes": limit})
		querytest.Check(t, err)
		if len(text) < atLeast || limit == "0" && len(text) > 16<<10 {
			t.Errorf("max_bytes=%s: %d bytes", limit, len(text))
		}
	}
}

func TestOtherFrontEndsGetErrorsWithCodes(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *mcp.Config) { c.Disabled = []string{"diff"} })
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		code      store.Code
		words     string
	}{
		{"drop", nil, store.NotFound, "there are triage"},
		{"diff", nil, store.Forbidden, "disabled"},
		{"run", nil, store.Forbidden, "disabled"},
		{"info", map[string]any{"ref": "build:99"}, store.NotFound, "build:99"},
		{"events", map[string]any{"limit": "many"}, store.Invalid, "limit"},
		{"events", map[string]any{"colour": "red"}, store.Invalid, "colour"},
		{"query", map[string]any{"sql": "DROP TABLE x"}, store.Invalid, ""},
	} {
		_, err := s.Answer(t.Context(), test.tool, test.arguments)
		if store.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s %v: %v", test.tool, test.arguments, err)
		}
	}
	if _, err := s.Answer(t.Context(), "info", map[string]any{"ref": "build:99"}); store.NextOf(err) == nil ||
		strings.Contains(cmdline.Of(store.NextOf(err)), "blq ") {
		t.Errorf("the hint is %q", cmdline.Of(store.NextOf(err)))
	}
}
