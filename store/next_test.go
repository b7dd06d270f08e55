package store_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestCallsAsText(t *testing.T) {
	for _, tt := range []struct {
		call store.Call
		want string
	}{
		{store.NewCall("status", "why"), "status()"},
		{store.NewCall("info", "", "ref", store.Ref{Source: "build", Serial: 5}, "context", 3),
			`info(ref="build:5", context=3)`},
		{store.NewCall("events", "", "ref", "5"), `events(ref="5")`},
		{store.NewCall("run", "", "args", map[string]string{"b": "2", "a": `"`}, "extra", []string{"x", "\n"}),
			`run(args={"a": "\"", "b": "2"}, extra=["x", "\n"])`},
		{store.NewCall("clean", "", "confirm", true), "clean(confirm=true)"},
	} {
		if got := tt.call.String(); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

func TestCallsAsJSON(t *testing.T) {
	c := store.NewCall("run", "<why>", "command", "t", "args", map[string]string{"a": "b"}, "extra", []string{"c"},
		"limit", 3, "keep", true)
	text, err := json.Marshal(c)
	want := `{"tool":"run","arguments":{"args":{"a":"b"},"command":"t","extra":["c"],"keep":true,"limit":3},"why":"\u003cwhy\u003e"}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
	var back store.Call
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	sorted := store.NewCall("run", "<why>", "args", map[string]string{"a": "b"}, "command", "t", "extra", []string{"c"},
		"keep", true, "limit", 3)
	if diff := cmp.Diff(sorted, back); diff != "" {
		t.Error(diff)
	}
	// Values that blq's own calls never have are read too. A null becomes empty text, and a list of objects stays JSON.
	if err := json.Unmarshal([]byte(`{"tool":"t","arguments":{"a":1.5,"b":null,"c":[1],"d":[{}]}}`), &back); err != nil ||
		back.String() != `t(a=1.5, b="", c=[1], d="[{}]")` {
		t.Errorf("%s, %v", back, err)
	}
	if json.Unmarshal([]byte(`{"arguments":[]}`), &back) == nil {
		t.Error("arguments that are no object are taken")
	}
}

func TestMapReachesAllTextOfACall(t *testing.T) {
	double := func(s string) string { return s + s }
	got := store.NewCall("t", "w", "a", "b", "l", []string{"c"}, "m", map[string]string{"k": "v"}, "n", 1).Map(double)
	want := store.NewCall("tt", "ww", "aa", "bb", "ll", []string{"cc"}, "mm", map[string]string{"kk": "vv"}, "nn", 1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
