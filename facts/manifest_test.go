package facts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// entry returns the entry of a file whose content is its path.
func entry(path string) facts.Entry {
	return facts.Entry{File: facts.File{Path: path, Digest: facts.Digest([]byte(path)), Size: int64(len(path))}}
}

func TestTheManifestIsCanonical(t *testing.T) {
	t.Parallel()
	run := entry("b<&>.md")
	run.Mode = facts.Executable
	m, text, err := facts.NewManifest(store.FactDocs, []facts.Entry{run, entry("ä/z.md"), entry("a.md")})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"version":1,"kind":"docs","files":[{"path":"a.md","digest":"%s","size":4},`+
		`{"path":"b<&>.md","digest":"%s","size":7,"mode":"100755"},{"path":"ä/z.md","digest":"%s","size":7}]}`+"\n",
		facts.Digest([]byte("a.md")), facts.Digest([]byte("b<&>.md")), facts.Digest([]byte("ä/z.md")))
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
	again, err := facts.ParseManifest(text)
	if diff := cmp.Diff(m, again); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if diff := cmp.Diff(facts.Size{Kind: store.FactDocs, Files: 3, Bytes: 18}, again.Size()); diff != "" {
		t.Error(diff)
	}
	_, none, err := facts.NewManifest(store.FactDocs, nil)
	if string(none) != `{"version":1,"kind":"docs","files":[]}`+"\n" || err != nil {
		t.Errorf("%s, %v", none, err)
	}
	if _, err := facts.ParseManifest(none); err != nil {
		t.Error(err)
	}
}

func TestOtherManifestsAreRefused(t *testing.T) {
	t.Parallel()
	_, text, err := facts.NewManifest(store.FactDocs, []facts.Entry{entry("a.md"), entry("b.md")})
	if err != nil {
		t.Fatal(err)
	}
	edit := func(old, new string) string { return strings.Replace(string(text), old, new, 1) }
	for bad, word := range map[string]string{
		"":                                 "not valid",
		"[]":                               "not valid",
		edit(`"version":1`, `"version":2`): "version 2",
		edit(`"docs"`, `"poems"`):          "not a kind",
		edit(`"a.md"`, `"c.md"`):           "not in order",
		edit(`"a.md"`, `"b.md"`):           "listed twice",
		edit(`"a.md"`, `"../a.md"`):        "cannot be the path",
		edit(`"a.md"`, `"/a.md"`):          "cannot be the path",
		edit(`"a.md"`, `"."`):              "cannot be the path",
		edit(`"a.md"`, `"a\u0000.md"`):     "cannot be the path",
		edit(`"a.md"`, `"a//b.md"`):        "cannot be the path",
		edit(`"a.md"`, `"`+strings.Repeat("a", 4097)+`"`): "cannot be the path",
		edit(`"size":4`, `"size":-4`):                     "no valid digest, size or mode",
		edit(`"size":4`, `"size":4,"mode":"x"`):           "no valid digest, size or mode",
		edit(`"digest":"`, `"digest":"0`):                 "no valid digest",
		edit(`{"version"`, ` {"version"`):                 "not canonical",
		edit(`"size":4`, `"size":4,"other":true`):         "not canonical",
		edit(`"files"`, `"Files"`):                        "not canonical",
		string(text) + "{}":                               "not valid",
	} {
		if _, err := facts.ParseManifest([]byte(bad)); store.CodeOf(err) != store.Invalid ||
			!strings.Contains(err.Error(), word) {
			t.Errorf("%.80s: %v, want %q", bad, err, word)
		}
	}
}

func TestManifestsHaveLimits(t *testing.T) {
	t.Parallel()
	huge := entry("a.md")
	huge.Size = facts.MaxFile + 1
	var large, many, long []facts.Entry
	for i := range facts.MaxFiles + 1 {
		many = append(many, entry(fmt.Sprintf("%06d.md", i)))
	}
	for i := range facts.MaxBytes/facts.MaxFile + 1 {
		e := entry(fmt.Sprint(i, ".md"))
		e.Size = facts.MaxFile
		large = append(large, e)
	}
	for i := range 3000 {
		long = append(long, entry(fmt.Sprint(strings.Repeat("a", 4000), i)))
	}
	for word, entries := range map[string][]facts.Entry{"has 33554433 bytes; a file": {huge},
		"more than 20000 files":              many,
		"more than 268435456 bytes together": large, "more than 8388608 bytes": long} {
		_, _, err := facts.NewManifest(store.FactDocs, entries)
		if store.CodeOf(err) != store.TooLarge || !strings.Contains(err.Error(), word) || store.NextOf(err) == nil {
			t.Errorf("%v, want %q with a next step", err, word)
		}
	}
	if _, _, err := facts.NewManifest(store.FactDocs, many[:facts.MaxFiles]); err != nil {
		t.Error(err)
	}
	short := `{"version":1,"kind":"docs","files":[` + strings.Repeat("{},", facts.MaxManifest/3-100) + `{}]}`
	for _, text := range []string{strings.Repeat("x", facts.MaxManifest+1), short} {
		if _, err := facts.ParseManifest([]byte(text)); store.CodeOf(err) != store.TooLarge {
			t.Error(err)
		}
	}
}

func TestWhatIsAFact(t *testing.T) {
	t.Parallel()
	for kind, files := range map[store.FactKind]map[string]bool{
		store.FactDocs: {
			"README.md": true, "a/b/c.MD": true, "guide.mdx": true, "x.rst": true, "x.adoc": true, "x.markdown": true,
			"llms.txt": true, "site/llms-full.txt": true, "README": true, "readme": false, "INSTALL": true, "readme.txt": true,
			"docs/notes.txt": true, "Documentation/a/b.txt": true, "notes.txt": false, "requirements.txt": false,
			"docs/requirements.txt": false, "CMakeLists.txt": false, "docs/CMakeLists.txt": false, "docs/conf.py": false,
			"node_modules/a/README.md": false, "a/vendor/b/README.md": false, "vendor.md": true, "release.tar.gz.asc": false,
			"signing-key.asc": false, "chapter.asc": true, "docs/Makefile": false, "main.go": false, "drop/a.md": false,
			"drop.md": true, "dropped/a.md": true, "mcp/testdata/answer.md": false, "fixtures/a.rst": false, "testdata.md": true,
		},
		store.FactCode: {"main.go": true, "a/b.py": true, "README.md": false, "vendor/x.go": false, "a.png": false},
		store.FactGraph: {".beadloom/_graph/a.yml": true, ".beadloom/rules.yaml": true, "a.yml": false,
			".beadloom/a.db": false},
		store.FactContracts: {".blue/config.yaml": true, ".blue/contracts/a.yaml": true, ".blue/session": false,
			"blue/a.yaml": false},
		"poems": {"README.md": false},
	} {
		s := facts.Selection{Kind: kind, Exclude: []string{"drop/", "./other"}}
		for file, want := range files {
			if got := s.Has(file); got != want {
				t.Errorf("%s of %s: %v", file, kind, got)
			}
		}
	}
}

func TestNamesOfPullRequests(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"PR#12": 12, "pr#1": 1, "#7": 7, "12": 0, "PR12": 0, "PR#": 0, "PR#0": 0,
		"PR#-1": 0, "PR#+1": 0, "XPR#1": 0, "PR#1x": 0, "": 0} {
		if got := facts.PullRequest(name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}
