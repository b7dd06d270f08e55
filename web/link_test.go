package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/web"
)

func TestPathsOfRefs(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"build:5":                    "/run/build:5",
		"acme/shop@build:5":          "/run/acme/shop@build:5",
		"acme/shop@build:5:3":        "/event/acme/shop@build:5:3",
		"build:5:L40-L60":            "/log/build:5?line=40#L40-L60",
		"acme/shop@build:5:L40":      "/log/acme/shop@build:5?line=40#L40",
		"acme/shop@build:5:L40-L400": "/log/acme/shop@build:5?line=40#L40-L400",
		"a/../b:5":                   "/run/a%2F..%2Fb:5",
		"acme/shop@x//y:5":           "/run/acme%2Fshop@x%2F%2Fy:5",
	} {
		r, err := store.ParseRef(ref)
		if err != nil {
			t.Errorf("%s: %v", ref, err)
			continue
		}
		if got := web.PathOf(r, ""); got != want {
			t.Errorf("%s is at %s, want %s", ref, got, want)
		}
	}
}

// The path of a run leads to this run, even if the name of its source looks like a path that can be shortened.
func TestSourcesThatLookLikePaths(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for i, source := range []string{"a/../build", "x//y", "/abs", "./here"} {
		ref := f.Add(t, querytest.Run{Source: source, At: 40 + i, Exit: 1, Log: "it is " + source + "\n"}).Ref()
		for _, path := range []string{web.PathOf(ref, ""), strings.Replace(web.PathOf(ref, ""), "/run/", "/log/", 1)} {
			server := site(t, f)
			if answer := get(t, server.Client(), server.URL+path); !strings.Contains(answer.body, "it is "+source) {
				t.Errorf("%s: %d %s", path, answer.status, answer.body)
			}
		}
	}
}

// A page about the newest run has the address of this run. So links to the page, and links on it, do not lead to a
// later run. An address with lines leads to the lines.
func TestAddressesLast(t *testing.T) {
	t.Parallel()
	server := site(t, querytest.New(t))
	c := server.Client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for path, want := range map[string]string{
		"/run/build": "/run/build:3", "/log/build?line=6": "/log/build:3?line=6", "/errors/build": "/errors/build:3",
		"/search/build?q=a%26b": "/search/build:3?q=a%26b", "/compare/build?with=main": "/compare/build:3?with=main",
		"/upload/build": "/upload/build:3", "/run/build:~1": "/run/build:2",
		"/log/build:3:L4-L6": "/log/build:3?line=4#L4-L6", "/run/build:3:L4": "/log/build:3?line=4#L4",
		"/log/build:L2": "/log/build:3?line=2#L2",
	} {
		if answer := get(t, c, server.URL+path); answer.status != http.StatusSeeOther || answer.Get("Location") != want {
			t.Errorf("%s: %d, to %q, want %q", path, answer.status, answer.Get("Location"), want)
		}
	}
	for path, status := range map[string]int{"/run/nope": 404, "/log/nope:L3": 404, "/run/build:3": 200,
		"/event/build:3:1": 200, "/raw/build": 200, "/after/build": 200} {
		if answer := get(t, c, server.URL+path); answer.status != status {
			t.Errorf("%s: %d %s", path, answer.status, answer.body)
		}
	}
}

// A link to a pruned run gets status 410, and a page that names the run and links to the newest run.
func TestPrunedRuns(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	server := site(t, f)
	if _, err := f.Store.(store.Maintainer).Prune(context.Background(), store.Everything(),
		store.Policy{KeepPerSource: 1}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/run/build:1", "/event/build:1:1", "/log/build:1?line=3", "/raw/build:1",
		"/errors/build:1", "/compare/build:1", "/search/build:1?q=x"} {
		answer := get(t, server.Client(), server.URL+path)
		if answer.status != http.StatusGone || !strings.Contains(answer.body, "Run 1 of the source build") ||
			!strings.Contains(answer.body, `href="/run/build:3"`) {
			t.Errorf("%s: %d %s", path, answer.status, answer.body)
		}
	}
}

// A fingerprint contains the name of a tool, which is untrusted text. If the name is not a single word, the path
// contains only the hash of the fingerprint.
func TestPathsOfFingerprints(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{
		{"", "gcc_compile_0123456789abcdef", "/fingerprint/gcc_compile_0123456789abcdef"},
		{"acme/shop", "gcc_compile_0123456789abcdef", "/fingerprint/acme/shop@gcc_compile_0123456789abcdef"},
		{"acme/shop", "../../evil?x_lint_0123456789abcdef", "/fingerprint/acme/shop@0123456789abcdef"},
		{"", "gcc_compile", ""}, {"", "", ""},
	} {
		if got := web.PathOfFingerprint(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s in %q is at %q, want %q", tt[1], tt[0], got, tt[2])
		}
	}
}
