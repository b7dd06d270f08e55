package ingesttest

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/store"
)

var httpTests = map[string]func(f *fixture){
	"paths that are none": func(f *fixture) {
		for _, path := range []string{"/", "/v1", "/v1/", "/v2/runs", "/v1/runs/", "//v1/runs", "/v1//runs", "/v1/../v1/runs",
			"/v1/./runs", "/v1/runs/x/y", "/v1/runs/x/chunks", "/v1/status/x"} {
			a := f.is(f.do(request{method: "POST", path: path}), 404, `"code":"not_found"`, "openapi.yaml")
			f.equal(a.header.Get("Content-Type"), "application/json")
		}
	},
	"methods that are none": func(f *fixture) {
		for path, allow := range map[string]string{
			"/v1/runs": "POST, OPTIONS", "/v1/runs/" + f.attempt(): "GET, HEAD, OPTIONS", "/v1/runs/x/chunks/0": "PUT, OPTIONS",
			"/v1/status": "GET, HEAD, OPTIONS", "/v1/token": "POST, OPTIONS", "/webhooks/github": "POST, OPTIONS",
		} {
			a := f.is(f.do(request{method: "DELETE", path: path}), 405, `"code":"method_not_allowed"`, allow)
			f.equal(a.header.Get("Allow"), allow)
			a = f.is(f.do(request{method: "OPTIONS", path: path}), 204)
			f.equal([]string{a.header.Get("Allow"), a.header.Get("Access-Control-Allow-Origin")}, []string{allow, ""})
		}
	},
	"HEAD is GET without a body": func(f *fixture) {
		a := f.is(f.do(request{method: "HEAD", path: "/v1/openapi.yaml"}), 200)
		f.equal([]string{a.header.Get("Content-Type"), string(a.body)}, []string{"application/yaml", ""})
		f.is(f.do(request{method: "HEAD", path: "/v1/runs/" + f.start()}), 200)
	},
	"everybody may read the document": func(f *fixture) {
		f.is(f.do(request{as: "nobody", method: "GET", path: "/v1/openapi.yaml"}), 200, "openapi: 3")
	},
	"requests have an ID, theirs or ours": func(f *fixture) {
		for given, kept := range map[string]bool{"abc-1.2:3/4_5": true, "": false, "a b": false, "a\"b": false,
			strings.Repeat("x", 101): false, strings.Repeat("x", 100): true} {
			a := f.do(request{method: "GET", path: "/v1/status", header: http.Header{"X-Request-Id": {given}}})
			id := a.header.Get("X-Request-Id")
			if (id == given) != kept || id == "" {
				f.Errorf("%q became %q", given, id)
			}
			if !strings.Contains(f.log.String(), `"request":"`+id+`"`) {
				f.Errorf("the log lacks %q", id)
			}
		}
	},
	"the log and the observer have each request": func(f *fixture) {
		id := f.start()
		f.is(f.putChunk(id, piece{text: "one\n"}), 204)
		for _, want := range []string{`"path":"/v1/runs/` + id + `/chunks/0"`, `"status":204`, `"caller":"token:a"`,
			`"method":"PUT"`} {
			if !strings.Contains(f.log.String(), want) {
				f.Errorf("the log lacks %s: %s", want, f.log)
			}
		}
		f.equal(
			f.seen.requests, map[string]int{"POST /v1/runs Created": 1, "PUT /v1/runs/{attempt_id}/chunks/{seq} No Content": 1})
	},
	"internal errors are only in the log": func(f *fixture) {
		id := f.start()
		f.serve(func(c *ingest.Config) { c.Blobs = failing{f.blobs, errors.New("disk /dev/sdz is on fire")} })
		a := f.is(f.putChunk(id, piece{text: "one\n"}), 500, `"code":"internal"`)
		if strings.Contains(string(a.body), "fire") || !strings.Contains(f.log.String(), "on fire") ||
			!strings.Contains(f.log.String(), `"level":"ERROR"`) {
			f.Errorf("told %s, logged %s", a.body, f.log)
		}
		f.equal(f.run(id).Bytes, int64(0))
	},
	"what is down is said to be": func(f *fixture) {
		id := f.start()
		f.serve(func(c *ingest.Config) {
			c.Blobs = failing{f.blobs, store.Errorf(store.Unavailable, "the bucket does not answer")}
		})
		a := f.is(f.putChunk(id, piece{text: "one\n"}), 503, `"code":"unavailable"`)
		f.equal(a.header.Get("Retry-After"), "1")
		if strings.Contains(string(a.body), "bucket") || !strings.Contains(f.log.String(), "the bucket does not answer") {
			f.Errorf("told %s, logged %s", a.body, f.log)
		}
		f.serve(func(c *ingest.Config) { c.Blobs = f.blobs })
		f.is(f.putChunk(id, piece{text: "one\n"}), 204)
	},
	"a panic is answered": func(f *fixture) {
		f.serve(func(c *ingest.Config) { c.RunURL = func(store.Run) string { panic("no address") } })
		a := f.is(f.post("a", "/v1/runs", f.newStart()), 500, `"code":"internal"`)
		if strings.Contains(string(a.body), "address") || !strings.Contains(f.log.String(), "no address") {
			f.Errorf("told %s, logged %s", a.body, f.log)
		}
		f.is(f.do(request{method: "GET", path: "/v1/status"}), 200)
	},
	"text of callers comes back without control characters": func(f *fixture) {
		in := f.newStart()
		in.Source = "a\u202eb\x1b[31m:"
		a := f.is(f.post("a", "/v1/runs", in), 400)
		if strings.ContainsAny(string(a.body), "\u202e\x1b") {
			f.Errorf("%q", a.body)
		}
	},
}

// failing is object storage that refuses to store objects.
type failing struct {
	store.Blobs
	err error
}

func (b failing) Put(context.Context, string, []byte) error { return b.err }
