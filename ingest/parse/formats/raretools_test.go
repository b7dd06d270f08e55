package formats

import (
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
)

// The lines are output of tools that no golden has.
func TestFailuresOfRareTools(t *testing.T) {
	far := strings.Repeat("word\n", 150)
	for _, tt := range []struct {
		name, output string
		want         []string
	}{
		{"counts with their shares", "Error: 1 check was wrong\nall are read\n" +
			"Unsupported :  26 (2.3%)\nFailed      :   1 (0.1%)\n",
			[]string{"Error: 1 check was wrong"}},
		{"a mark between tabs", "calc\tcase 1 OK\tadds\ncalc\tcase 2 FAILED\tdivides\nxml\tcase 1 OK\treads\n",
			[]string{"calc case 2 | calc\tcase 2 FAILED\tdivides"}},
		{"a glyph at the end", "io      ✓\ncyclic   ✗\n" + far, []string{"cyclic | cyclic   ✗"}},
		{"marks alone are no test", "!! FAILED !! : reads\n!! FAILED !!   !! FAILED !!\n" + far,
			[]string{"!! : reads | FAILED !! : reads"}},
		{"commands that xcodebuild could not run", "▸ Signing AppTests.xctest\n** TEST FAILED **\n\n\n" +
			"The following build commands failed:\n\tCompileC /tmp/A.o A/A.m normal i386 objective-c\n(1 failure)\n",
			[]string{"The following build commands failed: CompileC /tmp/A.o A/A.m normal i386 objective-c"}},
		{"what xcpretty printed last", "▸ Signing Debug/App.app/PlugIns/App\\ iOS\\ Tests.xctest\n** TEST FAILED **\n",
			[]string{"TEST FAILED"}},
		{"specs2 1", "[info] + adds\n[info] x divides\n[error]  2 is not equal to 3 (CalcSpec.scala:31)\n" +
			"[error] Failed tests:\n[error] \tshop.CalcSpec\n", []string{"divides | 2 is not equal to 3"}},
		{"tests of a plugin of sbt", "[error] x tests / cross\n[error]    {line 4}  Command failed: run failed\n" +
			"[error] (root/*:scripted) Failed tests:\n[error] \ttests / cross\n",
			[]string{"tests / cross | Command failed: run failed"}},
		{"scalastyle", "[error] a/A.scala:3: File line length exceeds 100 characters\n" +
			"[info] Found 1 errors\n[info] created output\n" +
			"[error] (compile:scalastyle) exists error\n", []string{"File line length exceeds 100 characters"}},
		{"a property of QuickCheck", "Read Show: one *** Failed! Falsifiable (after 1 test):\n0\n" +
			"Read Show: two +++ OK, passed 100 tests.\n", []string{"Read Show: one | Falsifiable (after 1 test):"}},
		{"a package that did not compile", "A.hs:3:5:\n    Couldn't match expected type `Int'\n\n" +
			"cabal: Error: some packages failed to install:\na-0.5.0 failed during the building phase.\n",
			[]string{"Couldn't match expected type `Int'"}},
		{"a package that cabal gave up", "Failed to install a-0.5.0\ncabal: Error: some packages failed to install:\n" +
			"a-0.5.0 failed during the configure step.\n", []string{"Error: some packages failed to install:"}},
		{"a test of rustc itself", "failures:\n\n---- [ui] ui/a.rs stdout ----\n\nerror: actual stderr differed\n\n\n" +
			"failures:\n    [ui] ui/a.rs\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n",
			[]string{"[ui] ui/a.rs | error: actual stderr differed"}},
		{"a test of Coq", "TEST      bugs/1.v\n    bugs/2.v...Error! (should be rejected)\nTEST      bugs/3.v\n",
			[]string{"bugs/2.v | bugs/2.v...Error! (should be rejected)"}},
		{"what make did last", "it is broken\nCC        a.o in the old tree\nmake: *** [all] Error 1\n",
			[]string{"[all] Error 1"}},
		{"a test of SQLite", "a-3.2... Ok\na-3.3...\n! a-3.3 expected: [1 2]\n! a-3.3 got:      [2 1]\na-4.1... Ok\n",
			[]string{"a-3.3 | [1 2]\n! a-3.3 got:      [2 1]"}},
		{"Expectations", "failure in (a_test.clj:34) : shop.a-test\n(expect 1 (f))\n\n           expected: 1 \n" +
			"                was: 2\n\nRan 2 tests containing 2 assertions in 30 msecs\n1 failures, 0 errors.\n",
			[]string{"shop.a-test | (expect 1 (f))\nexpected: 1\nwas: 2"}},
		{"a test of Neovim", "[ RUN      ] adds: 12.01 ms OK\n[ RUN      ] divides: 20.00 ms FAIL\n" +
			"test/a_spec.lua:12: Expected objects to be the same.\n[----------] 2 tests from test/a_spec.lua\n" +
			"[  FAILED  ] test/a_spec.lua @ 11: divides\n",
			[]string{"divides | test/a_spec.lua:12: Expected objects to be the same."}},
		{"a list above its count", "a.rb:\n  * `url` is below `homepage`\n  * it is not notable\n" +
			"Error: 2 problems in 1 file\n",
			[]string{"* `url` is below `homepage`\n* it is not notable\nError: 2 problems in 1 file"}},
		{"how commands ended", "Error: no key\nall is read\nERROR: Command \"./x\" returned exit status 1.\n",
			[]string{"Error: no key"}},
		{"only how a command ended", "all is read\nERROR: Command \"./x\" returned exit status 1.\n",
			[]string{"ERROR: Command \"./x\" returned exit status 1."}},
		{"old Alcotest", "[ERROR] Parse  9   empty.\n-- Parse.  9 Failed --\nempty.\n./_tests/Parse.  9.output:\n\n" +
			"[exception] Failure(\"no URI\")\nRaised at file \"a.ml\", line 4, characters 8-27\n\n1 error!\n" +
			"E: Failure(\"Command ''./test.native' ' terminated with error code 1\")\n",
			[]string{"Parse. 9 | empty.\n./_tests/Parse.  9.output:\n[exception] Failure(\"no URI\")"}},
		{"a task of Gradle that warnings made fail",
			"[ant:checkstyle] [WARN] /a/A.java:3: Avoid the star. [AvoidStarImport]\n" +
				" FAILED\n\nFAILURE: Build failed with an exception.\n", []string{"Avoid the star."}},
		{"what Homebrew ran", "error: Failed to connect to 1.2.3.4: Host is down\nfatal: HTTP request failed\n" +
			"Error: Failure while executing: git clone https://a.invalid/b\n",
			[]string{"error: Failed to connect to 1.2.3.4: Host is down", "HTTP request failed"}},
		{"tests of CTest side by side", "1/2 Test #6: unit ......***Failed   88.20 sec\n7: Test command: /bin/lint\n" +
			"2/2 Test #7: lint ......   Passed    1.28 sec\n", []string{"unit | Failed"}},
	} {
		if got := errorsOf(travisJob("./x", tt.output, 1)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: errors %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestStepsAfterAFailedStep(t *testing.T) {
	failed := travisJob("make", "a.c:3:7: error: 'x' undeclared\n", 1)
	failed = failed[:strings.Index(failed, "Done.")]
	after := func(output string) string {
		return "travis_time:start:0c2d\r$ ./upload\n" + output +
			"travis_time:end:0c2d:start=1,finish=2,duration=1\r\n\nDone. Your build exited with 1.\n"
	}
	for _, tt := range []struct {
		name, log string
		want      []string
	}{
		{"words of failure", failed + after("Error: no report was found\n"), []string{"'x' undeclared"}},
		{"a command that Travis CI could not run",
			failed + after("Error: no key\nThe command \"./push\" failed 3 times.\n"),
			[]string{"'x' undeclared", "Error: no key"}},
		{"words alone", after("Error: no report was found\n"), []string{"Error: no report was found"}},
	} {
		if got := errorsOf(tt.log); !slices.Equal(got, tt.want) {
			t.Errorf("%s: errors %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTimesBeforeLevelsOfSbt(t *testing.T) {
	got := errorsOf("[04-09 22:41:01.205] [info] CalcSpec:\n" +
		"[04-09 22:41:01.205] [info] - divides *** FAILED *** (3 seconds)\n" +
		"[04-09 22:41:01.205] [info]   2 did not equal 3 (CalcSpec.scala:12)\n")
	if want := []string{"CalcSpec.divides | 2 did not equal 3"}; !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
}

func TestAnErrorOfOldNpmBeginsWithItsCode(t *testing.T) {
	lines := parseLines("npm ERR! Linux 3.13.0\nnpm ERR! node v7.7.1\nnpm ERR! code ECONNRESET\n" +
		"npm ERR! network read ECONNRESET\n")
	if len(lines) != 1 || lines[0] != 3 {
		t.Errorf("the errors begin in lines %v, want [3]", lines)
	}
}

// parseLines returns the lines in which the events of a log begin.
func parseLines(log string) (lines []int) {
	for _, e := range parse.Bytes([]byte(log), nil, all) {
		lines = append(lines, e.LogLine)
	}
	return lines
}
