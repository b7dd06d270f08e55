package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestSummarizeReturnsFinishedMarkdown(t *testing.T) {
	t.Parallel()
	s := serveOn(t, regressed(t))
	for arguments, want := range map[string]string{
		`{}`:                               "### ❌ `build` failed: 5 errors, 4 new, 1 also in `build:2`\n",
		`{"run_id": 3, "format": "brief"}`: "**❌ `build` failed: 5 errors, 4 new, 1 also in `build:2`**\n",
		`{"ref": "build:3", "format": "detailed"}`:   "## ❌ `build` failed: 5 errors, 4 new, 1 also in `build:2`\n",
		`{"source": "build", "baseline": "build:1"}`: "### ❌ `build` failed: 5 errors, all new\n",
		`{"branch": "main", "commit": "bbbb"}`:       "### ❌ `build` failed: 1 error, new\n",
		`{"run_id": "1"}`:                            "✅ `build` passed in 1.0 s\n",
	} {
		text, isError := s.call("summarize", arguments)
		var answer struct{ Markdown string }
		if isError || json.Unmarshal([]byte(text), &answer) != nil || !strings.HasPrefix(answer.Markdown, want) {
			t.Errorf("%s: %s, want %s", arguments, text, want)
		}
	}
	for arguments, want := range map[string]string{
		`{"run_id": 99}`:         "no run 99",
		`{"source": "nosuch"}`:   `no run of \"nosuch\"`,
		`{"format": "html"}`:     "format must be one of brief, detailed, pr-comment",
		`{"baseline": "nosuch"}`: "nosuch",
		`{"branch": "mian"}`:     "did you mean main?",
		`{"commit": "dddd"}`:     "at the commit dddd",
		`{"pr": 7}`:              "of the pull request 7",
	} {
		if text, isError := s.call("summarize", arguments); !isError || !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", arguments, text, want)
		}
	}
}

func TestSummarizeKeepsToItsBytes(t *testing.T) {
	t.Parallel()
	f := emptyStore(t)
	var events []store.Event
	for i := range 300 {
		events = append(events, querytest.Event("error", fmt.Sprintf("src/%d.c", i), i+1, 1, fmt.Sprintf(
			"%s <\"quoted\"> %s", strings.Repeat(string(rune('a'+i%26)), i+1), strings.Repeat(`"\`, 200)), i+1, i+1))
	}
	f.Add(
		t, querytest.Run{Source: "build", Exit: 1, Log: strings.Repeat(strings.Repeat(`"\`, 200)+"\n", 300), Events: events})
	for _, limit := range []int{1000, 4000, 16_000, 48_000} {
		for _, format := range []string{"brief", "detailed", "pr-comment"} {
			text, isError := serveOn(t, f).call("summarize", fmt.Sprintf(`{"max_bytes": %d, "format": %q}`, limit, format))
			if isError || len(text) > limit || !strings.Contains(text, "300 errors") {
				t.Errorf("%s within %d: %d bytes\n%.500s", format, limit, len(text), text)
			}
		}
	}
}
