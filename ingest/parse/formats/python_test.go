package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/parse"
)

var pythonWordings = []struct{ name, log, want string }{
	{"zope.testrunner", `Failure in test test_total (shop.tests.CartTest)
Traceback (most recent call last):
  File "/usr/lib/python3.8/unittest/case.py", line 60, in testPartExecutor
    yield
  File "shop/tests.py", line 9, in test_total
    self.assertEqual(1, 2)
AssertionError: 1 != 2

  Ran 1 tests with 1 failures, 0 errors and 0 skipped in 0.003 seconds.
`, "error unittest shop/tests.py:9 shop.tests.CartTest.test_total AssertionError: 1 != 2"},
	{"unittest before Python 3.11", `test_total (shop.tests.CartTest) ... FAIL
test_tax (shop.tests.CartTest) ... ok

======================================================================
FAIL: test_total (shop.tests.CartTest)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "shop/tests.py", line 9, in test_total
    self.assertEqual(1, 2)
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1)
`, "error unittest shop/tests.py:9 shop.tests.CartTest.test_total AssertionError: 1 != 2"},
	{"pylint 1", `No config file found, using default configuration
************* Module shop.cart
C:  1, 0: Missing module docstring (missing-docstring)
E:  7,15: Undefined variable 'undefined_name' (undefined-variable)
`, "warning pylint shop/cart.py:1  Missing module docstring\n" +
		"error pylint shop/cart.py:7  Undefined variable 'undefined_name'"},
	{"pip 9", `Collecting nosuch==1
  Could not find a version that satisfies the requirement nosuch==1 (from versions: )
No matching distribution found for nosuch==1
`, "error pip :0  Could not find a version that satisfies the requirement nosuch==1 (from versions: )"},
	{"pip 9, a package that cannot be built", `Collecting b
    Complete output from command python setup.py egg_info:
    Traceback (most recent call last):
      File "/tmp/pip-build-1/b/setup.py", line 1, in <module>
        import nosuch
    ModuleNotFoundError: No module named 'nosuch'

    ----------------------------------------
Command "python setup.py egg_info" failed with error code 1 in /tmp/pip-build-1/b/
`, `error python /tmp/pip-build-1/b/setup.py:1  ModuleNotFoundError: No module named 'nosuch'
info pip :0  Command "python setup.py egg_info" failed with error code 1 in /tmp/pip-build-1/b/`},
	{"pip's conflicts are no failure", `ERROR: pip's dependency resolver does not currently take into account all ` +
		`the packages that are installed. This behaviour is the source of the following dependency conflicts.
a 1.0 requires b<2, but you have b 2.0 which is incompatible.
Successfully installed b-2.0
`, "warning pip :0  a 1.0 requires b<2, but you have b 2.0 which is incompatible."},
	{"uv", `Using CPython 3.12.3
  × No solution found when resolving dependencies:
  ╰─▶ Because nosuch was not found in the package registry and you require nosuch, ` +
		`we can conclude that your requirements are unsatisfiable.
`, "error uv :0  No solution found when resolving dependencies: Because nosuch was not found in the package " +
		"registry and you require nosuch, we can conclude that your requirements are unsatisfiable."},
	{"pytest-pep8", `=================================== FAILURES ===================================
__________________________________ PEP8-check __________________________________
/src/shop/cart.py:12:80: E501 line too long (100 > 79 characters)
    x = 1
===================== 1 failed, 3 passed in 0.12 seconds ======================
`, "error pytest /src/shop/cart.py:12 PEP8-check E501 line too long (100 > 79 characters)"},
	{"a traceback with a log's prefix", `[12:00:01] worker: Traceback (most recent call last):
[12:00:01] worker:   File "app.py", line 3, in run
[12:00:01] worker:     load()
[12:00:01] worker: ValueError: bad
`, "error python app.py:3  ValueError: bad"},
	{"the word alone", "see Traceback (most recent call last): in the docs\nplain text\n", ""},
}

// No golden file has the output of these versions of Python tools. The test reads text that was written by hand,
// because these versions were not run.
func TestPythonWordings(t *testing.T) {
	failed := 1
	for _, c := range pythonWordings {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, e := range parse.Bytes([]byte(c.log), &failed, all) {
				got = append(got, fmt.Sprintf("%s %s %s:%d %s %s", e.Severity, e.Tool, e.File, e.Line, e.Test, e.Message))
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("events differ (-want +got):\n%s", diff)
			}
		})
	}
}
