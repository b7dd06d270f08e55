package ingesttest

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// hideTests are about completed runs that are sent again with asterisks in place of a secret.
var hideTests = map[string]func(f *fixture){
	"asterisks replace what was sent before": func(f *fixture) {
		in := f.newStart()
		in.Command, in.CI = "make hunter", &store.CI{Matrix: `{"key":"hunter"}`}
		f.is(f.post("a", "/v1/runs", in), 201)
		id := in.AttemptID
		f.is(f.putChunk(id, piece{text: "one\nhunter\n"}), 204)
		f.is(f.putChunk(id, piece{seq: 1, text: "hunter *\n", line: 3, offset: 11}), 204)
		f.is(f.putEvents(id, 0, event(1, "hunter is wrong")+event(2, "kept")), 204)
		f.is(f.finish(id, 1, 2, 1, 3), 200, `"status":"FAIL"`)
		ended := f.run(id)

		for range 2 {
			in.Command, in.CI.Matrix = "make ***", `{"key":"***"}`
			f.is(f.post("a", "/v1/runs", in), 200)
			f.is(f.putEvents(id, 0, event(1, "*** is wrong")+event(2, "kept")), 204)
			f.is(f.putChunk(id, piece{text: "one\n******\n"}), 204)
			f.is(f.putChunk(id, piece{seq: 1, text: "hu**** *\n", line: 3, offset: 11}), 204)
			f.is(f.putChunk(id, piece{seq: 1, text: "***ter *\n", line: 3, offset: 11}), 204)
		}
		f.equal(f.text(id), "one\n******\n****** *\n")
		f.equal(f.objects(), 2)
		f.hides(id, "hunter")
		r := f.run(id)
		f.equal([]string{r.Command, r.CI.Matrix, string(r.Status())}, []string{"make ***", `{"key":"***"}`, "FAIL"})
		f.equal([]int64{r.Bytes, int64(r.Lines), int64(r.Errors)}, []int64{ended.Bytes, int64(ended.Lines), 2})
	},
	"nothing else of a completed run changes": func(f *fixture) {
		in := f.newStart()
		f.is(f.post("a", "/v1/runs", in), 201)
		id := in.AttemptID
		f.is(f.putChunk(id, piece{text: "one\ntwo\n"}), 204)
		f.is(f.putEvents(id, 0, event(1, "hunter is wrong")), 204)
		f.is(f.finish(id, 1, 1, 1, 2), 200)
		before := f.run(id)
		in.Command = "make clean"
		f.is(f.post("a", "/v1/runs", in), 200)
		f.is(f.putEvents(id, 0, event(1, "*** is right")), 204)
		for _, p := range []piece{
			{text: "one\ntwe\n"}, {text: "one\n***\n\n"}, {text: "*******\n"}, {text: "*\n\n*two\n"},
			{text: "one\n***\n", offset: 1}, {text: "one\n***\n", stream: "stderr"},
			{text: "***\n", seq: 1, line: 3, offset: 8},
		} {
			f.is(f.putChunk(id, p), 409)
		}
		f.is(f.do(withCaller(chunkRequest(id, piece{text: "one\n***\n"}), "b")), 404)
		f.equal(f.text(id), "one\ntwo\n")
		f.equal(f.run(id), before)
		f.equal(f.objects(), 1)
		page, err := f.store.Events(f.Context(), store.Everything(), store.EventFilter{})
		f.ok(err)
		f.equal(page.Events[0].Message, "hunter is wrong")
	},
	"the parts of a running run do not change": func(f *fixture) {
		id := f.start()
		f.is(f.putChunk(id, piece{text: "one\ntwo\n"}), 204)
		f.is(f.putChunk(id, piece{text: "one\n***\n"}), 409)
		f.equal(f.text(id), "one\ntwo\n")
	},
}

func withCaller(r request, as string) request {
	r.as = as
	return r
}

// hides checks that neither the objects nor the events contain a word.
func (f *fixture) hides(attempt, word string) {
	f.Helper()
	page, err := f.store.Events(f.Context(), store.Everything(),
		store.EventFilter{Runs: store.RunFilter{Attempts: []string{attempt}}})
	f.ok(err)
	for _, e := range page.Events {
		if strings.Contains(e.Message, word) {
			f.Errorf("event %d is %q", e.ID, e.Message)
		}
	}
	keys, err := f.blobs.List(f.Context(), "", "", 0)
	f.ok(err)
	chunks, err := f.store.Chunks(f.Context(), store.Everything(), attempt, "", 1, 0)
	f.ok(err)
	var named []string
	for _, c := range chunks {
		named = append(named, c.Key)
	}
	f.equal(keys, named)
}
