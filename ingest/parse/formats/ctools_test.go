package formats

import (
	"strconv"
	"strings"
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
)

var otherWordings = []struct{ name, log, want string }{
	{"Apple's linker", `Undefined symbols for architecture arm64:
  "_foo", referenced from:
      _main in main.o
ld: symbol(s) not found for architecture arm64
duplicate symbol '_shared' in:
    a.o
    b.o
ld: 1 duplicate symbol for architecture arm64
ld: library not found for -lfoo`,
		"ld: undefined symbol: _foo; ld: duplicate symbol '_shared'; ld: library not found for -lfoo"},
	{"GNU ld before 2.31", "main.o: In function `main':\nmain.c:(.text+0xa): undefined reference to `f'\n" +
		"main.c:(.text+0x14): more undefined references to `f' follow\n" +
		"/u/a.c:3: multiple definition of `x'\n/u/b.c:3: first defined here\n" +
		"(.text+0x20): undefined reference to `main'\ncollect2: error: ld returned 1 exit status",
		"main.c ld: undefined reference to `f'; /u/a.c:3 ld: multiple definition of `x'; ld: undefined reference to `main'"},
	{"MinGW", "C:/msys64/mingw64/bin/../lib/gcc/x86_64-w64-mingw32/bin/ld.exe: foo.o:foo.c:(.text+0x9): undefined " +
		"reference to `bar'\n" +
		`Z:\build\src\main.cpp:12: undefined reference to ` + "`WinMain'\n" +
		`Z:\build\src\main.cpp:12:5: error: 'x' was not declared in this scope`,
		"foo.c ld: undefined reference to `bar'; Z:/build/src/main.cpp:12 ld: undefined reference to `WinMain'; " +
			"Z:/build/src/main.cpp:12 gcc: 'x' was not declared in this scope"},
	{"gcc 4", "foo.c:12: error: 'bar' undeclared (first use in this function)\n" +
		"foo.c:12: error: (Each undeclared identifier is reported only once\n" +
		"foo.c:12: error: for each function it appears in.)",
		"foo.c:12 gcc: 'bar' undeclared (first use in this function)"},
	{"internal errors of gcc", "a.cpp:3: internal compiler error: Segmentation fault\n" +
		"c++: internal compiler error: Killed (program cc1plus)",
		"a.cpp:3 gcc: internal compiler error: Segmentation fault; gcc: internal compiler error: Killed (program cc1plus)"},
	{"make 3.81", "make[1]: *** No rule to make target `foo.o', needed by `all'.  Stop.\nmake: *** [all] Error 2",
		"make: No rule to make target `foo.o', needed by `all'."},
	{"make after the dots of a test run", "test_a.py ...make: *** [test] Segmentation fault: 11",
		"make: [test] Segmentation fault: 11"},
	{"Boost before 1.59", `test.cpp(12): fatal error in "suite/old_case": critical check x == y failed`,
		"test.cpp:12 boost-test suite/old_case: critical check x == y failed"},
	{"assert of macOS", "Assertion failed: (x > 0), function main, file a.c, line 12.",
		"a.c:12 crash: Assertion failed: (x > 0), function main"},
	{"assert of musl", "Assertion failed: x > 0 (a.c: main: 12)", "a.c:12 crash: Assertion failed: x > 0"},
	{"assert of Visual C++", `Assertion failed: x > 0, file C:\src\a.c, line 12`,
		"C:/src/a.c:12 crash: Assertion failed: x > 0"},
	{"libc++", "libc++abi.dylib: terminating with uncaught exception of type std::runtime_error: boom",
		"crash: std::runtime_error: boom"},
	{"Foundation", "2014-05-27 12:45:03.443 a[1405:40f] *** Terminating app due to uncaught exception " +
		"'NSRangeException', reason: 'index 3 beyond bounds'\n*** First throw call stack:\n(\n" +
		"\t0   CoreFoundation 0x00007fff8be5825c __exceptionPreprocess + 172\n)\n" +
		"libc++abi.dylib: terminating with uncaught exception of type NSException",
		"crash: 'NSRangeException', reason: 'index 3 beyond bounds'"},
	{"Visual C++'s GoogleTest", "[ RUN      ] Math.Adds\nmath_test.cc(34): error: Expected equality of these values:\n" +
		"  1\n  2\n[  FAILED  ] Math.Adds (0 ms)",
		"math_test.cc:34 gtest Math.Adds: Expected equality of these values:|1|2"},
	{"cmocka", "[ RUN      ] test_add\n[  ERROR   ] --- 0x1 != 0x2\n[   LINE   ] --- tests.c:12: error: Failure!\n" +
		"[  FAILED  ] test_add",
		"tests.c:12 gtest test_add: 0x1 != 0x2"},
	{"Unity", "tests.c:12:test_add:FAIL: Expected 1 Was 2\ntests.c:20:test_sub:PASS",
		"tests.c:12 unity test_add: Expected 1 Was 2"},
	{"ninja 1.13", "FAILED: [code=1] out/a.o\ncc -c a.c -DX=\"error: none\"\n" +
		"ninja: build stopped: subcommand failed.", "ninja: FAILED: out/a.o"},
}

// No golden file has the output of these versions and systems. The test reads text that was written by hand, because
// these tools were not run.
func TestWordingsOfOtherSystems(t *testing.T) {
	for _, test := range otherWordings {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, e := range parse.Bytes([]byte(test.log), nil, all) {
				if e.Severity != "error" {
					continue
				}
				place := e.File
				if e.Line > 0 {
					place += ":" + strconv.Itoa(e.Line)
				}
				who := strings.TrimSpace(place + " " + strings.TrimSpace(e.Tool+" "+e.Test))
				got = append(got, who+": "+strings.ReplaceAll(e.Message, "\n", "|"))
			}
			if g := strings.Join(got, "; "); g != test.want {
				t.Errorf("got  %s\nwant %s", g, test.want)
			}
		})
	}
}

// Lines that look like failures of C tools but are none give no events.
func TestGreenTextOfCTools(t *testing.T) {
	for _, line := range []string{
		"g++ -Wall -Werror -c src/error.cpp -o error.o", "[ 50%] Building CXX object CMakeFiles/error.dir/errors.cpp.o",
		"100% tests passed, 0 tests failed out of 12",
		"[       OK ] ErrorTest.FAILED (0 ms)", "PASS: error_handling.sh", "*** No errors detected",
		"==12== ERROR SUMMARY: 0 errors from 0 contexts (suppressed: 0 from 0)",
		"All tests passed (12 assertions in 3 test cases)", "[doctest] Status: SUCCESS!",
		"-- Performing Test HAVE_ERROR - Failed", "checking for error.h... no",
		"make[1]: [Makefile:2: clean] Error 1 (ignored)", "0 warnings generated.",
		"1/1 Test #1: ErrorTest ........   Passed    0.00 sec",
		"void Foo::error(const char *): ok", "test_segfault: Segmentation fault is handled ... ok",
		"OK (3 tests, 3 ran, 5 checks, 0 ignored, 0 filtered out, 0 ms)",
	} {
		if events := parse.Bytes([]byte(line+"\n"), nil, all); len(events) > 0 {
			t.Errorf("%q gives %+v", line, events)
		}
	}
}
