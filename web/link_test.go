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

// Links to a run still work after the run was pruned.
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

// The name of a tool is untrusted text. A path contains at most a single word of it.
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
