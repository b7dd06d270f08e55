package ingesttest

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/fair"
)

// withMemory starts a service with little memory for bodies and texts.
func (f *fixture) withMemory(bytes int64) *fair.Share {
	f.Helper()
	memory := fair.NewShare(bytes)
	f.serve(func(c *ingest.Config) { c.Memory = memory })
	return memory
}

// free waits until all requests have released their memory.
func (f *fixture) free(memory *fair.Share) {
	for memory.Used() > 0 {
		runtime.Gosched()
	}
}

var memoryTests = map[string]func(f *fixture){
	"a body with very many values is not decoded": func(f *fixture) {
		many := strings.Repeat("0,", api.MaxJSON/2-100)
		f.is(f.do(request{method: "POST", path: "/v1/facts", body: []byte(`{"ancestors":[` + many + `0]}`)}), 413,
			"values and keys")
		steps := strings.Repeat("{},", 200_000)
		body := `{"action":"completed","workflow_job":{"steps":[` + steps + `{}]},"repository":{"full_name":"o/a"}}`
		f.is(f.hook("workflow_job", body), 413, "values and keys")
		f.equal(f.seen.limits, []string{"body too_large", "body too_large"})
	},
	"decoding a body takes memory": func(f *fixture) {
		memory := f.withMemory(4 << 20)
		body := []byte(`{"ancestors":[` + strings.Repeat("0,", 20_000) + `0]}`)
		f.is(f.do(request{method: "POST", path: "/v1/facts", body: body}), 413, "more memory")
		f.free(memory)
		memory = f.withMemory(16 << 20)
		for i := range 2 { // each takes half of what is left
			memory.Take(fmt.Sprint("another ", i), (memory.Limit()-memory.Used())/2)
		}
		f.is(f.do(request{method: "POST", path: "/v1/facts", body: body}), 503, `"code":"unavailable"`)
		f.equal(f.seen.limits, []string{"body too_large", "uploads unavailable"})
	},
	"texts of runs take memory": func(f *fixture) {
		memory := f.withMemory(8 << 20)
		for i := range 20 {
			in := f.newStart()
			in.Command = fmt.Sprint("make ", i, strings.Repeat("x", 200<<10))
			f.is(f.post("a", "/v1/runs", in), 201)
		}
		f.is(f.do(request{method: "POST", path: "/v1/ask/history", body: []byte(`{"params":{"limit":100}}`)}), 200,
			"has 204807 bytes)", `"run_id":1,`)
		f.free(memory)
		for _, path := range []string{"/v1/history?limit=1", "/v1/status", "/v1/triage"} {
			f.is(f.do(request{method: "GET", path: path}), 200)
			f.free(memory)
		}
	},
	"texts of events take memory": func(f *fixture) {
		memory := f.withMemory(24 << 20)
		id := f.start()
		for batch := range 8 {
			var lines strings.Builder
			for i := range 4 {
				lines.WriteString(event(batch*4+i+1, fmt.Sprint("error ", word(batch*4+i), strings.Repeat("x", 250<<10))))
			}
			f.is(f.putEvents(id, batch, lines.String()), 204)
			f.free(memory)
		}
		f.is(f.finish(id, 1, 0, 8, 0), 200)
		for _, path := range []string{"/v1/events?limit=100&ref=build:1", "/v1/triage?ref=build:1"} {
			f.is(f.do(request{method: "GET", path: path}), 200)
			f.free(memory)
		}
		f.is(f.do(request{method: "POST", path: "/v1/ask/events", body: []byte(`{"params":{"limit":100,"ref":"build:1"}}`)}),
			200, "cut, because this list is long", `"total_count":32`)
		f.free(memory)
		f.is(f.do(request{method: "GET", path: "/v1/status"}), 200)
		f.free(memory)
	},
}

// word returns a word of letters for a number, because fingerprints leave out digits.
func word(n int) string { return strings.Repeat(string(rune('a'+n%26)), 1+n/26) }
