//go:build linux

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/ingest/api"
)

// encoder compresses bodies.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return e
})

// noise returns one MiB of text with few repetitions.
func noise(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	for b.Len() < 1<<20-100 {
		fmt.Fprintf(&b, "CC obj/%016x.o %016x step %d\n", r.Uint64(), r.Uint64(), b.Len())
	}
	return b.Bytes()
}

// begin starts a run and returns its attempt. It returns "" if the run was refused.
func (a *attacker) begin(tenant int, repo string) string {
	attempt := attemptID(int(a.n.Add(1)))
	body, _ := json.Marshal(api.Start{AttemptID: attempt, Repo: repo, Source: "build", Command: "make",
		StartedAt: time.Now()})
	if a.call(a.Tokens[tenant], "POST", "/v1/runs", body, "Content-Type", "application/json") != 201 {
		return ""
	}
	return attempt
}

// put sends a body as a part of a run.
func (a *attacker) put(tenant int, path string, body []byte, kind string) {
	sum := sha256.Sum256(body)
	a.call(a.Tokens[tenant], "PUT", path, body, "Content-Type", kind, "Content-Encoding", "zstd", api.DigestHeader,
		"sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
}

// batches are batches of events. All runs send the same batches.
var batches = sync.OnceValue(func() [][]byte {
	var list [][]byte
	for n := range 10 {
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		for i := range 1000 {
			e := event(n*1000+i, 1)
			_ = enc.Encode(api.Event{ID: e.ID, Event: e, Pattern: e.Pattern}) // a write to a buffer never fails
		}
		list = append(list, encoder().EncodeAll(text.Bytes(), nil))
	}
	return list
})

// sendRun sends a run with batches of 1,000 events.
func (a *attacker) sendRun(tenant int, repo string, n int) {
	attempt := a.begin(tenant, repo)
	for i := 0; i < n && attempt != "" && a.ctx.Err() == nil; i++ {
		a.put(tenant, fmt.Sprintf("/v1/runs/%s/events/%d", attempt, i), batches()[i], "application/x-ndjson")
	}
	if attempt != "" {
		body, _ := json.Marshal(api.Finish{FinishedAt: time.Now(), Batches: n})
		a.call(a.Tokens[tenant], "POST", "/v1/runs/"+attempt+"/finish", body, "Content-Type", "application/json")
	}
}

// sendEvents sends events as fast as possible, up to a max number.
func (a *attacker) sendEvents() {
	first := a.n.Load()
	a.workers(32, func(int) {
		if a.n.Load()-first > int64(a.Events/10_000) {
			<-a.ctx.Done()
			return
		}
		a.sendRun(0, "t0/app", 10)
	})
}

// startRuns starts empty runs.
func (a *attacker) startRuns() {
	a.workers(64, func(int) { a.begin(0, "t0/app") })
}

// sendTests sends runs with results of tests. Half of the workers send results of the same tests in each run, which the
// service packs with earlier results. The other workers send results of new tests in each run.
func (a *attacker) sendTests() {
	a.workers(4, func(worker int) {
		suite := 0
		if worker%2 > 0 {
			suite = int(a.n.Add(1))
		}
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		for i := range a.Tests {
			_ = enc.Encode(api.Test{Name: testName(suite, i), Outcome: "passed", Seconds: 0.001}) // a write to a buffer never fails
		}
		if attempt := a.begin(0, "t0/app"); attempt != "" {
			a.put(0, "/v1/runs/"+attempt+"/tests", encoder().EncodeAll(text.Bytes(), nil), "application/x-ndjson")
		}
	})
}

// sendLogs sends logs as fast as possible, up to a max size.
func (a *attacker) sendLogs() {
	text := noise(1)
	object := encoder().EncodeAll(text, nil)
	lines := bytes.Count(text, []byte("\n"))
	first := a.n.Load()
	a.workers(16, func(int) {
		attempt := a.begin(0, "t0/app")
		for i := 0; i < 100 && attempt != "" && a.ctx.Err() == nil; i++ {
			if a.n.Add(1)-first > int64(a.LogMB) {
				<-a.ctx.Done()
				return
			}
			q := url.Values{api.ParamFirstLine: {fmt.Sprint(1 + i*lines)}, api.ParamLines: {fmt.Sprint(lines)},
				api.ParamOffset: {fmt.Sprint(i * len(text))}, api.ParamBytes: {fmt.Sprint(len(text))}}
			sum := sha256.Sum256(object)
			a.call(a.Tokens[0], "PUT", fmt.Sprintf("/v1/runs/%s/chunks/%d?%s", attempt, i, q.Encode()), object, "Content-Type",
				"application/zstd", api.DigestHeader, "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
		}
	})
}

// bombs sends small bodies. Each unpacks to a very large text.
func (a *attacker) bombs() {
	zeros := encoder().EncodeAll(make([]byte, 512<<20), nil)
	blanks := encoder().EncodeAll(bytes.Repeat([]byte(" \n"), 64<<20), nil)
	frame := encoder().EncodeAll([]byte("x"), nil)
	frames := bytes.Repeat(frame, (1<<21)/len(frame))
	attempt := a.begin(0, "t0/app")
	a.workers(32, func(worker int) {
		for i, body := range [][]byte{zeros, blanks, frames} {
			a.put(0, fmt.Sprintf("/v1/runs/%s/events/%d", attempt, i), body, "application/x-ndjson")
			a.put(0, fmt.Sprintf("/v1/runs/%s/chunks/%d?first_line=1&lines=1&offset=0&bytes=1048576", attempt, worker), body,
				"application/zstd")
		}
	})
}
