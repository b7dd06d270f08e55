package storetest

import (
	"fmt"

	"github.com/blq-ci/blq/store"
)

var eventTests = map[string]func(f fixture){
	"events come back as they were given": func(f fixture) {
		r := f.start("", "test")
		want := signed(store.Event{
			ID: 3, Severity: store.SeverityWarning, File: "a b/ü.py", Line: 1, Column: 2, Message: "it's \"100%\" a\nb\x00c",
			Tool:     "pytest",
			Category: store.CategoryTest, Code: "E1", Test: "t::x[1]", LogLine: 7, LogLineEnd: 9, Stream: store.StreamStderr,
		})
		bare := signed(store.Event{ID: 4, Severity: store.SeverityInfo})
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, []store.Event{want, bare}))
		page, err := f.s.Events(f.Context(), everything, store.EventFilter{})
		f.ok(err)
		f.equal(
			page, store.EventPage{Events: []store.RunEvent{{Event: want, Run: r.Ref()}, {Event: bare, Run: r.Ref()}}, Total: 2})
	},
	"a batch counts once": func(f fixture) {
		r := f.start("", "build")
		batch := []store.Event{event(1, "a"), {ID: 2, Severity: store.SeverityWarning}, {ID: 3, Severity: store.SeverityInfo}}
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, batch))
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, batch))
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, []store.Event{event(9, "other")}))
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 1, []store.Event{event(4, "d")}))
		got, err := f.s.Run(f.Context(), everything, r.Ref())
		f.ok(err)
		f.equal([]int{got.Errors, got.Warnings}, []int{2, 1})
		f.equal(len(f.messages(store.EventFilter{})), 4)
		f.finish(r, 1)
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 1, batch))
		f.refused(f.s.AddEvents(f.Context(), r.Attempt, 2, nil), store.Conflict)
	},
	"a batch is stored whole or not at all": func(f fixture) {
		r := f.start("", "build")
		f.refused(f.s.AddEvents(f.Context(), r.Attempt, 0, []store.Event{event(1, "a"), {ID: 2, Severity: "bad"}}),
			store.Invalid)
		f.refused(f.s.AddEvents(f.Context(), r.Attempt, 0, []store.Event{event(1, "a"), event(1, "b")}), store.Conflict)
		f.equal(f.messages(store.EventFilter{}), []string(nil))
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, []store.Event{event(1, "a")}))
		f.refused(f.s.AddEvents(f.Context(), r.Attempt, 1, []store.Event{event(1, "b")}), store.Conflict)
	},
	"many events at once": func(f fixture) {
		r := f.start("", "build")
		var events []store.Event
		for i := range 1234 {
			events = append(events, event(i+1, fmt.Sprint("m", i)))
		}
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, events))
		got := f.messages(store.EventFilter{})
		f.equal([]any{len(got), got[0], got[1233]}, []any{1234, "m0", "m1233"})
	},
	"newer runs first, then log order, with the total": func(f fixture) {
		f.fail("", "build", "a", "b")
		f.fail("", "build", "c", "d")
		all := []string{"c", "d", "a", "b"}
		f.equal(f.messages(store.EventFilter{}), all)
		for _, p := range []struct{ limit, offset int }{{1, 0}, {2, 1}, {3, 3}, {4, 0}, {0, 2}, {5, 9}} {
			page, err := f.s.Events(f.Context(), everything, store.EventFilter{Limit: p.limit, Offset: p.offset})
			f.ok(err)
			to := len(all)
			if p.limit > 0 {
				to = min(to, p.offset+p.limit)
			}
			f.equal([]int{len(page.Events), page.Total}, []int{max(0, to-p.offset), 4})
		}
	},
	"page by page": func(f fixture) {
		f.fail("", "build", "a", "b", "c")
		f.fail("", "build", "d")
		all := store.EventFilter{Runs: store.RunFilter{Serials: []int{1}}}
		f.equal(f.messages(all), []string{"a", "b", "c"})
		all.After = 1
		page, err := f.s.Events(f.Context(), everything, all)
		f.ok(err)
		f.equal([]int{len(page.Events), page.Events[0].ID, page.Total}, []int{2, 2, 2})
		all.After, all.Limit = 2, 1
		f.equal(f.messages(all), []string{"c"})
		all.After = 3
		f.equal(f.messages(all), []string(nil))
	},
	"the runs are selected as in a list": func(f fixture) {
		f.fail("", "build", "old")
		f.fail("", "test", "t")
		f.fail("", "build", "new")
		f.finish(f.start("", "lint"), 0)
		f.equal(f.messages(store.EventFilter{Runs: store.RunFilter{Newest: true}}), []string{"new", "t"})
		f.equal(f.messages(store.EventFilter{Runs: store.RunFilter{Source: "build"}}), []string{"new", "old"})
		f.equal(f.messages(store.EventFilter{Runs: store.RunFilter{Limit: 2}}), []string{"new"})
		f.equal(f.messages(store.EventFilter{Runs: store.RunFilter{Serials: []int{1, 2}}}), []string{"t", "old"})
	},
	"the total counts what is selected": func(f fixture) {
		f.fail("", "build", "old", "old", "old")
		r := f.start("", "build")
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, []store.Event{
			event(1, "a"), event(2, "b"), {ID: 3, Severity: store.SeverityWarning, Message: "w"},
			{ID: 4, Severity: store.SeverityInfo}, {ID: 5, Severity: store.SeverityInfo},
		}))
		f.fail("", "test", "t")
		newest, b := store.RunFilter{Newest: true}, event(1, "b").Fingerprint
		for _, test := range []struct {
			filter      store.EventFilter
			page, total int
		}{
			{store.EventFilter{Runs: newest, Limit: 1}, 1, 6},
			{store.EventFilter{Runs: newest, Limit: 1, Offset: 9}, 0, 6},
			{store.EventFilter{Runs: newest, Limit: 2, Severities: []store.Severity{store.SeverityError}}, 2, 3},
			{store.EventFilter{Runs: newest, Limit: 1,
				Severities: []store.Severity{store.SeverityInfo, store.SeverityWarning, store.SeverityInfo}}, 1, 3},
			{store.EventFilter{Runs: newest, Limit: 1, Severities: []store.Severity{"bad"}}, 0, 0},
			{store.EventFilter{Runs: newest, Limit: 1, Severities: []store.Severity{store.SeverityError}, FileLike: "SRC/%"},
				1, 3},
			{store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}, Limit: 1, Fingerprints: []string{b}}, 1, 1},
			{store.EventFilter{Runs: store.RunFilter{Source: "build", Limit: 1}, Limit: 3}, 3, 5},
		} {
			page, err := f.s.Events(f.Context(), everything, test.filter)
			f.ok(err)
			f.equal([]int{len(page.Events), page.Total}, []int{test.page, test.total})
		}
	},
	"by fingerprint": func(f fixture) {
		f.fail("", "build", "a", "b")
		f.fail("", "test", "a")
		f.fail("", "build", "b", "c")
		a, b := event(1, "a").Fingerprint, event(1, "b").Fingerprint
		f.equal(f.messages(store.EventFilter{Fingerprints: []string{b}}), []string{"b", "b"})
		f.equal(f.messages(store.EventFilter{Fingerprints: []string{a, b}, Runs: store.RunFilter{Source: "build"}}),
			[]string{"b", "a", "b"})
		f.equal(f.messages(store.EventFilter{Fingerprints: []string{}}), []string(nil))
		_, err := f.s.Events(f.Context(), everything, store.EventFilter{Fingerprints: []string{"a"}})
		f.refused(err, store.Invalid, `"a"`)
	},
	"out of scope there are none": func(f fixture) {
		f.fail("o/secret", "build", "m")
		for _, sc := range []store.Scope{{}, store.Repos("o/mine")} {
			for _, filter := range []store.EventFilter{{}, {Runs: store.RunFilter{Repo: "o/secret"}},
				{Runs: store.RunFilter{Newest: true}}} {
				page, err := f.s.Events(f.Context(), sc, filter)
				f.ok(err)
				f.equal(page, store.EventPage{})
			}
		}
	},
	"filters compare as written": func(f fixture) {
		r := f.start("", "build", func(r *store.Run) { r.Git = store.Git{Branch: "main", Commit: "abcdef"} })
		var events []store.Event
		for i, e := range []store.Event{
			{Severity: store.SeverityError, File: "src/Test_a.c", Line: 5, Message: `it's "quoted"`, Tool: "gcc",
				Category: "compile"},
			{Severity: store.SeverityError, File: "src/testXa.c", Line: 50, Message: "100% done", Tool: "mypy", Code: "E1"},
			{Severity: store.SeverityWarning, File: "lib/b.c", Message: "100 done, or more", Test: "t::x"},
			{Severity: store.SeverityInfo, Message: "note", LogLine: 5},
		} {
			e.ID = i + 1
			events = append(events, signed(e))
		}
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, events))
		for filter, want := range map[string][]int{
			"severity=error":                             {1, 2},
			"severity=error,info":                        {1, 2, 4},
			"severity=critical":                          {1, 2},
			"severity!=error":                            {3, 4},
			"severity!=error,info":                       {3},
			"tool_name!=mypy":                            {1, 3, 4},
			"tool_name=GCC":                              nil,
			"tool_name~GC":                               {1},
			"ref_file~test":                              {1, 2},
			"ref_file~test_":                             {1},
			"ref_file~TEST_A":                            {1},
			"message~%":                                  {2},
			"message~\"100% \"":                          {2},
			`message~"it's \"q"`:                         {1},
			`message="it's \"quoted\""`:                  {1},
			`message~"done, or"`:                         {3},
			`message~"' OR 1=1 --"`:                      nil,
			"ref_line=5":                                 {1},
			"ref_line=05":                                {1},
			"ref_line~5":                                 {1, 2},
			"ref_line!=5":                                {2, 3, 4},
			"log_line=5":                                 {4},
			"code=E1":                                    {2},
			"category=compile":                           {1},
			"test_name~::":                               {3},
			"ref_file~src tool_name=gcc":                 {1},
			"run_id=1 severity=error":                    {1, 2},
			"run_id=2":                                   nil,
			"run_ref=build:1 ref_line=50":                {2},
			"source_name=build code=E1":                  {2},
			"git_branch=main code=E1":                    {2},
			"git_branch!=main":                           nil,
			"git_commit~BCD code=E1":                     {2},
			"fingerprint=" + events[1].Fingerprint:       {2},
			"fingerprint!=" + events[1].Fingerprint:      {1, 3, 4},
			"fingerprint~" + events[1].Fingerprint[7:20]: {2},
			"fingerprint=nonsense":                       nil,
		} {
			conditions, err := store.ParseFilter(filter)
			f.ok(err)
			page, err := f.s.Events(f.Context(), everything, store.EventFilter{Where: conditions})
			f.ok(err)
			var got []int
			for _, e := range page.Events {
				got = append(got, e.ID)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) || page.Total != len(want) {
				f.Errorf("%s: got %v of %d, want %v", filter, got, page.Total, want)
			}
		}
		for _, c := range []store.Condition{
			{Field: "ref_line", Op: store.Equal, Values: []string{"five"}},
			{Field: "none", Op: store.Equal, Values: []string{"x"}},
			{Field: "code", Op: "<", Values: []string{"x"}}, {Field: "code", Op: store.Equal},
		} {
			_, err := f.s.Events(f.Context(), everything, store.EventFilter{Where: []store.Condition{c}})
			f.refused(err, store.Invalid)
		}
		f.equal(f.messages(store.EventFilter{FileLike: "lib/%", Severities: []store.Severity{store.SeverityWarning}}),
			[]string{"100 done, or more"})
		f.equal(f.messages(store.EventFilter{FileLike: "b.c"}), []string(nil))
	},
}

// messages returns the messages of the events that a filter selects.
func (f fixture) messages(filter store.EventFilter) []string {
	f.Helper()
	page, err := f.s.Events(f.Context(), everything, filter)
	f.ok(err)
	var list []string
	for _, e := range page.Events {
		list = append(list, e.Message)
	}
	return list
}
