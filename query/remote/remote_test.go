package remote_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/query/remote"
	"github.com/blq-ci/blq/store"
)

// wire carries questions to an asker, as a service does.
type wire struct{ *query.Asker }

func (w wire) Post(ctx context.Context, path string, in, out any) error {
	var r remote.Request
	body, err := json.Marshal(in)
	if err == nil {
		err = json.Unmarshal(body, &r)
	}
	if err != nil {
		return err
	}
	text, err := remote.Answer(ctx, questions.All(), w.Asker, strings.TrimPrefix(path, remote.Path+"/"), r)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(out)
}

func TestAnswersArriveWhole(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	far := &remote.Client{Server: wire{f.Asker}}
	want, err := f.Diff(t.Context(), query.DiffParams{Run1: "build:1", Run2: "build:3"})
	querytest.Check(t, err)
	got, err := questions.Diff.Ask(t.Context(), far, query.DiffParams{Run1: "build:1", Run2: "build:3"})
	querytest.Check(t, err)
	if diff := cmp.Diff(want, got); diff != "" || got.New[0].Line == 0 || got.Head.Serial != 3 {
		t.Errorf("diff:\n%s", diff)
	}
	table, err := questions.Query.Ask(t.Context(), far, query.QueryParams{Filter: "severity=error", Limit: 1})
	if err != nil || !table.More {
		t.Errorf("%+v, %v: there is more", table, err)
	}
	p := markdown.Params{Ref: "build:3", Format: markdown.Brief}
	wantReport, err := markdown.Write(t.Context(), f.Asker, cmdline.Words, p)
	querytest.Check(t, err)
	if got, err := questions.Report.Ask(t.Context(), far, p); err != nil || got != wantReport {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestALargeLogArrivesInParts(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	log := querytest.Lines(strings.Repeat(`"quoted" `, 100), 15_000)
	f.Add(t, querytest.Run{Source: "big", Exit: 1, Log: log})
	far := &remote.Client{Server: wire{f.Asker}}
	for name, p := range map[string]query.OutputParams{"all": {}, "head": {Head: 14_000}, "tail": {Tail: 13_000},
		"lines": {From: 2, To: 14_990}, "both ends": {Head: 7_000, Tail: 6_000}, "grep": {Grep: "9", Numbered: true},
		"context": {Grep: "[05]$", Context: 1, From: 2}, "apart": {Grep: "(5|75)$", Context: 2, Numbered: true}} {
		want, err := f.Output(t.Context(), p)
		querytest.Check(t, err)
		got, err := far.Output(t.Context(), p)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %d lines and %d bytes, want %d and %d: %v", name, got.Returned, len(got.Content), want.Returned,
				len(want.Content), err)
		}
		var text bytes.Buffer
		if err := far.WriteOutput(t.Context(), p, &text); err != nil || text.String() != want.Content {
			t.Errorf("%s: %d bytes of text, want %d: %v", name, text.Len(), len(want.Content), err)
		}
	}
	var raw, followed bytes.Buffer
	if err := far.RawOutput(t.Context(), "big", "", &raw); err != nil || raw.String() != log {
		t.Errorf("raw: %d bytes, want %d: %v", raw.Len(), len(log), err)
	}
	if err := far.Follow(t.Context(), query.OutputParams{Ref: "big"}, &followed); err != nil || followed.String() != log {
		t.Errorf("followed: %d bytes, want %d: %v", followed.Len(), len(log), err)
	}
}

func TestOnlyTheCallersRunsAreAskedOf(t *testing.T) {
	t.Parallel()
	f := querytest.New(t) // the runs have no repository
	narrow := *f.Asker
	narrow.Scope = store.Repos("acme/app")
	for name, far := range map[string]*remote.Client{
		"another scope":       {Server: wire{&narrow}},
		"another repository":  {Server: wire{f.Asker}, Repo: "acme/app"},
		"foreign and its own": {Server: wire{&narrow}, Repo: "acme/lib"},
	} {
		if _, err := questions.Info.Ask(t.Context(), far, query.InfoParams{Ref: "build:3"}); store.CodeOf(
			err) != store.NotFound {
			t.Errorf("%s: %v", name, err)
		}
		if table, err := questions.Query.Ask(t.Context(),
			far, query.QueryParams{SQL: "SELECT * FROM blq_load_runs()"}); err == nil && table.Count > 0 {
			t.Errorf("%s: %d rows", name, table.Count)
		}
	}
}

