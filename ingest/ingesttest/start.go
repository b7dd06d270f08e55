package ingesttest

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

var startTests = map[string]func(f *fixture){
	"a run is stored with the facts of the client": func(f *fixture) {
		in := f.newStart()
		in.Dirty, in.Format, in.CI = true,
			"gcc", &store.CI{Provider: "gitlab", Job: "build", RunID: "5", PR: 7, Matrix: `{"os":"x"}`}
		in.Shape = "0123456789abcdef"
		a := f.is(f.post("a", "/v1/runs", in), 201)
		var got api.Started
		f.ok(json.Unmarshal(a.body, &got))
		f.equal(got, api.Started{RunRef: "o/a@build:1", RunID: 1, Repo: "o/a", AttemptID: in.AttemptID,
			State: store.StateRunning, URL: "https://ci.example.com/" + in.AttemptID})
		f.equal(a.header.Get("Location"), "/v1/runs/"+in.AttemptID)
		want := store.Run{
			Attempt: in.AttemptID, Repo: "o/a", Serial: 1, Source: "build", Command: "make -j8", Cwd: "/src",
			StartedAt: in.StartedAt, OpenedAt: f.now, HeartbeatAt: f.now, State: store.StateRunning,
			Hostname: "h", Platform: "Linux", Arch: "x86_64", Format: "gcc",
			Git:   store.Git{Commit: "0123456789abcdef", Branch: "main", Dirty: true, Root: "/src"},
			CI:    &store.CI{Provider: "gitlab", Repo: "o/a", Job: "build", RunID: "5", PR: 7, Matrix: `{"os":"x"}`},
			Shape: in.Shape,
		}
		f.equal(f.run(in.AttemptID), want)
		f.equal(f.seen.received[ingest.KindRun], 1)
	},
	"a repeated start answers with what has arrived": func(f *fixture) {
		in := f.newStart()
		f.is(f.post("a", "/v1/runs", in), 201)
		f.is(f.putChunk(in.AttemptID, piece{seq: 0, text: "one\n"}), 204)
		f.is(f.putChunk(in.AttemptID, piece{seq: 2, text: "three\n", line: 3, offset: 8}), 204)
		f.is(f.putEvents(in.AttemptID, 0, event(1, "m")), 204)
		in.Source, in.Repo = "test", ""
		f.is(f.post("a", "/v1/runs", in), 200, `"run_ref":"o/a@build:1"`, `"chunks":1`, `"batches":1`, `"state":"running"`)
		f.is(f.do(request{method: "GET", path: "/v1/runs/" + strings.ToUpper(in.AttemptID)}), 200, `"run_ref":"o/a@build:1"`,
			`"chunks":1`, `"batches":1`)
		f.equal(f.seen.received[ingest.KindRun], 1)
	},
	"invalid facts are refused": func(f *fixture) {
		for name, change := range map[string]func(*api.Start){
			"attempt_id":     func(s *api.Start) { s.AttemptID = "5" },
			"version 7":      func(s *api.Start) { s.AttemptID = "01999999-0000-4000-8000-000000000001" },
			"source_name":    func(s *api.Start) { s.Source = "a:b" },
			"latest":         func(s *api.Start) { s.Source = "latest" },
			"repo":           func(s *api.Start) { s.Repo = "no repo" },
			"command":        func(s *api.Start) { s.Command = strings.Repeat("x", 256<<10+1) },
			"cwd":            func(s *api.Start) { s.Cwd = "a\x00b" },
			"shape":          func(s *api.Start) { s.Shape = strings.Repeat("x", 101) },
			"hostname":       func(s *api.Start) { s.Hostname = strings.Repeat("x", 256) },
			"ci.pr_number":   func(s *api.Start) { s.CI = &store.CI{PR: -1} },
			"ci.run_attempt": func(s *api.Start) { s.CI = &store.CI{RunAttempt: 1 << 40} },
			"ci.matrix":      func(s *api.Start) { s.CI = &store.CI{Matrix: strings.Repeat("x", 16<<10+1)} },
		} {
			in := f.newStart()
			change(&in)
			f.is(f.post("a", "/v1/runs", in), 400, `"code":"invalid"`, name)
		}
		runs, err := f.store.Runs(f.Context(), store.Everything(), store.RunFilter{})
		f.ok(err)
		f.equal(len(runs), 0)
	},
	"a body that is not an object is refused": func(f *fixture) {
		for _, body := range []string{"", "null", "[]", `{"attempt_id":`, `{"attempt_id":5}`, "{} {}",
			"{\"command\":\"\xff\"}"} {
			f.is(f.do(request{method: "POST", path: "/v1/runs", body: []byte(body)}), 400, `"code":"invalid"`)
		}
	},
	"unknown keys are ignored": func(f *fixture) {
		text, err := json.Marshal(f.newStart())
		f.ok(err)
		body := strings.TrimSuffix(string(text), "}") + `,"colour":"red"}`
		f.is(f.do(request{method: "POST", path: "/v1/runs", body: []byte(body)}), 201)
	},
	"the skew of a clock is limited": func(f *fixture) {
		for _, test := range []struct{ said, kept time.Time }{
			{f.now.Add(23 * time.Hour), f.now.Add(23 * time.Hour)},
			{f.now.Add(25 * time.Hour), f.now},
			{time.Time{}, f.now},
			{f.now.AddDate(-3, 0, 0), f.now.AddDate(-3, 0, 0)},
		} {
			in := f.newStart()
			in.StartedAt = test.said
			f.is(f.post("a", "/v1/runs", in), 201)
			r := f.run(in.AttemptID)
			f.equal([]time.Time{r.StartedAt, r.HeartbeatAt}, []time.Time{test.kept, f.now})
		}
	},
	"the times of a clock that is off are corrected": func(f *fixture) {
		for _, test := range []struct{ off, early, kept time.Duration }{
			{10 * time.Hour, 0, 0},
			{-10 * time.Hour, 0, 0},
			{-10 * time.Hour, 3 * time.Hour, -3 * time.Hour}, // the client sent the run three hours after its start
			{30 * time.Second, 0, 30 * time.Second},
			{0, 3 * time.Hour, -3 * time.Hour},
		} {
			in := f.newStart()
			in.SentAt = f.now.Add(test.off)
			in.StartedAt = in.SentAt.Add(-test.early)
			f.is(f.post("a", "/v1/runs", in), 201)
			f.is(f.post("a", "/v1/runs/"+in.AttemptID+"/finish",
				api.Finish{BeganAt: in.StartedAt, FinishedAt: in.StartedAt.Add(time.Second)}), 200)
			r := f.run(in.AttemptID)
			f.equal(r.StartedAt.Sub(f.now), test.kept)
			f.equal(r.Duration(), time.Second)
		}
	},
	"a start by a clock that may be off is marked": func(f *fixture) {
		for _, test := range []struct {
			behind  time.Duration
			sent    bool
			undated bool
		}{{time.Hour, false, true}, {time.Hour, true, false}, {30 * time.Second, false, false}, {-time.Hour, false, false}} {
			in := f.newStart()
			in.StartedAt = f.now.Add(-test.behind)
			if test.sent {
				in.SentAt = f.now
			}
			f.is(f.post("a", "/v1/runs", in), 201)
			f.equal(f.run(in.AttemptID).Undated, test.undated)
		}
	},
	"a token's only repository is the default": func(f *fixture) {
		in := f.newStart()
		in.Repo = ""
		f.is(f.post("a", "/v1/runs", in), 201, `"repo":"o/a"`)
		in = f.newStart()
		in.Repo = ""
		f.is(f.post("both", "/v1/runs", in), 400, "repo")
		in.Repo = "o/b"
		f.is(f.post("both", "/v1/runs", in), 201, `"repo":"o/b"`)
	},
}
