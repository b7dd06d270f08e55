package ingesttest

import (
	"fmt"
	"net/http"

	"github.com/blq-ci/blq/store"
)

func (f *fixture) putLive(attempt string, from any, body string) answer {
	f.Helper()
	return f.do(request{method: "PUT", path: fmt.Sprintf("/v1/runs/%s/live/%v", attempt, from), body: []byte(body),
		header: http.Header{"Content-Type": {"application/x-ndjson"}}})
}

var liveTests = map[string]func(f *fixture){
	"live events can be read, and settled events replace them": func(f *fixture) {
		id := f.start()
		for range 2 {
			f.is(f.putLive(id, 1, event(1, "a")+event(2, "b")), 204)
			f.equal(f.messages(id), "1 a, 2 b")
		}
		f.is(f.putLive(id, 2, event(2, "x")+event(3, "y")), 204)
		f.equal(f.messages(id), "1 a, 2 x, 3 y")
		f.equal(f.run(id).Errors, 3)
		f.is(f.putEvents(id, 0, event(1, "A")), 204)
		f.equal(f.messages(id), "1 A")
		f.is(f.putLive(id, 2, event(2, "b")), 204)
		f.is(f.finish(id, 1, 0, 1, 0), 200, `"error_count":1`)
		f.equal(f.messages(id), "1 A")
		f.is(f.putLive(id, 2, event(2, "b")), 409, "completed")
	},
	"live events never replace settled events": func(f *fixture) {
		id := f.start()
		f.is(f.putEvents(id, 1, event(3, "C")), 204)
		f.is(f.putLive(id, 1, event(1, "a")), 409, `"code":"conflict"`)
		f.is(f.putLive(id, 3, event(3, "c")), 409)
		f.equal(f.messages(id), "3 C")
	},
	"malformed live events are refused": func(f *fixture) {
		id := f.start()
		for _, from := range []any{0, "x", "01", "-1"} {
			f.is(f.putLive(id, from, event(1, "a")), 400, `"code":"invalid"`)
		}
		f.is(f.putLive(id, 2, event(1, "a")), 400, "above 1")
		f.is(f.putLive(id, 1_000_001, ""), 413, "at most 1000000 events")
		f.is(f.putLive(id, 1, "{"), 400, "line 1")
		f.is(f.putLive(f.attempt(), 1, event(1, "a")), 404)
		f.is(f.putLive(id, 1, ""), 204)
		f.equal(f.run(id).State, store.StateRunning)
		f.equal(f.messages(id), "")
	},
}