func TestWhatIsNoQuestionIsRefused(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for name, tt := range map[string]struct {
		question string
		request  remote.Request
		code     store.Code
	}{
		"no question":  {"clean", remote.Request{}, store.NotFound},
		"wrong type":   {"events", remote.Request{Params: json.RawMessage(`{"limit":"many"}`)}, store.Invalid},
		"no object":    {"events", remote.Request{Params: json.RawMessage(`7`)}, store.Invalid},
		"bad name":     {"status", remote.Request{Repo: "x"}, store.Invalid},
		"no event":     {"inspect", remote.Request{}, store.Invalid},
		"odd position": {"raw", remote.Request{Params: json.RawMessage(`{"ref":"build:3","offset":-5}`)}, ""},
		"no position": {
			"growth", remote.Request{Params: json.RawMessage(`{"ref":"build:3","next":{"combined":-4,"x":9}}`)}, ""},
	} {
		if _, err := remote.Answer(t.Context(), questions.All(), f.Asker, tt.question, tt.request); store.CodeOf(
			err) != tt.code || tt.code == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An unknown parameter is an error. If it were ignored, the answer would be about something else.
func TestUnknownParametersAreRefused(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	ask := func(question, body string) error {
		var r remote.Request
		querytest.Check(t, json.Unmarshal([]byte(body), &r))
		_, err := remote.Answer(t.Context(), questions.All(), f.Asker, question, r)
		return err
	}
	for _, row := range questions.All() {
		if !row.IsQuestion() {
			continue
		}
		err := ask(row.Name, `{"params":{"zzzzzzzz":1}}`)
		if store.CodeOf(err) != store.Invalid || !strings.Contains(err.Error(), row.Name+` has no parameter "zzzzzzzz"`) {
			t.Errorf("%s: %v", row.Name, err)
		}
	}
	for body, want := range map[string]string{
		`{"params":{"limt":1}}`: `events has no parameter "limt"; did you mean limit?`,
		`{"limit":1}`:           `the body of a question has no key "limit"; it has repo, params`,
		`{"parms":{"limit":1}}`: `the body of a question has no key "parms"; did you mean params?`,
	} {
		if err := ask("events", body); store.CodeOf(err) != store.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, body := range []string{`{}`, `{"params":{}}`, `{"params":null}`, `{"Params":{"LIMIT":1},"repo":""}`} {
		if err := ask("events", body); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// partial is a store whose answers say that only some runs were read, as the store of a service may do.
type partial struct{ store.Reader }

var part = &store.Slice{Runs: 2, Events: 7, Since: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}

func (p partial) Query(ctx context.Context, sc store.Scope, q store.Query) (store.Table, error) {
	t, err := p.Reader.Query(ctx, sc, q)
	t.Slice = part
	return t, err
}

func (p partial) Events(ctx context.Context, sc store.Scope, f store.EventFilter) (store.EventPage, error) {
	page, err := p.Reader.Events(ctx, sc, f)
	page.Slice = part
	return page, err
}

func TestQuerySaysWhichPartWasRead(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for _, p := range []query.QueryParams{{SQL: "SELECT 1"}, {Filter: "severity=error"}} {
		whole, err := questions.Query.Ask(t.Context(), &remote.Client{Server: wire{f.Asker}}, p)
		if err != nil || whole.Slice != nil {
			t.Errorf("%+v of all: %+v, %v", p, whole.Slice, err)
		}
		a := *f.Asker
		a.Store = partial{a.Store}
		got, err := questions.Query.Ask(t.Context(), &remote.Client{Server: wire{&a}}, p)
		if diff := cmp.Diff(&query.Slice{Runs: 2, Events: 7, Since: "2026-03-01T12:00:00Z"}, got.Slice); diff != "" ||
			err != nil {
			t.Errorf("%+v: %v, -want +got:\n%s", p, err, diff)
		}
	}
}
