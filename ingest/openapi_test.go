package ingest_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

func document(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(ingest.OpenAPI(questions.All()))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestEveryRouteIsDescribedAndDecidedAbout(t *testing.T) {
	t.Parallel()
	var served, described []string
	for _, route := range ingest.Routes() {
		served = append(served, route)
		if err := auth.Allow(auth.Operator(), auth.Action(route)); err != nil {
			t.Errorf("a service without authentication serves everybody: %v", err)
		}
	}
	for path, item := range document(t).Paths.Map() {
		for method := range item.Operations() {
			described = append(described, method+" "+path)
		}
	}
	slices.Sort(served)
	slices.Sort(described)
	if diff := cmp.Diff(served, described); diff != "" {
		t.Errorf("-served +described:\n%s", diff)
	}
}

// somewhere is a runner.Commands that runs nothing.
type somewhere struct{ runner.Commands }

func TestEveryQuestionIsDescribed(t *testing.T) {
	t.Parallel()
	tools, err := mcp.New(mcp.Config{Hosted: true, Commands: somewhere{},
		Also: []string{"docs", "graph", questions.Realm}})
	if err != nil {
		t.Fatal(err)
	}
	described := func(o *openapi3.Operation) []string {
		var names []string
		for _, name := range o.Parameters[0].Value.Schema.Value.Enum {
			names = append(names, name.(string))
		}
		return names
	}
	paths := document(t).Paths
	if diff := cmp.Diff(tools.Questions(), described(paths.Value("/v1/{tool}").Get)); diff != "" {
		t.Errorf("-served +described:\n%s", diff)
	}
	for _, name := range described(paths.Value("/v1/ask/{question}").Post) {
		if row, found := questions.All().Find(name); !found || !row.IsQuestion() {
			t.Errorf("%s is described, and is no question", name)
		}
	}
}

func TestEveryKeyOfAMessageIsDescribed(t *testing.T) {
	t.Parallel()
	schemas := document(t).Components.Schemas
	ours := []string{"fingerprint", "pattern"} // fields of events that the server computes
	for name, v := range map[string]any{
		"Start": api.Start{}, "UploadToken": api.UploadToken{}, "CI": store.CI{}, "Started": api.Started{},
		"Event": api.Event{}, "Finish": api.Finish{}, "Finished": api.Finished{}, "Error": api.Error{},
		"Facts": api.Facts{}, "FactsState": api.FactsState{},
	} {
		var keys, described []string
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key != "" && key != "-" && !slices.Contains(ours, key) {
				keys = append(keys, key)
			}
		}
		for key := range schemas[name].Value.Properties {
			described = append(described, key)
		}
		slices.Sort(keys)
		slices.Sort(described)
		if diff := cmp.Diff(keys, described); diff != "" {
			t.Errorf("%s: -message +described:\n%s", name, diff)
		}
	}
}

func TestTheLimitsAreDescribed(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(document(t))
	if err != nil {
		t.Fatal(err)
	}
	for what, limit := range map[string]int{"2097152": api.MaxChunkText, "at most 2 MiB": api.MaxChunkBody,
		"at most 10,000 and 8 MiB": api.MaxBatchBody, "32 MiB unpacked": api.MaxBatchText, "at most 32 MiB": api.MaxObject} {
		mib := map[int]string{2 << 20: "2", 8 << 20: "8", 32 << 20: "32"}[limit]
		if !strings.Contains(string(text), what) || mib == "" {
			t.Errorf("the document does not say %q of %d", what, limit)
		}
	}
}
