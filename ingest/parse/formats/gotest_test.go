package formats

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// Go before 1.14 printed the log of a verbose test below the line with the test's result, indented with tabs. This
// input is written by hand, because no such version of Go was available.
const oldGoTest = `=== RUN   TestA
=== RUN   TestA/sub
--- FAIL: TestA (0.00 seconds)
    --- FAIL: TestA/sub (0.00 seconds)
    	a_test.go:9: got 1, want 2
    		more
=== RUN   TestB
--- PASS: TestB (0.00 seconds)
	a_test.go:12: error: only a log
FAIL
exit status 1
FAIL	github.com/acme/shop/v2/cart	0.004s
`

func TestOldGoTest(t *testing.T) {
	var got []store.Event
	for _, e := range parse.Bytes([]byte(oldGoTest), nil, all) {
		if e.Severity == store.SeverityError {
			e.Fingerprint, e.Pattern, e.ID = "", "", 0
			got = append(got, e)
		}
	}
	want := []store.Event{{
		Severity: store.SeverityError, File: "cart/a_test.go", Line: 9, Message: "got 1, want 2\nmore", Tool: "gotest",
		Category: store.CategoryTest, Test: "TestA/sub", LogLine: 4, LogLineEnd: 6,
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events differ (-want +got):\n%s", diff)
	}
}

// The compilers before Go 1.10 printed no columns. This input is written by hand from the source code of such a
// compiler, because no such version of Go was available.
const oldGoBuild = `# github.com/acme/shop/cart
cart/cart.go:15: undefined: price
cart/cart.go:20: cannot use "two" (type string) as type int in assignment
# github.com/acme/shop/store [github.com/acme/shop/store.test]
store/store_test.go:4: imported and not used: "os"
=== RUN   TestB
--- PASS: TestB (0.00s)
    b_test.go:12: error: only a log
ok  	github.com/acme/shop	0.004s
FAIL	github.com/acme/shop/cart [build failed]
`

func TestOldGoBuild(t *testing.T) {
	var got []string
	for _, e := range parse.Bytes([]byte(oldGoBuild), nil, all) {
		if e.Severity == store.SeverityError {
			got = append(got, fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message))
		}
	}
	want := []string{
		"cart/cart.go:15: undefined: price",
		`cart/cart.go:20: cannot use "two" (type string) as type int in assignment`,
		`store/store_test.go:4: imported and not used: "os"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors differ (-want +got):\n%s", diff)
	}
}

func TestGoPackageDir(t *testing.T) {
	for path, want := range map[string]string{
		"github.com/acme/shop":             "",
		"github.com/acme/shop/cart":        "cart",
		"github.com/acme/shop/v2/cart/sub": "cart/sub",
		"golang.org/x/tools/go/packages":   "go/packages",
		"k8s.io/kubernetes/pkg/kubelet":    "pkg/kubelet",
		"gopkg.in/yaml.v3":                 "",
		"gopkg.in/acme/shop.v1/cart":       "cart",
		"shop/cart":                        "cart",
	} {
		if got, ok := goPackageDir(path); !ok || got != want {
			t.Errorf("goPackageDir(%q) = %q, %v, want %q", path, got, ok, want)
		}
	}
	if dir, ok := goPackageDir("beam.example.org/playground/backend"); ok {
		t.Errorf("a host that is not known gave %q", dir)
	}
}
