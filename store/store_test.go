package store_test

import (
	"errors"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestParseRefReadsEveryForm(t *testing.T) {
	const uuid = "01999999-0000-7000-8000-00000000abcd"
	for s, want := range map[string]store.Ref{
		"build:5":                {Source: "build", Serial: 5},
		"5":                      {Serial: 5},
		"build:5:3":              {Source: "build", Serial: 5, Event: 3},
		"5:3":                    {Serial: 5, Event: 3},
		"build:5:L40-L60":        {Source: "build", Serial: 5, From: 40, To: 60},
		"5:L40":                  {Serial: 5, From: 40, To: 40},
		"build":                  {Source: "build"},
		"build:latest":           {Source: "build"},
		"latest":                 {},
		"~1":                     {Back: 1},
		"build:~1":               {Source: "build", Back: 1},
		"build:~1:3":             {Source: "build", Back: 1, Event: 3},
		"latest:3":               {Event: 3},
		uuid:                     {Attempt: uuid},
		uuid + ":3":              {Attempt: uuid, Event: 3},
		"owner/name@build:5:3":   {Repo: "owner/name", Source: "build", Serial: 5, Event: 3},
		"owner/name@latest":      {Repo: "owner/name"},
		"owner/name@" + uuid:     {Repo: "owner/name", Attempt: uuid},
		" build:5 ":              {Source: "build", Serial: 5},
		"ci/build-x86.64_b+c:12": {Source: "ci/build-x86.64_b+c", Serial: 12},
		"build:L3":               {Source: "build", From: 3, To: 3},
	} {
		got, err := store.ParseRef(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", s, diff)
		}
	}
	for _, s := range []string{"", ":", "build:", "build:0", "build:-1", "build:5:0", "build:5:3:1", "5:x", "a b",
		"@build", "x@build", "build:5:L9-L3", "build:5:L0", "~", "~x", "+5", uuid + "x", "build:5:L",
		"build:99999999999999999999"} {
		if got, err := store.ParseRef(s); store.CodeOf(err) != store.Invalid {
			t.Errorf("%q: got %+v, %v", s, got, err)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	for _, s := range []string{"build:5:3", "o/n@build:~1", "latest:L3-L9", "~0", "01999999-0000-7000-8000-00000000abcd:3",
		"Lint:3", "L3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := store.ParseRef(s)
		if err != nil {
			return
		}
		again, err := store.ParseRef(r.String())
		if err != nil || again != r {
			t.Errorf("%q: %+v is written %q and read %+v, %v", s, r, r.String(), again, err)
		}
	})
}

func TestParseFilter(t *testing.T) {
	for s, want := range map[string][]store.Condition{
		"": nil,
		"severity=error,warning ref_file~test tool_name!=mypy": {
			{Field: "severity", Op: store.Equal, Values: []string{"error", "warning"}},
			{Field: "ref_file", Op: store.Contains, Values: []string{"test"}},
			{Field: "tool_name", Op: store.NotEqual, Values: []string{"mypy"}},
		},
		"severity=error, ref_line=5": {
			{Field: "severity", Op: store.Equal, Values: []string{"error"}},
			{Field: "ref_line", Op: store.Equal, Values: []string{"5"}},
		},
		`message~"a, \"b\" \\ c=d",e`: {{Field: "message", Op: store.Contains, Values: []string{`a, "b" \ c=d`, "e"}}},
		"message=100%_x=y":            {{Field: "message", Op: store.Equal, Values: []string{"100%_x=y"}}},
	} {
		got, err := store.ParseFilter(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", s, diff)
		}
	}
	for _, s := range []string{"error", "nope=1", "severity", `message="open`, "=x", "severity<error"} {
		if _, err := store.ParseFilter(s); store.CodeOf(err) != store.Invalid || store.NextOf(err) == nil {
			t.Errorf("%q: got %v", s, err)
		}
	}
}

func FuzzParseFilter(f *testing.F) {
	f.Add(`severity=error,warning ref_file~test message~"a \" b", code=x`)
	f.Fuzz(func(t *testing.T, s string) {
		list, err := store.ParseFilter(s)
		if err != nil && store.CodeOf(err) != store.Invalid {
			t.Errorf("%q: %v", s, err)
		}
		for _, c := range list {
			if len(c.Values) == 0 || c.Op == "" {
				t.Errorf("%q: %+v", s, c)
			}
		}
	})
}

func compile(message string) store.Event {
	return store.Event{Tool: "gcc", Category: store.CategoryCompile, File: "src/a.c", Message: message}
}

func TestFingerprintIgnoresWhatDiffersBetweenRuns(t *testing.T) {
	for _, pair := range [][2]string{
		{"died at 0x7ffd1234", "died at 0x7fff9876"},
		{"cannot open /tmp/pip-abc12/x.c", "cannot open /tmp/pip-zz9/x.c"},
		{"timed out after 1.53s", "timed out after 12.1s"},
		{"took 12ms", "took 9ms"},
		{"at 2026-01-02T03:04:05Z failed", "at 2025-11-30T23:59:01Z failed"},
		{"at 2026-01-02 03:04:05.123 failed", "at 2025-11-30 23:59:01.9 failed"},
		{"declared at line 12", "declared at line 1345"},
		{"see a.c:12:4", "see a.c:99:17"},
		{"see a.c:12", "see a.c:99"},
		{"id 550e8400-e29b-41d4-a716-446655440000", "id 650e8400-e29b-41d4-a716-446655440001"},
		{"[12:03:04] bad", "[02:13:14] bad"},
	} {
		a, b := compile(pair[0]), compile(pair[1])
		a.Line, b.Line = 1, 2
		if store.Fingerprint(a) != store.Fingerprint(b) {
			t.Errorf("differ: %q %q", pair[0], pair[1])
		}
	}
	a, b := compile("m"), compile("m")
	a.File, b.File = "/tmp/build-1a/x.c", "/tmp/build-2b/x.c"
	if store.Fingerprint(a) != store.Fingerprint(b) {
		t.Error("a temporary directory of the file matters")
	}
}

func TestFingerprintTellsProblemsApart(t *testing.T) {
	for _, pair := range [][2]string{
		{"'foo' undeclared", "'bar' undeclared"},
		{"'foo1' undeclared", "'foo2' undeclared"},
		{"expected 2 arguments", "expected 3 arguments"},
		{"error C2065", "error C2066"},
		{"no member 'x3' in 'v2'", "no member 'x3' in 'v4'"},
		{"conflict with std::array2", "conflict with std::array3"},
	} {
		if store.Fingerprint(compile(pair[0])) == store.Fingerprint(compile(pair[1])) {
			t.Errorf("the same: %q %q", pair[0], pair[1])
		}
	}
	a, b := compile("m"), compile("m")
	b.File = "src/b.c"
	if store.Fingerprint(a) == store.Fingerprint(b) {
		t.Error("the file does not matter")
	}
	b = compile("m")
	b.Code = "-Wx"
	if store.Fingerprint(a) == store.Fingerprint(b) {
		t.Error("the code does not matter")
	}
}

func TestFingerprintOfATestIgnoresWhatItSaid(t *testing.T) {
	a := store.Event{Tool: "pytest", Category: store.CategoryTest, Test: "t.py::test_x", File: "t.py",
		Message: "assert 1 == 2"}
	b := a
	b.Message, b.Code, b.Line = "assert 7 == 9", "AssertionError", 30
	if store.Fingerprint(a) != store.Fingerprint(b) {
		t.Error("what it said matters")
	}
	b.Test = "t.py::test_y"
	if store.Fingerprint(a) == store.Fingerprint(b) {
		t.Error("the test does not matter")
	}
}

func TestFingerprintIsANumberAndBack(t *testing.T) {
	for _, e := range []store.Event{compile("m"), {}, {Tool: "my_tool", Category: "lint", Message: "x"}} {
		for _, s := range []string{store.Fingerprint(e), store.Pattern(e)} {
			n, ok := store.FingerprintHash(s)
			if got := store.FormatFingerprint(e.Tool, e.Category, n); !ok || n < 0 || got != s {
				t.Errorf("%s became %d, %v and %s", s, n, ok, got)
			}
		}
	}
	for _, s := range []string{"", "x", "a_b_123", "a_b_ffffffffffffffff", "a_b_zzzzzzzzzzzzzzzz"} {
		if _, ok := store.FingerprintHash(s); ok {
			t.Errorf("%q is a fingerprint", s)
		}
	}
}

func TestPatternGroupsLookAlikes(t *testing.T) {
	a, b := compile("'foo' undeclared"), compile("'bar' undeclared")
	b.File = "other.c"
	if store.Pattern(a) != store.Pattern(b) {
		t.Error("look-alikes differ")
	}
	if store.Pattern(a) == store.Pattern(compile("'foo' redeclared")) {
		t.Error("other complaints are the same")
	}
}

func TestCompareCounts(t *testing.T) {
	event := func(id int, print string) store.RunEvent {
		return store.RunEvent{Event: store.Event{ID: id, Severity: store.SeverityError, Fingerprint: print}}
	}
	warning := store.RunEvent{Event: store.Event{ID: 9, Severity: store.SeverityWarning, Fingerprint: "w"}}
	base := []store.RunEvent{event(1, "a"), event(2, "b"), event(3, "c"), event(4, "c"), warning}
	head := []store.RunEvent{event(5, "a"), event(6, "a"), event(7, "a"), event(8, "c"), warning}
	want := store.Comparison{
		New:       []store.RunEvent{event(6, "a"), event(7, "a")},
		Fixed:     []store.RunEvent{event(2, "b"), event(4, "c")},
		Unchanged: []store.RunEvent{event(5, "a"), event(8, "c")},
		Counts:    store.Changes{New: 2, Fixed: 2, Unchanged: 2},
	}
	for _, limit := range []int{0, 1, 2} {
		got, err := store.Compare(read(base, nil), read(head, nil), limit)
		if err != nil {
			t.Fatal(err)
		}
		want := want
		if limit > 0 {
			want.New, want.Fixed, want.Unchanged = want.New[:limit], want.Fixed[:limit], want.Unchanged[:limit]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at most %d: -want +got:\n%s", limit, diff)
		}
	}
	broken := errors.New("broken")
	if _, err := store.Compare(read(base, broken), read(head, nil), 0); !errors.Is(err, broken) {
		t.Errorf("a base that cannot be read: %v", err)
	}
	if _, err := store.Compare(read(base, nil), read(head, broken), 0); !errors.Is(err, broken) {
		t.Errorf("a head that cannot be read: %v", err)
	}
}

// read yields events one by one. At the end it yields the error if the error is not nil.
func read(events []store.RunEvent, err error) iter.Seq2[store.RunEvent, error] {
	return func(yield func(store.RunEvent, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(store.RunEvent{}, err)
		}
	}
}

func TestErrorsKeepCodeHintAndCause(t *testing.T) {
	cause := errors.New("cause")
	err := store.Hint(store.Errorf(store.Conflict, "x: %w", cause), "do %s", "y")
	if store.CodeOf(err) != store.Conflict || store.NextOf(err) != store.Text("do y") || !errors.Is(err, cause) {
		t.Errorf("code %q, hint %q, cause %v", store.CodeOf(err), store.NextOf(err), errors.Is(err, cause))
	}
	if store.Hint(nil, "x") != nil || store.CodeOf(cause) != "" || store.NextOf(cause) != nil {
		t.Error("an error without a code has one")
	}
}

// Stores keep fingerprints, and compare them with fingerprints of later releases. So these values must not change
// unless the version changes.
func TestFingerprintsStayAcrossReleases(t *testing.T) {
	test := store.Event{Tool: "pytest", Category: store.CategoryTest, Test: "t.py::test_x", File: "t.py",
		Message: "assert 1 == 2"}
	named := test
	named.Category = store.CategoryRuntime
	for want, e := range map[[2]string]store.Event{
		{"unknown_other_0da26021caae73ef", "unknown_other_1cd16ecdcbcda540"}:   {},
		{"gcc_compile_011b1d4f5576fb8a", "gcc_compile_6fbc2bef6459cc9c"}:       compile("'foo' undeclared at line 5"),
		{"pytest_test_572f78ddfbc9154b", "pytest_test_3340372d0b4188ea"}:       test,
		{"pytest_runtime_2feb546725f95a7f", "pytest_runtime_3340372d0b4188ea"}: named,
	} {
		if got := [2]string{store.Fingerprint(e), store.Pattern(e)}; got != want {
			t.Errorf("%+v: got %q, want %q", e, got, want)
		}
	}
}

func TestFingerprintsNameToolAndCategory(t *testing.T) {
	for want, e := range map[string]store.Event{
		"unknown_other_00000000000000ff": {}, "gcc_compile_00000000000000ff": {Tool: "gcc", Category: store.CategoryCompile},
		"ab_other_00000000000000ff":     {Tool: "a\u200b\x00b\n"},
		"unknown_lint_00000000000000ff": {Tool: "\u202e", Category: store.CategoryLint},
	} {
		if got := store.FormatFingerprint(e.Tool, e.Category, 255); got != want {
			t.Errorf("%+v: got %q, want %q", e, got, want)
		}
	}
}
