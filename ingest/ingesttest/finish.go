package ingesttest

import (
	"net/http"
	"time"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

var finishTests = map[string]func(f *fixture){
	"a run is kept as it ended": func(f *fixture) {
		id := f.start()
		code := 143
		in := api.Finish{FinishedAt: f.now.Add(-time.Second), ExitCode: &code, Signal: "SIGTERM", Reason: store.ReasonTimeout,
			Lost: "the end", Lines: 7, Files: store.FileDigests{"a.c": "0123456789abcdef"}}
		f.is(f.post("a", "/v1/runs/"+id+"/finish", in), 200, `"run_ref":"o/a@build:1"`, `"status":"TIMEOUT"`,
			"https://ci.example.com/"+id)
		r := f.run(id)
		f.equal(r.Ending, store.Ending{FinishedAt: in.FinishedAt, ExitCode: &code, Signal: "SIGTERM",
			Reason: store.ReasonTimeout, Lost: "the end"})
		f.equal(r.Lines, 7)
		files, err := f.store.FileDigests(f.Context(), store.Everything(), id)
		f.ok(err)
		f.equal(files, in.Files)
		f.equal(f.seen.lags, []string{"run 1m0s", "finished 1s"})
	},
	"again it answers as it is": func(f *fixture) {
		id := f.start()
		f.is(f.finish(id, 0, 0, 0, 0), 200, `"status":"OK"`)
		f.is(f.finish(id, 1, 5, 5, 5), 200, `"status":"OK"`)
		f.equal(f.seen.received[ingest.KindFinished], 1)
	},
	"what is missing is named, and the run goes on": func(f *fixture) {
		id := f.start()
		f.is(f.putChunk(id, piece{seq: 0, text: "one\n"}), 204)
		f.is(f.putChunk(id, piece{seq: 3, text: "four\n", line: 4, offset: 12}), 204)
		f.is(f.finish(id, 0, 5, 2, 4), 409, `"code":"conflict"`, "chunks 1-2, 4", "events 0-1")
		f.equal(f.run(id).State, store.StateRunning)
	},
	"more than was counted is a conflict": func(f *fixture) {
		id := f.start()
		f.is(f.putChunk(id, piece{text: "one\n"}), 204)
		f.is(f.putEvents(id, 0, event(1, "a")), 204)
		f.is(f.finish(id, 0, 0, 1, 1), 409, "1 chunks")
		f.is(f.finish(id, 0, 1, 0, 1), 409, "1 batches")
		f.is(f.finish(id, 0, 1, 1, 1), 200)
	},
	"chunks that do not follow each other are refused": func(f *fixture) {
		for _, second := range []piece{{seq: 1, text: "two\n", line: 3, offset: 4},
			{seq: 1, text: "two\n", line: 2, offset: 5}, {seq: 1, text: "two\n", line: 2, stream: "stderr"}} {
			id := f.start()
			f.is(f.putChunk(id, piece{text: "one\n"}), 204)
			f.is(f.putChunk(id, second), 204)
			f.is(f.finish(id, 0, 2, 0, 2), 409, "chunk 1 begins")
			f.equal(f.run(id).State, store.StateRunning)
		}
	},
	"times are kept within bounds": func(f *fixture) {
		for _, test := range []struct{ said, kept time.Time }{
			{f.now.Add(time.Hour), f.now.Add(time.Hour)}, {f.now.Add(48 * time.Hour), f.now},
			{f.now.Add(-time.Hour), f.now.Add(-time.Minute)},
		} {
			id := f.start()
			f.is(f.post("a", "/v1/runs/"+id+"/finish", api.Finish{FinishedAt: test.said}), 200)
			f.equal(f.run(id).FinishedAt, test.kept)
		}
	},
	"invalid facts are refused": func(f *fixture) {
		id := f.start()
		code := 1 << 40
		for want, in := range map[string]api.Finish{
			"reason": {Reason: "bored"}, "exit_code": {ExitCode: &code}, "signal": {Signal: "SIG\x00"}, "chunks": {Chunks: -1},
			"batches": {Batches: -1}, "lines": {Lines: 1 << 40}, "digest": {Files: store.FileDigests{"a": "0123456789ABCDEF"}},
		} {
			f.is(f.post("a", "/v1/runs/"+id+"/finish", in), 400, `"code":"invalid"`, want)
		}
		f.is(f.do(request{method: "POST", path: "/v1/runs/" + id + "/finish", body: []byte("x")}), 400, "JSON")
		f.is(f.do(request{method: "POST", path: "/v1/runs/" + id + "/finish", body: []byte("{}"),
			header: http.Header{"Content-Type": {"text/plain"}}}), 415)
		f.is(f.finish(f.attempt(), 0, 0, 0, 0), 404)
		f.equal(f.run(id).State, store.StateRunning)
	},
	"a heartbeat uses the service's clock, and revives a run": func(f *fixture) {
		id := f.start()
		_, err := f.store.OrphanRun(f.Context(), id, f.now)
		f.ok(err)
		f.now = f.now.Add(time.Minute)
		f.is(f.do(request{method: "POST", path: "/v1/runs/" + id + "/heartbeat"}), 204)
		r := f.run(id)
		f.equal(r.State, store.StateRunning)
		f.equal(r.HeartbeatAt, f.now)
		f.is(f.finish(id, 0, 0, 0, 0), 200)
		f.is(f.do(request{method: "POST", path: "/v1/runs/" + id + "/heartbeat"}), 409, "completed")
		f.is(f.do(request{method: "POST", path: "/v1/runs/" + f.attempt() + "/heartbeat"}), 404)
	},
	"parts of a running run count as heartbeats": func(f *fixture) {
		id := f.start()
		for _, send := range []func(){
			func() { f.is(f.putEvents(id, 0, event(1, "broken")), 204) },
			func() { f.is(f.putLive(id, 2, event(2, "broken")), 204) },
			func() { f.is(f.putChunk(id, piece{text: "text\n"}), 204) },
		} {
			f.now = f.now.Add(time.Minute)
			send()
			f.equal(f.run(id).HeartbeatAt, f.now)
		}
		_, err := f.store.OrphanRun(f.Context(), id, f.now)
		f.ok(err)
		f.now = f.now.Add(time.Minute)
		f.is(f.putEvents(id, 1, event(2, "broken")), 204)
		f.equal(f.run(id).State, store.StateOrphaned)
	},
}
