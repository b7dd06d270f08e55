package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query/querytest"
)

func TestCompletions(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, tt := range []struct {
		ref, argument, typed string
		want                 []string
	}{
		{"blq://event/{+ref}",
			"ref", "", []string{"lint:5:1", "build:3:1", "build:3:2", "build:3:3", "build:3:4", "build:1:1"}},
		{"blq://event/{+ref}", "ref", "build:3:", []string{"build:3:1", "build:3:2", "build:3:3", "build:3:4"}},
		{"blq://context/{+ref}", "ref", "1", []string{"1:1"}},
		{"blq://errors/{+run_id}", "run_id", "b", []string{"build:3", "build:2", "build:1"}},
		{"blq://errors/{+run_id}", "run_id", "3", []string{"3"}},
		{"blq://runs{?source,limit,status,before}", "source", "", []string{"deploy", "lint", "test", "build"}},
		{"blq://runs{?source,limit,status,before}", "source", "B", []string{"build"}},
		{"blq://runs{?source,limit,status,before}", "branch", "m", []string{"main"}},
		{"blq://runs{?source,limit,status,before}", "status", "r", []string{"running"}},
		{"blq://runs{?source,limit,status,before}", "limit", "", []string{}},
		{"blq://runs{?source,limit,status,before}", "source", "zz", []string{}},
	} {
		result, problem := s.request("completion/complete", map[string]any{
			"ref":      map[string]string{"type": "ref/resource", "uri": tt.ref},
			"argument": map[string]string{"name": tt.argument, "value": tt.typed},
		})
		if problem != "" {
			t.Fatal(problem)
		}
		var r struct{ Completion struct{ Values []string } }
		querytest.Check(t, json.Unmarshal(result, &r))
		if diff := cmp.Diff(tt.want, r.Completion.Values); diff != "" {
			t.Errorf("%s %s=%q (-want +got):\n%s", tt.ref, tt.argument, tt.typed, diff)
		}
	}
}
