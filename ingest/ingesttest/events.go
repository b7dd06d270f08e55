package ingesttest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

func (f *fixture) events(attempt string) []store.RunEvent {
	f.Helper()
	page, err := f.store.Events(f.Context(), store.Everything(),
		store.EventFilter{Runs: store.RunFilter{Attempts: []string{attempt}}})
	f.ok(err)
	return page.Events
}

// messages returns the messages of a run's events.
func (f *fixture) messages(attempt string) string {
	f.Helper()
	var list []string
	for _, e := range f.events(attempt) {
		list = append(list, fmt.Sprint(e.ID, " ", e.Message))
	}
	return strings.Join(list, ", ")
}

// packed is a request with compressed events.
func packed(attempt, body string) request {
	return request{method: "PUT", path: "/v1/runs/" + attempt + "/events/0", body: pack(body), header: http.Header{
		"Content-Type": {"application/x-ndjson"}, "Content-Encoding": {"zstd"}, "Content-Digest": {digest(pack(body))},
	}}
}

// blank returns long lines that contain no events.
func blank(size int) string {
	const line = 1 << 19
	return strings.Repeat(strings.Repeat(" ", line-1)+"\n", size/line) + strings.Repeat("\n", size%line)
}

var eventTests = map[string]func(f *fixture){
	"batches arrive in any order, and once": func(f *fixture) {
		id := f.start()
		f.is(f.putEvents(id, 1, event(3, "c")), 204)
		f.is(f.putEvents(id, 0, event(1, "a")+"\n"+event(2, "b")), 204)
		f.is(f.putEvents(id, 0, event(1, "other")), 204)
		f.equal(f.messages(id), "1 a, 2 b, 3 c")
		f.is(f.finish(id, 1, 0, 2, 0), 200, `"error_count":3`, `"status":"FAIL"`)
		f.is(f.putEvents(id, 0, event(1, "a")), 204)
		f.is(f.putEvents(id, 2, event(4, "d")), 409, "completed")
		f.equal(f.seen.received[ingest.KindEvents], 5)
	},
	"compressed or not, they are the same": func(f *fixture) {
		id := f.start()
		f.is(f.do(packed(id, event(1, "a")+event(2, "b"))), 204)
		f.equal(f.messages(id), "1 a, 2 b")
	},
	"fingerprints are ours": func(f *fixture) {
		id := f.start()
		f.is(f.putEvents(id, 0, `{"event_id":1,"severity":"error","message":"'x' undeclared","tool_name":"gcc","category":"compile","ref_file":"a.c","fingerprint":"gcc_compile_0000000000000001","pattern":"gcc_compile_0000000000000002"}`), 204)
		got := f.events(id)[0].Event
		want := store.Event{ID: 1, Severity: "error", Message: "'x' undeclared", Tool: "gcc", Category: "compile",
			File: "a.c"}
		want.Fingerprint, want.Pattern = store.Fingerprint(want), store.Pattern(want)
		f.equal(got, want)
	},
	"a bad line is named, and nothing is stored": func(f *fixture) {
		id := f.start()
		for want, line := range map[string]string{
			"event_id 0":    strings.Replace(event(2, "m"), `"event_id":2`, `"event_id":0`, 1),
			"event_id 1":    event(1, "m"),
			"severity":      strings.Replace(event(2, "m"), `"error"`, `"critical"`, 1),
			"category":      strings.Replace(event(2, "m"), `"compile"`, `"Compile it"`, 1),
			"ref_line":      strings.Replace(event(2, "m"), `"ref_line":20`, `"ref_line":-1`, 1),
			"ref_column":    strings.Replace(event(2, "m"), `"ref_column":5`, `"ref_column":5000000000`, 1),
			"log_line_end":  strings.Replace(event(2, "m"), `"log_line_end":2`, `"log_line_end":1`, 1),
			"stream":        strings.Replace(event(2, "m"), `{`, `{"stream":"x",`, 1),
			"UTF-8":         strings.Replace(event(2, "m"), `"m"`, "\"\xff\"", 1),
			"message has":   event(2, strings.Repeat("x", 256<<10+1)),
			"ref_file has":  strings.Replace(event(2, "m"), `src/main.c`, strings.Repeat("x", 4097), 1),
			"tool_name has": strings.Replace(event(2, "m"), `gcc`, strings.Repeat("x", 201), 1),
			"object":        "[]\n",
			"JSON":          "{\n",
			"fit":           strings.Replace(event(2, "m"), `"m"`, "5", 1),
		} {
			f.is(f.putEvents(id, 0, event(1, "a")+"\n"+line+event(3, "c")), 400, `"code":"invalid"`, "line 3: ", want)
		}
		f.equal(f.messages(id), "")
		f.is(f.putEvents(id, 0, event(1, "a")), 204)
	},
	"a number that is taken is a conflict": func(f *fixture) {
		id := f.start()
		f.is(f.putEvents(id, 0, event(1, "a")+event(2, "b")), 204)
		f.is(f.putEvents(id, 1, event(2, "c")+event(3, "d")), 409, `"code":"conflict"`)
		f.equal(f.messages(id), "1 a, 2 b")
		f.is(f.putEvents(id, 1, event(3, "d")), 204)
	},
	"text is kept as it is": func(f *fixture) {
		id := f.start()
		f.is(f.putEvents(id, 0, event(1, "a\x00b\u202e\U0001F600")), 204)
		f.equal(f.messages(id), "1 a\x00b\u202e\U0001F600")
	},
	"too many, or too large ones, are refused": func(f *fixture) {
		id := f.start()
		var all strings.Builder
		for i := range api.MaxBatch + 1 {
			all.WriteString(event(i+1, "m"))
		}
		f.is(f.do(packed(id, all.String())), 413, "at most 10000 events")
		f.is(f.putEvents(id, 0, event(1, strings.Repeat("x", 1<<20))), 413, "an event has at most")
		f.is(f.do(packed(id, blank(api.MaxBatchText+1))), 413, "decompresses to more than")
		f.is(f.do(packed(id, strings.Repeat("\n", api.MaxBatchText))), 413, "at most 10000 events")
		f.is(f.putEvents(id, 0, blank(api.MaxBatchBody+1)), 413, "larger than")
		f.is(f.putEvents(id, 0, event(1_000_001, "m")), 413, "at most 1000000 events")
		f.equal(f.seen.limits, []string{"body too_large", "body too_large", "body too_large", "body too_large",
			"body too_large", "run_events too_large"})
		f.equal(f.messages(id), "")
	},
	"malformed events are refused": func(f *fixture) {
		id := f.start()
		r := packed(id, event(1, "m"))
		r.body = r.body[:len(r.body)-1]
		f.is(f.do(r), 400, "digest")
		r.header.Set("Content-Digest", digest(r.body))
		f.is(f.do(r), 400, "not whole")
		r.body = []byte(event(1, "m"))
		r.header.Set("Content-Digest", digest(r.body))
		f.is(f.do(r), 400, "not zstd")
		r.header.Set("Content-Encoding", "br")
		f.is(f.do(r), 415, "br", "zstd")
		r.header.Set("Content-Type", "text/html")
		f.is(f.do(r), 415, "text/html", "application/x-ndjson")
		f.is(f.putEvents(f.attempt(), 0, event(1, "m")), 404)
		f.is(f.do(request{method: "PUT", path: "/v1/runs/" + id + "/events/x"}), 400)
	},
	"an empty batch counts": func(f *fixture) {
		id := f.start()
		f.is(f.putEvents(id, 0, ""), 204)
		f.is(f.finish(id, 0, 0, 1, 0), 200)
	},
}
