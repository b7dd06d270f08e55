// Package mcptest tests that an MCP server reveals nothing of a repository to callers who may not see it. The tests
// work with any store and any transport.
package mcptest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Call sends an MCP message with the given method and parameters, and returns the answer as text.
type Call func(method string, params any) string

// going matches the seconds since a running run began, and since it last printed. Each answer has other numbers.
var going = regexp.MustCompile(`((?:elapsed|idle)_seconds\\?": ?)\d+`)

// normalized returns a call that removes two differences between answers, because they reveal nothing of Theirs. These
// are the seconds that the variable going matches, and the error about a table that only SQLite has.
func (c Call) normalized() Call {
	return func(method string, params any) string {
		answer := going.ReplaceAllString(c(method, params), "${1}0")
		return strings.ReplaceAll(answer, "access to sqlite_sequence.name is prohibited", "no such table: sqlite_sequence")
	}
}

// Tenancy tests that a caller learns nothing about a repository that the caller may not see. The caller may see only
// the repository Mine. The other repository is Theirs. The caller must get the same answers, byte for byte, from a
// store with both repositories and from a store with only Mine.
//
// The parameter both is a call of this caller to the store with both repositories. The parameter alone is a call of
// this caller to the store with only Mine, which may have another engine. The parameter owner is a call of somebody
// who may also see Theirs, to the store with both repositories. Tenancy calls every tool, resource and prompt of the
// server, with all names that occur in Theirs.
func Tenancy(t *testing.T, both, alone, owner Call) {
	t.Helper()
	both, alone, owner = both.normalized(), alone.normalized(), owner.normalized()
	tried, told := 0, map[string]bool{}
	for _, r := range requests(t, both) {
		want, got := alone(r.method, r.params), both(r.method, r.params)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s: the answer tells of a foreign repository, or of the engine (-without it +with it):\n%.2000s",
				r.method, show(r.params), diff)
		}
		for _, secret := range secrets {
			if strings.Contains(got, secret) && !strings.Contains(show(r.params), secret) {
				t.Errorf("%s %s: the answer has %s:\n%.2000s", r.method, show(r.params), secret, got)
			}
		}
		if !told[r.what] && got != owner(r.method, r.params) {
			told[r.what] = true
		}
		tried++
	}
	for _, what := range offered(t, both) {
		if !told[what] {
			t.Errorf("%s: of %d requests none tells its owner of what is theirs: the test says nothing of it", what, tried)
		}
	}
	t.Logf("%d requests", tried)
}

// request is an MCP request. The field what names the tool, resource or prompt that the request uses. It is
// "completion" for a request to complete an argument.
type request struct {
	what, method string
	params       any
}

// requests returns all requests that could reveal something of Theirs.
func requests(t *testing.T, call Call) []request {
	t.Helper()
	var list []request
	var tools struct {
		Tools []struct {
			Name        string
			InputSchema struct {
				Properties map[string]any
			}
		}
	}
	listed(t, call, "tools/list", &tools)
	for _, tool := range tools.Tools {
		add := func(arguments map[string]any) {
			list = append(
				list, request{"tool " + tool.Name, "tools/call", map[string]any{"name": tool.Name, "arguments": arguments}})
		}
		add(map[string]any{})
		if _, ok := tool.InputSchema.Properties["run2"]; ok {
			for _, pair := range [][2]any{{6, 7}, {1, 7}, {7, 6}, {theirRepo + "@6", theirRepo + "@7"},
				{"build:1", theirRepo + "@build:4"}} {
				add(map[string]any{"run1": pair[0], "run2": pair[1]})
			}
		}
		if _, ok := tool.InputSchema.Properties["contract"]; ok {
			add(map[string]any{"domain": "hidden", "contract": "hidden", "repo": theirRepo})
			for _, v := range values("at") {
				add(map[string]any{"domain": "hidden", "contract": "hidden", "at": v})
			}
		}
		if _, ok := tool.InputSchema.Properties["summary"]; ok {
			for _, node := range nodes {
				add(map[string]any{"ref_id": node, "summary": "new"})
				add(map[string]any{"ref_id": node, "summary": "new", "repo": theirRepo})
			}
		}
		for name, schema := range tool.InputSchema.Properties {
			for _, v := range fitting(values(name), schema) {
				add(map[string]any{name: v})
				if _, ok := tool.InputSchema.Properties["repo"]; ok && name != "repo" {
					add(map[string]any{name: v, "repo": theirRepo})
				}
			}
		}
	}
	return slices.Concat(list, resourceRequests(t, call), promptRequests(t, call))
}

