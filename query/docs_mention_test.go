package query_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// manual is a project whose documentation mentions possible errors.
var manual = querytest.Files{
	"README.md": "# Shop\n\nSee src/lock.c.\n\n## Leases\n\nA lease ends after `LeaseTimeout`; `renew_lease` renews it.\n",
	"docs/errors.md": "# Errors\n\n## E0417\n\nThe lease was lost. Run `shop repair`.\n\n## SHOP-12\n\nDisk full.\n\n" +
		"## Others\n\nE04171 and XE0417 are others, and so is my/SHOP-12.\n",
	"docs/tests.md":        "# Tests\n\ntest_lease_is_renewed needs a clock, and TestLease a network.\n",
	"services/a/README.md": "# A\n\n`src/lock.c` of this service, and main.py.\n",
	"docs/long.md": "# Long\n\n" + strings.Repeat("word ", 300) +
		"\n\n## config_path\n\nconfig_path says where.\n",
	"docs/everywhere/all.md":  strings.Repeat("# One\n\nThe shop_name is here.\n\n", 12),
	"services/a/docs/lock.md": "# Lock\n\nsrc/lock.c\n",
	"CHANGELOG.md":            "# 1.2\n\nold_name is gone. See main.py.\n",
}

// mentioned returns the words and places of the blocks that mention an error.
func mentioned(t *testing.T, e store.Event) []string {
	t.Helper()
	list := inspected(t, manual, e).Docs
	said := []string{}
	for _, m := range list {
		said = append(said, m.Word+" "+strings.TrimPrefix(m.Ref, "docs@0123456789/"))
	}
	return said
}

// inspected inspects an error of a run in a project with these documents.
func inspected(t *testing.T, files querytest.Files, e store.Event) query.Inspection {
	t.Helper()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Docs = querytest.Docs(t, f.Store.(store.Store), files)
	e.Severity, e.Tool = store.SeverityError, "tool"
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	r := f.Add(t,
		querytest.Run{Source: "build", At: 1, Exit: 1, Git: &store.Git{Commit: querytest.Commit}, Events: []store.Event{e}})
	in, err := f.Inspect(t.Context(), query.InspectParams{Ref: r.Ref().String() + ":1", Docs: true})
	querytest.Check(t, err)
	return in
}

func TestDocumentationThatSpeaksOfAnError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		event store.Event
		want  []string
	}{
		{"its code", store.Event{Code: "E0417", Message: "it failed"}, []string{"E0417 docs/errors.md:3-6"}},
		{"a code with a hyphen", store.Event{Code: "SHOP-12"}, []string{"SHOP-12 docs/errors.md:7-10"}},
		{"a code in its message", store.Event{Message: "error SHOP-12: it failed [E0417]"},
			[]string{"SHOP-12 docs/errors.md:7-10", "E0417 docs/errors.md:3-6"}},
		{"a number in its message", store.Event{Message: "it failed with SHOP-12 E0417 things"}, []string{}},
		{"a word of the language is no code", store.Event{Code: "lease"}, []string{}},
		{"a number is no code", store.Event{Code: "0417"}, []string{}},
		{"a part of a code", store.Event{Code: "E041"}, []string{}},
		{"its test", store.Event{Test: "tests/test_a.py::TestA::test_lease_is_renewed[one]"},
			[]string{"test_lease_is_renewed docs/tests.md:1-3"}},
		{"its Go test", store.Event{Test: "TestLease/renewed"}, []string{"TestLease docs/tests.md:1-3"}},
		{"a test that is a sentence", store.Event{Test: "the lease ends after a while"}, []string{}},
		{"a name in the message", store.Event{Message: "undefined: LeaseTimeout"},
			[]string{"LeaseTimeout README.md:5-7"}},
		{"names, each in another block", store.Event{Message: "renew_lease: bad config_path"},
			[]string{"renew_lease README.md:5-7", "config_path docs/long.md:5-7"}},
		{"one block is named once", store.Event{Message: "renew_lease: bad LeaseTimeout"},
			[]string{"renew_lease README.md:5-7"}},
		{"a part of a name", store.Event{Message: "undefined: LeaseTime, renew_leases"}, []string{}},
		{"words of the message", store.Event{Message: "the lease is lost: disk full"}, []string{}},
		{"what was changed once", store.Event{Message: "bad old_name"}, []string{}},
		{"what is everywhere tells nothing", store.Event{Message: "bad shop_name"}, []string{}},
		{"its file, not that of a service", store.Event{File: "src/lock.c"}, []string{"src/lock.c README.md:1-4"}},
		{"a file of a service", store.Event{File: "services/a/src/lock.c"},
			[]string{"services/a/src/lock.c services/a/README.md:1-3"}},
		{"a file of another service", store.Event{File: "services/b/src/lock.c"}, []string{}},
		{"a file without a directory", store.Event{File: "main.py"}, []string{}},
		{"all of it, the code first", store.Event{File: "src/lock.c", Code: "E0417", Test: "test_lease_is_renewed",
			Message: "LeaseTimeout"}, []string{"E0417 docs/errors.md:3-6", "test_lease_is_renewed docs/tests.md:1-3",
			"LeaseTimeout README.md:5-7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, mentioned(t, c.event)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMentionsAreShort(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("d/", 120)
	list := inspected(t, querytest.Files{
		"docs/" + deep + "a.md": "# " + strings.Repeat("é", 400) + "\n\nfirst_name_here\n",
		"docs/" + deep + "b.md": "# B\n\nsecond_name_here\n",
	}, store.Event{Message: "first_name_here second_name_here"}).Docs
	text, err := json.Marshal(list)
	querytest.Check(t, err)
	if len(list) != 1 || len(text) >= 600 {
		t.Errorf("%d mentions in %d bytes: %s", len(list), len(text), text)
	}
}

// If the documents of a repository would take long to index, none of them is cited. The document in which the error
// occurred is not cited.
func TestWhatSpeaksOfNoError(t *testing.T) {
	t.Parallel()
	event := store.Event{File: "docs/a.md", Code: "E0417"}
	for name, files := range map[string]querytest.Files{
		"no documents": {}, "the document with the error": {"docs/a.md": "# E0417\n", "docs/b.md": "# B\n"},
		"too many": {"docs/b.md": "# E0417\n", "docs/c.md": strings.Repeat("word\n", 1<<20)},
	} {
		if in := inspected(t, files, event); in.Docs != nil {
			t.Errorf("%s: %+v", name, in.Docs)
		}
	}
	if in := inspected(t, querytest.Files{"docs/b.md": "# E0417\n"}, event); len(in.Docs) != 1 {
		t.Errorf("%+v", in.Docs)
	}
}

func TestTriageNamesDocumentation(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Docs = querytest.Docs(t, f.Store.(store.Store), manual)
	e := store.Event{Severity: store.SeverityError, Tool: "cc", Message: "it failed", Code: "E0417", File: "a.c", Line: 3}
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	f.Add(t,
		querytest.Run{Source: "build", At: 1, Exit: 1, Git: &store.Git{Commit: querytest.Commit}, Events: []store.Event{e}})
	got := triage(t, f, query.TriageParams{Docs: true})
	want := []query.Mention{{Ref: "docs@0123456789/docs/errors.md:3-6", Heading: "Errors > E0417", Word: "E0417"}}
	if diff := cmp.Diff(want, got.Docs); diff != "" {
		t.Error(diff)
	}
	if got := triage(t, f, query.TriageParams{}); got.Docs != nil {
		t.Errorf("without being asked: %+v", got.Docs)
	}
}
