package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// nextestOutput is output in the default format of cargo-nextest. It was written by hand.
const nextestOutput = `────────────
 Nextest run ID 3b3b with nextest profile: default
    Starting 3 tests across 1 binary
        PASS [   0.004s] shop tests::ok
        FAIL [   0.005s] shop tests::wrong
  stdout ───

    running 1 test
    test tests::wrong ... FAILED

    failures:

    failures:
        tests::wrong

    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.00s

  stderr ───

    thread 'tests::wrong' panicked at src/lib.rs:27:9:
    assertion ` + "`left == right`" + ` failed
      left: 2
     right: 3
    note: run with ` + "`RUST_BACKTRACE=1`" + ` environment variable to display a backtrace

     SIGABRT [   0.006s] (3/3) shop::whole aborts
────────────
     Summary [   0.009s] 3 tests run: 1 passed, 2 failed, 0 skipped
        FAIL [   0.005s] shop tests::wrong
     SIGABRT [   0.006s] (3/3) shop::whole aborts
error: test run failed
`

func TestNextest(t *testing.T) {
	code := 100
	var got []string
	for _, e := range parse.Bytes([]byte(nextestOutput), &code, all) {
		if e.Severity == store.SeverityError {
			message, _, _ := strings.Cut(e.Message, "\n")
			got = append(got, e.Test+" "+e.File+" "+message)
		}
	}
	want := []string{
		"tests::wrong src/lib.rs assertion `left == right` failed",
		"aborts  test failed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events differ (-want +got):\n%s", diff)
	}
}