// fitting returns list, unless list has texts and the schema allows only numbers or only booleans. In this case, it
// returns other values of the right type, because the server refuses a wrong type before it reads data.
func fitting(list []any, schema any) []any {
	described, err := json.Marshal(schema)
	if err != nil {
		return list
	}
	allows := func(kind string) bool { return strings.Contains(string(described), `"`+kind+`"`) }
	switch {
	case allows("string"), allows("array"):
		return list
	case allows("integer"), allows("number"):
		if !slices.ContainsFunc(list, isText) {
			return list // the list has only numbers, such as seconds to wait
		}
		return values("limit")
	case allows("boolean"):
		return values("errors")
	}
	return list
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

func resourceRequests(t *testing.T, call Call) []request {
	t.Helper()
	var list []request
	var plain struct{ Resources []struct{ URI string } }
	var templates struct {
		ResourceTemplates []struct{ URITemplate string }
	}
	listed(t, call, "resources/list", &plain)
	listed(t, call, "resources/templates/list", &templates)
	for _, r := range plain.Resources {
		list = append(list, request{"resource " + r.URI, "resources/read", map[string]any{"uri": r.URI}})
	}
	for _, r := range templates.ResourceTemplates {
		before, hole, _ := strings.Cut(r.URITemplate, "{")
		hole = strings.TrimSuffix(hole, "}")
		names, isQuery := strings.CutPrefix(hole, "?")
		for name := range strings.SplitSeq(strings.TrimPrefix(names, "+"), ",") {
			for _, v := range values(name) {
				uri := before + fmt.Sprint(v)
				if isQuery {
					uri = fmt.Sprintf("%s?%s=%v", before, name, v)
				}
				list = append(list, request{"resource " + r.URITemplate, "resources/read", map[string]any{"uri": uri}})
			}
			list = append(list, completions(map[string]string{"type": "ref/resource", "uri": r.URITemplate}, name)...)
		}
	}
	return list
}

func promptRequests(t *testing.T, call Call) []request {
	t.Helper()
	var list []request
	var prompts struct {
		Prompts []struct {
			Name      string
			Arguments []struct{ Name string }
		}
	}
	listed(t, call, "prompts/list", &prompts)
	for _, p := range prompts.Prompts {
		list = append(list, request{"prompt " + p.Name, "prompts/get", map[string]any{"name": p.Name}})
		for _, a := range p.Arguments {
			for _, v := range values(a.Name) {
				arguments := map[string]string{a.Name: fmt.Sprint(v)}
				list = append(
					list, request{"prompt " + p.Name, "prompts/get", map[string]any{"name": p.Name, "arguments": arguments}})
			}
			list = append(list, completions(map[string]string{"type": "ref/prompt", "name": p.Name}, a.Name)...)
		}
	}
	return list
}

// completions returns the requests that a client sends while its user types an argument.
func completions(ref map[string]string, argument string) []request {
	var list []request
	for _, typed := range []string{"", "1", "7", "h", "hi", theirRepo, theirRepo + "@", theirSource, theirRef + ":",
		theirCommit[:4]} {
		list = append(list, request{"completion", "completion/complete", map[string]any{
			"ref": ref, "argument": map[string]string{"name": argument, "value": typed},
		}})
	}
	return list
}

// offered returns the sorted field what of all requests of Tenancy. It leaves out two resources that are the same for
// all callers.
func offered(t *testing.T, call Call) []string {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range requests(t, call) {
		if r.what != "resource blq://guide" && r.what != "resource blz://registry" {
			seen[r.what] = true
		}
	}
	var list []string
	for what := range seen {
		list = append(list, what)
	}
	slices.Sort(list)
	return list
}

// listed sends a request for a list, such as tools/list. It decodes the list into the parameter result.
func listed(t *testing.T, call Call, method string, result any) {
	t.Helper()
	answer := struct{ Result any }{result}
	if err := json.Unmarshal([]byte(call(method, map[string]any{})), &answer); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
