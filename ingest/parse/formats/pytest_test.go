package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/parse"
)

var pytestWordings = []struct{ name, log, want string }{
	{"pytest 3 without a summary", `============================= test session starts ==============================
platform linux2 -- Python 2.7.12, pytest-3.0.6, py-1.4.32, pluggy-0.4.0
rootdir: /src, inifile: setup.cfg
collected 2 items

tests/test_a.py .F

=================================== FAILURES ===================================
_________________________________ TestA.test_b _________________________________

self = <test_a.TestA instance at 0x7f>

    def test_b(self):
>       assert 1 == 2
E       assert 1 == 2

tests/test_a.py:5: AssertionError
====================== 1 failed, 1 passed in 0.12 seconds ======================
`, "tests/test_a.py:5 tests/test_a.py::TestA::test_b assert 1 == 2"},
	{"quiet session, then another tool", `F                                                                        [100%]
=================================== FAILURES ===================================
____________________________________ test_b ____________________________________
E   assert 0
tests/test_a.py:5: AssertionError
1 failed in 0.12s
__________________________ not a test, an ASCII ruler __________________________
`, "tests/test_a.py:5 tests/test_a.py::test_b assert 0"},
	{"pytest 8 in CI: a message of several lines",
		`=========================== short test summary info ============================
FAILED tests/test_a.py::test_b[x - y] - AssertionError: one
src/a.c:1:2: error: two

FAILED tests/test_a.py::test_c - KeyError: 'k'
========================= 2 failed, 1 passed in 0.12s ==========================
`, "tests/test_a.py:0 tests/test_a.py::test_b[x - y] AssertionError: one\n" +
			"tests/test_a.py:0 tests/test_a.py::test_c KeyError: 'k'"},
	{"subtests of pytest 9", `=========================== short test summary info ============================
SUBFAILED(i=1) tests/test_a.py::test_b - assert 1 == 0
SUBFAILED[msg] (i=2) tests/test_a.py::test_b - assert 2 == 0
============================== 2 failed in 0.12s ===============================
`, "tests/test_a.py:0 tests/test_a.py::test_b assert 1 == 0\ntests/test_a.py:0 tests/test_a.py::test_b assert 2 == 0"},
	{"killed while tests ran", `============================= test session starts ==============================
tests/test_a.py::test_ok PASSED                                          [ 33%]
tests/test_a.py::test_error_handling PASSED                              [ 66%]
tests/test_a.py::test_b FAILED
[gw1] FAILED tests/test_a.py::TestC::test_c
[gw0] [ 99%] PASSED tests/test_a.py::test_FAILED
`, "tests/test_a.py:0 tests/test_a.py::test_b test failed\n" +
		"tests/test_a.py:0 tests/test_a.py::TestC::test_c test failed"},
	{"a Windows path", `============================= test session starts =============================
=================================== FAILURES ==================================
___________________________________ test_b ____________________________________
tests\test_a.py:5: in test_b
    f()
shop\cart.py:9: in f
    raise ValueError("x")
E   ValueError: x
=========================== short test summary info ===========================
FAILED tests/test_a.py::test_b - ValueError: x
============================== 1 failed in 0.12s ==============================
`, "tests/test_a.py:5 tests/test_a.py::test_b ValueError: x"},
	{"counts only", "collected 3 items\n\n===== 2 failed, 1 passed in 0.12s =====\n", ":0  2 failed, 1 passed in 0.12s"},
}

// TestPytestWordings reads text of pytest 3 to 9, pytest-xdist and pytest-subtests that no golden shows. The text is
// written by hand, because these versions were not run.
func TestPytestWordings(t *testing.T) {
	failed := 1
	for _, c := range pytestWordings {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, e := range parse.Bytes([]byte(c.log), &failed, all) {
				got = append(got, fmt.Sprintf("%s:%d %s %s", e.File, e.Line, e.Test, e.Message))
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("events differ (-want +got):\n%s", diff)
			}
		})
	}
}
