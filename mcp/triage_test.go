package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/querytest"
)

func TestTriageNamesOnlyToolsThatAreOffered(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for _, tt := range []struct {
		disabled string
		want     string
	}{
		{"", "inspect info diff"},
		{"info", "inspect diff"},
		{"inspect,info,diff", ""},
	} {
		s := serveOn(t, f, func(c *mcp.Config) {
			if tt.disabled != "" {
				c.Disabled = strings.Split(tt.disabled, ",")
			}
			c.SafeMode = true // without exec
		})
		text, isError := s.call("triage", `{"ref": "build:3"}`)
		if isError {
			t.Fatal(text)
		}
		var answer struct {
			NextSteps []struct{ Tool string } `json:"next_steps"`
		}
		querytest.Check(t, json.Unmarshal([]byte(text), &answer))
		var tools []string
		for _, step := range answer.NextSteps {
			tools = append(tools, step.Tool)
		}
		if got := strings.Join(tools, " "); got != tt.want {
			t.Errorf("without %q: next steps %q, want %q", tt.disabled, got, tt.want)
		}
	}
}

func TestStepsOfTriageAreCallsThatWork(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, arguments := range []string{`{}`, `{"ref": "build:3"}`, `{"ref": "build:2"}`, `{"ref": "deploy"}`,
		`{"ref": "build:3", "max_bytes": 1000}`} {
		text, isError := s.call("triage", arguments)
		if isError {
			t.Fatal(text)
		}
		var answer struct {
			NextSteps []struct {
				Tool      string
				Arguments json.RawMessage
			} `json:"next_steps"`
		}
		querytest.Check(t, json.Unmarshal([]byte(text), &answer))
		for _, step := range answer.NextSteps {
			if text, isError := s.call(step.Tool, string(step.Arguments)); isError && step.Tool != "exec" {
				t.Errorf("%s: %s%s: %s", arguments, step.Tool, step.Arguments, text)
			}
		}
	}
}
