package export_test

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/blq-ci/blq/export"
	"github.com/blq-ci/blq/query/querytest"
)

var ids = regexp.MustCompile(`"(traceId|spanId|parentSpanId)":"([0-9a-f]+)"`)

// trace parses an OTLP document into OpenTelemetry's messages. protojson expects bytes in base64, but OTLP's JSON
// writes IDs in hexadecimal.
func trace(t *testing.T, text string) *tracepb.TracesData {
	t.Helper()
	text = ids.ReplaceAllStringFunc(text, func(s string) string {
		m := ids.FindStringSubmatch(s)
		b, err := hex.DecodeString(m[2])
		querytest.Check(t, err)
		return `"` + m[1] + `":"` + base64.StdEncoding.EncodeToString(b) + `"`
	})
	var data tracepb.TracesData
	if err := protojson.Unmarshal([]byte(text), &data); err != nil {
		t.Fatalf("%v in %.2000s", err, text)
	}
	return &data
}

func TestTracesAreOpenTelemetrys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	text, _ := document(t, f.Asker, export.Params{Form: export.OTLP, Ref: "test"})
	if strings.Count(text, "\n") != 1 {
		t.Error("a trace is one line")
	}
	data := trace(t, text)
	resource := map[string]string{}
	for _, a := range data.ResourceSpans[0].Resource.Attributes {
		resource[a.Key] = a.Value.GetStringValue()
	}
	for key, want := range map[string]string{"service.name": "acme/app", "vcs.repository.name": "app",
		"vcs.repository.url.full": "https://github.com/acme/app", "vcs.ref.head.revision": "abc1234",
		"vcs.ref.head.name": "main", "vcs.change.id": "12", "cicd.pipeline.name": "CI", "cicd.pipeline.run.id": "77"} {
		if resource[key] != want {
			t.Errorf("%s is %q, want %q", key, resource[key], want)
		}
	}
	spans := data.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 1+len(results()) || len(spans[0].Events) != len(events()) {
		t.Fatalf("%d spans, %d events", len(spans), len(spans[0].Events))
	}
	seen := map[string]bool{}
	for i, s := range spans {
		if len(s.TraceId) != 16 || len(s.SpanId) != 8 || seen[string(s.SpanId)] ||
			string(s.TraceId) != string(spans[0].TraceId) {
			t.Errorf("span %d has the IDs %x and %x", i, s.TraceId, s.SpanId)
		}
		seen[string(s.SpanId)] = true
		if i > 0 && string(s.ParentSpanId) != string(spans[0].SpanId) || s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("span %d: %v", i, s)
		}
	}
	if other, _ := document(t, f.Asker, export.Params{Form: export.OTLP, Ref: "test:1"}); strings.Contains(other,
		ids.FindStringSubmatch(text)[2]) {
		t.Error("runs of different workflow runs share a trace")
	}
}
