package formats

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// travisJob returns the log of a Travis CI job with one command, which printed output and ended with a code.
func travisJob(command, output string, code int) string {
	return fmt.Sprintf("travis_time:start:0a1b\r$ %s\n%s\ntravis_time:end:0a1b:start=1,finish=2,duration=1\r\n"+
		"The command \"%s\" exited with %d.\n\nDone. Your build exited with %d.\n", command, output, command, code,
		min(code, 1))
}

// errorsOf returns the errors of a log, each with its test, if any, and its message.
func errorsOf(log string) (list []string) {
	for _, e := range parse.Bytes([]byte(log), nil, parse.Options{Formats: All(), Strict: true}) {
		if e.Severity == store.SeverityError {
			list = append(list, strings.TrimLeft(e.Test+" | "+e.Message, " |"))
		}
	}
	return list
}

func TestWhatExplainsAFailureThatNoFormatKnows(t *testing.T) {
	far := strings.Repeat("word\n", 150)
	for _, tt := range []struct {
		name, output string
		want         []string
	}{
		{"status at the end", "parse_a ... ok\nparse_b ... FAIL\n" + far, []string{"parse_b | parse_b ... FAIL"}},
		{"status with a time", "a.sh........FAILED   0.12 sec\n" + far, []string{"a.sh | a.sh........FAILED   0.12 sec"}},
		{"status in brackets", "disk   [ OK ]\nnet   [ FAIL ]\n" + far, []string{"net | net   [ FAIL ]"}},
		{"status first", "FAILED: net\nPASSED: disk\n" + far, []string{"net | FAILED: net"}},
		{"status of one test, told twice", "FAILED: net\n" + far + "FAILED: net\n",
			[]string{"net | FAILED: net"}},
		{"a status that the step survived", "✗ docker\n" + far + "Error: no database\n",
			[]string{"docker | ✗ docker", "Error: no database"}},
		{"a sum far below a status", "✗ parses\n" + far + "Error: 1 test failed\n", []string{"parses | ✗ parses"}},
		{"a glyph", "  ✓ prints\n  ✗ parses\n" + far, []string{"parses | ✗ parses"}},
		{"a heading is no test", "FAILED TEST SUMMARY\n" + far + "the end", []string{"the end"}},
		{"a sum of problems is no test", "✖ 4 problems (4 warnings)\n" + far + "the end", []string{"the end"}},
		{"a sum is no test", "Summary: FAILED\nTests: FAILED\n" + far + "the end", []string{"the end"}},
		{"no action of a program", "Opening a connection...failed\n" + far + "the end", []string{"the end"}},
		{"status beside a certain error", "net ... FAIL\na.c:3:7: error: 'x' undeclared\n", []string{"'x' undeclared"}},
		{"a disk that is full", "ValueError: x\nwrite /tmp/x: no space left on device\ntar: a: Cannot write: No space left " +
			"on device\n" + far, []string{"write /tmp/x: no space left on device", "a: Cannot write: No space left on device"}},
		{"an option below a heading", "Error: Unrecognized option:\n--x\n\nRun 'agda --help' for help.\n",
			[]string{"Error: Unrecognized option: --x"}},
		{"an option that is not known", "flag provided but not defined: -x\nUsage of a:\n  -a string\n    the a\n",
			[]string{"flag provided but not defined: -x"}},
		{"a limit", "a\nThe size has exceeded the limit\nbye\n", []string{"The size has exceeded the limit"}},
		{"a sum that does not match", "sha256 of a.tgz did not match b\nbye\n", []string{"sha256 of a.tgz did not match b"}},
		{"a refusal", "refusing to overwrite v1\nbye\n", []string{"refusing to overwrite v1"}},
		{"a timeout", "Timeout: no answer within 60 s\nbye\n", []string{"Timeout: no answer within 60 s"}},
		{"a trace of the shell", "+ echo 'this failed'\nit is broken\n+ exit 1\n", []string{"it is broken"}},
		{"the exit of a program", "2024/01/02 03:04:05 started\n2024/01/02 03:04:05 no config\nexit status 1\n",
			[]string{"2024/01/02 03:04:05 no config"}},
		{"only the exit of a program", "exit status 1\n", []string{`The command "./x" exited with 1`}},
		{"a loud warning at the end", "all is read\nWARNING: a.md is in no list\n",
			[]string{"all is read\nWARNING: a.md is in no list"}},
		{"a mark that fills a line", "Smoke of the server\n[FAILED]\nbye\n", []string{"Smoke of the server [FAILED]"}},
		{"differences of many files", "Error: run make generate\n" + differences(9) + "bye\n", []string{
			"Error: run make generate", "the file differs\n-old0\n+new0", "the file differs\n-old1\n+new1",
			"the file differs\n-old2\n+new2"}},
		{"a list under a heading", "all is read\nThese files differ:\n  a.go\n  b.go\n",
			[]string{"These files differ:\na.go\nb.go"}},
		{"words under a heading", "Run gofmt on:\na.go\nb.go\n", []string{"Run gofmt on:\na.go\nb.go"}},
		{"no list under a heading", "Sum of all:\n  a is 3\nall is read\nit is broken\n", []string{"it is broken"}},
		{"how long it took", "it is broken\nFinished in 0.1 seconds\n", []string{"it is broken"}},
		{"notices", "Skipping x: not found\nit is broken\nWarning: y not found\n", []string{"it is broken"}},
	} {
		if got := errorsOf(travisJob("./x", tt.output, 1)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: errors %q, want %q", tt.name, got, tt.want)
		}
		if got := errorsOf(travisJob("./x", tt.output, 0)); got != nil {
			t.Errorf("%s: errors %q of a command that passed", tt.name, got)
		}
	}
}

func TestASilentStepFailsBecauseOfTheStepBefore(t *testing.T) {
	step := func(command, output string, code int) string {
		log := travisJob(command, output, code)
		return log[:strings.Index(log, "Done.")]
	}
	silent := travisJob("grep -q ' 0 failed' log", "", 1)
	for _, tt := range []struct {
		name, log string
		want      []string
	}{
		{"a guess", step("./x", "Error: no database\nbye\n", 0) + silent, []string{"Error: no database"}},
		{"a certain error", step("make", "a.c:3:7: error: 'x' undeclared\n", 0) + silent, []string{"'x' undeclared"}},
		{"a run that is told twice", step("ct", "Test run failed! Reason:\n{error,enoent}\n\n"+
			"CT starts Test run failed! Reason:\n{error,enoent}\n", 0) + silent, []string{"{error,enoent}"}},
		{"a guess far from the end", step("./x", "Error: no database\n"+strings.Repeat("word\n", 150), 0) + silent,
			[]string{`The command "grep -q ' 0 failed' log" exited with 1`}},
		{"a check with a command of its own", step("./x", "Error: no database\n", 0) +
			travisJob("test -z $(gofmt -l .)", "", 1), []string{`The command "test -z $(gofmt -l .)" exited with 1`}},
		{"a program", step("./x", "Error: no database\n", 0) + travisJob("./y", "", 1),
			[]string{`The command "./y" exited with 1`}},
		{"a variable", step("./x", "Error: no database\n", 0) + travisJob("exit $code", "", 1),
			[]string{"Error: no database"}},
		{"a step between", step("./x", "Error: no database\n", 0) + step("./y", "all is well\n", 0) + silent,
			[]string{`The command "grep -q ' 0 failed' log" exited with 1`}},
		{"a step with words", step("./x", "Error: no database\n", 0) + travisJob("./y", "it is broken\n", 1),
			[]string{"it is broken"}},
	} {
		if got := errorsOf(tt.log); !slices.Equal(got, tt.want) {
			t.Errorf("%s: errors %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestEchoedCommandsAreNotTheirOutput(t *testing.T) {
	command := "case $x in\n  a) echo 'Error: this is no a'; exit 1 ;;\nesac"
	log := travisJob(command, "the list is empty", 1)
	if got, want := errorsOf(log), []string{"the list is empty"}; !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
}

func TestACommandWithAnOpenQuoteFailsInTheShell(t *testing.T) {
	got := errorsOf(travisJob(`./cover -E "app`, "/home/travis/.travis/functions: eval: line 109: unexpected EOF while "+
		"looking for matching `\"'\n/home/travis/.travis/functions: eval: line 110: syntax error: unexpected end of file", 1))
	want := []string{"unexpected EOF while looking for matching `\"'", "syntax error: unexpected end of file"}
	if !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
}

func TestAMissingThingIsTheCauseOfTheErrorThatFollows(t *testing.T) {
	cmake := func(message string) string { return "CMake Error at a.cmake:2 (message):\n  " + message + "\n\n\n" }
	far := strings.Repeat("word\n", 30)
	trace := "Traceback (most recent call last):\n  File \"g.py\", line 1, in <module>\n    f()\nValueError: flex\n"
	for _, tt := range []struct {
		name, output string
		want         []string
	}{
		{"the error names the command", "sh: 1: flex: not found\n" + cmake("no lexer: flex gave 127"),
			[]string{"flex: not found", "no lexer: flex gave 127"}},
		{"the error says that a command failed", "sh: 1: flex: not found\n" + cmake("gen.sh failed"),
			[]string{"flex: not found", "gen.sh failed"}},
		{"a missing file", "cp: cannot stat 'in/config.in': No such file or directory\n" + cmake("gen.sh: exit code 1"),
			[]string{"cannot stat 'in/config.in': No such file or directory", "gen.sh: exit code 1"}},
		{"a repository", "fatal: unable to access 'https://a.invalid/b/dep.git/': Could not resolve host: a.invalid\n" +
			"main.go:4:2: cannot find package \"a.invalid/b/dep\" in any of:\n\t/go/src/a.invalid/b/dep (from $GOROOT)\n",
			[]string{"unable to access 'https://a.invalid/b/dep.git/': Could not resolve host: a.invalid",
				"cannot find package \"a.invalid/b/dep\" in any of: /go/src/a.invalid/b/dep (from $GOROOT)"}},
		{"a program that aborts", "Window: Could not connect to display\nAborted (core dumped)\n",
			[]string{"Window: Could not connect to display", "Aborted"}},
		{"a program that aborts later", "Window: Could not connect to display\na\nb\nc\nd\nAborted (core dumped)\n",
			[]string{"Aborted"}},
		{"an error of its own", "sh: 1: flex: not found\n" + cmake("Boost is too old"), []string{"Boost is too old"}},
		{"a part of a name", "sh: 1: flex: not found\n" + cmake("flexible is too old"), []string{"flexible is too old"}},
		{"an error far below", "sh: 1: flex: not found\n" + far + cmake("flex gave 127"), []string{"flex gave 127"}},
		{"the second error", "sh: 1: flex: not found\n" + cmake("Boost is too old") + cmake("gen.sh failed"),
			[]string{"Boost is too old", "gen.sh failed"}},
		{"an exception", trace + cmake("gen.py failed"), []string{"ValueError: flex", "gen.py failed"}},
		{"an exception with a name", trace + cmake("flex is too old"), []string{"flex is too old"}},
	} {
		if got := errorsOf(travisJob("./x", tt.output, 1)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: errors %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestAKilledCommandDiedOfIt(t *testing.T) {
	got := errorsOf(travisJob("make", "ValueError: survived\n", 137))
	if want := []string{`The command "make" exited with 137`}; !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
}

func TestAKilledJobOfGitLabDiedOfIt(t *testing.T) {
	for _, end := range []string{"exit code 137", "exit status 137", "command terminated with exit code 137"} {
		got := errorsOf("$ make\nValueError: survived\nERROR: Job failed: " + end + "\n")
		if want := []string{"Job failed: " + end}; !slices.Equal(got, want) {
			t.Errorf("errors %q, want %q", got, want)
		}
	}
	got := errorsOf("$ make\nValueError: no\nERROR: Job failed: exit code 1\n")
	if want := []string{"ValueError: no"}; !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
}

func TestFilesThatAFailedStepDidNotMake(t *testing.T) {
	log := travisJob("make", "a.c:3:7: error: 'x' undeclared\n", 1)
	log = log[:strings.Index(log, "Done.")] +
		travisJob("cp out/a .", "cp: cannot stat 'out/a': No such file or directory\n", 1)
	if got, want := errorsOf(log), []string{"'x' undeclared"}; !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
	alone := travisJob("cp out/a .", "cp: cannot stat 'out/a': No such file or directory\n", 1)
	if got := errorsOf(alone); len(got) != 1 {
		t.Errorf("errors %q, want the missing file where nothing failed before", got)
	}
}

func TestContainersOfActionsFailWithoutAMark(t *testing.T) {
	const head, run = "##[group]Run acme/lint@v1\nenv:\n##[endgroup]\n",
		"##[command]/usr/bin/docker run --name x acme/lint\na.c:3:7: error: 'x' undeclared\n"
	const next, end = "##[group]Run make\nshell: bash\n##[endgroup]\ndone\n", "Post job cleanup.\n"
	if got, want := errorsOf(head+run+end), []string{"'x' undeclared"}; !slices.Equal(got, want) {
		t.Errorf("last step of a job: errors %q, want %q", got, want)
	}
	if got := errorsOf(head + run + next + end); got != nil {
		t.Errorf("errors %q of a step that another one followed", got)
	}
}

func TestWhatPassingTestsPrintIsNoError(t *testing.T) {
	sample := "✓ parses\na.c:3:7: error: 'x' undeclared\n✓ reports errors\n"
	failed := "[----------] 1 test from A\n[ RUN      ] A.b\na_test.cc:4: Failure\nValue of: x\n" +
		"[  FAILED  ] A.b (0 ms)\n"
	got := errorsOf(travisJob("make test", sample+failed, 1))
	if want := []string{"A.b | Value of: x"}; !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
	got = errorsOf(travisJob("make test", sample, 1))
	if want := []string{"'x' undeclared"}; !slices.Equal(got, want) {
		t.Errorf("no test failed: errors %q, want %q", got, want)
	}
}

func TestErrorsBetweenRunsOfTestsAreNoSamples(t *testing.T) {
	const broken, tsc = "a.c:3:7: error: 'x' undeclared\n", "a.ts(3,7): error TS2322: Type 'x' is not assignable.\n"
	failed := "[----------] 1 test from A\n[ RUN      ] A.b\na_test.cc:4: Failure\nValue of: x\n" +
		"[  FAILED  ] A.b (0 ms)\n"
	for _, tt := range []struct{ name, log, want string }{
		{"tasks of Gradle", "ATest > a() PASSED\n\n> Task :b:compile FAILED\n" + broken + "\n> Task :c:test\n\n" +
			"CTest > a() PASSED\n", "'x' undeclared"},
		{"scripts of npm", "  ✓ one\n\n  1 passing (3ms)\n\n> b@1.0.0 build\n" + tsc + "\n> c@1.0.0 test\n\n  ✓ one\n",
			"Type 'x' is not assignable."},
		{"lanes of Turborepo", "• Packages in scope: a, b\na:test:     ✓ one (2 ms)\nb:build: " + tsc +
			"a:test:     ✓ two (2 ms)\n", "Type 'x' is not assignable."},
		{"a trace of the shell", "+ cargo test\ntest one ... ok\n+ make\n" + broken + "+ cargo test\ntest two ... ok\n",
			"'x' undeclared"},
		{"counts", "test one ... ok\n\ntest result: ok. 1 passed; 0 failed\n" + broken + "running 1 test\ntest two ... ok\n",
			"'x' undeclared"},
		{"a tool that gives up", "✓ one\n" + broken + "make: *** [a.o] Error 1\n✓ two\n", "'x' undeclared"},
		{"a full disk", "✓ one\ntar: write /x: no space left on device\n✓ two\n", "write /x: no space left on device"},
	} {
		if got := errorsOf(tt.log + failed); !slices.Equal(got, []string{tt.want, "A.b | Value of: x"}) {
			t.Errorf("%s: errors %q, want %q and the failed test", tt.name, got, tt.want)
		}
	}
}

func TestLinesThatOnlyLookLikePrefixesStay(t *testing.T) {
	for _, tt := range []struct{ name, log, want string }{
		{"a printed list", "[0] first\n[PASS] disk\n[FAIL] net\n", "net | [FAIL] net"},
		{"marks of tests under concurrently", "$ concurrently a b\n[a] one\n[FAIL] net\n", "net | [FAIL] net"},
		{"marks of tests under Yarn", "[@x/a]: Process started\n[FAILED]: net\n", "net | [FAILED]: net"},
		{"a project of Nx called error", " NX   Running target a for 1 project:\n\n- error\n\nerror: it broke\n",
			"error: it broke"},
		{"a list below Turborepo's lanes", "• Packages in scope: a\n[0] x\na:test: b.c:3:7: error: 'x' undeclared\n",
			"'x' undeclared"},
	} {
		if got := errorsOf(tt.log); !slices.Equal(got, []string{tt.want}) {
			t.Errorf("%s: errors %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLimitsThatNothingExceededAreNoFailures(t *testing.T) {
	for _, line := range []string{"Timeout: 30s", "timeout: 30", "Timeout 600 seconds", "Timeout of 5 minutes set",
		"TIMEOUT=3", "Timed out: 0", "Requests timed out : 0", "Timeouts: 0", "Does not match: 0", "No quota limit exceeded",
		"memory never exceeded the limit", "2 files that do not match the pattern are left out",
		"request timed out (attempt 1/3)", "context deadline exceeded (client will retry)", "FAIL (expected): a",
		"thread 'main' panic: none",
		"NOT OK 3 # TODO not done"} {
		if got := errorsOf("compiling\n" + line + "\nall done\n"); got != nil && line[0] != 'F' { // "F" may be a test
			t.Errorf("%s: errors %q, want none", line, got)
		}
		exit := 0
		for _, e := range parse.Bytes([]byte(line+"\n"), &exit, parse.Options{Formats: All(), Strict: true}) {
			if e.Severity == store.SeverityError {
				t.Errorf("%s: error %q of a command that passed", line, e.Message)
			}
		}
	}
	for _, line := range []string{"Timeout: no answer within 60 s", "Timeout of 2000ms exceeded", "Timed out",
		"Timeout 30s exceeded", "the pod has exceeded 10", "sha256 of a did not match b"} {
		if got := errorsOf("compiling\n" + line + "\nbye\n"); len(got) != 1 {
			t.Errorf("%s: errors %q, want the line", line, got)
		}
	}
}

func TestErrorsThatSpeakLikeNotices(t *testing.T) {
	for line, want := range map[string]int{
		"Error: config.yml not found, aborting": 1, "error: cannot find optional dependency x": 1,
		"FATAL: retrying failed 5 times": 1, "Error: giving up after retrying 3 times": 1,
		"ERROR: record was skipped because it is invalid": 1, "Cannot find module 'optional'": 1,
		"TypeError: fallback is not a function": 1, "Info.plist: file not found": 1, "debug build failed": 1,
		"Error: x failed; continuing": 0, "Failed to load x, skipping": 0, "ERROR: no cache (ignoring)": 0,
		"Skipping x: not found": 0, "x not found, using y": 0, "[info] x not found": 0, "WARN failed to x": 0,
		"the optional y: not found": 0,
	} {
		if got := errorsOf("compiling\n" + line + "\nbye\n"); len(got) != want {
			t.Errorf("%s: errors %q, want %d", line, got, want)
		}
	}
}

func TestLinesOfBrowsersInParallelAreApart(t *testing.T) {
	log := "[chrome #01] Failures:\n[firefox #02] Failures:\n[chrome #01] 1) shop opens\n" +
		"[firefox #02] 1) shop closes\n" +
		"[chrome #01]   Message:\n[firefox #02]   Message:\n[chrome #01]     Expected 1 to be 2.\n" +
		"[firefox #02]     Expected 3 to be 4.\n[chrome #01]   Stack:\n[chrome #01]     Error: Failed expectation\n"
	want := []string{"shop opens | Expected 1 to be 2.", "shop closes | Expected 3 to be 4."}
	if got := errorsOf(log); !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
}

var accountShapes = []shape{
	{"MiMa", "[error] core: Failed binary compatibility check against a:core:1.0! " +
		"Found 2 potential problems (filtered 3)\n" +
		"[error]  * method f(Int)Unit in class a.B does not have a correspondent in current version\n" +
		"[error]    filter with: ProblemFilters.exclude[DirectMissingMethodProblem](\"a.B.f\")\n" +
		"[error]  * class a.C does not have a correspondent in current version\n" +
		"[error]    filter with: ProblemFilters.exclude[MissingClassProblem](\"a.C\")\n" +
		"[error] (core/*:mimaReportBinaryIssues) core: Binary compatibility check failed!\n", []string{
		"error mima :0:0 [] <> method f(Int)Unit in class a.B does not have a correspondent in current version",
		"error mima :0:0 [] <> class a.C does not have a correspondent in current version",
		"info sbt :0:0 [core/*:mimaReportBinaryIssues] <> core: Binary compatibility check failed!"}},
	{"xcpretty of Quick", "    ✗ Cart__when_empty__it_adds, expected to equal <1>, got <2>\n\n\nCartSpec\n" +
		"  Cart__when_empty__it_adds, expected to equal <1>, got <2>\n  /app/Tests/CartSpec.swift:41\n  ```\n" +
		"        expect(1).to(equal(2))\n  ```\n\n\n\t Executed 53 tests, with 1 failure\n", []string{
		"error xctest /app/Tests/CartSpec.swift:41:0 [] <Cart__when_empty__it_adds> expected to equal <1>, got <2>"}},
	{"xcpretty of a failed link", "❌  Undefined symbols for architecture x86_64\n> Symbol: _OBJC_CLASS_$_Cart\n" +
		"> Referenced from: objc-class-ref in Shop.o\n\n** BUILD FAILED **\n", []string{
		"error xcodebuild :0:0 [] <> Undefined symbols for architecture x86_64\n> Symbol: _OBJC_CLASS_$_Cart\n" +
			"> Referenced from: objc-class-ref in Shop.o",
		"info xcodebuild :0:0 [] <> BUILD FAILED"}},
}

func TestAccountsOfSeveralLines(t *testing.T) { testShapes(t, accountShapes) }

func TestTheRunnersLinesEndWhatIsOpen(t *testing.T) {
	const header = "##[group]Run make\nshell: bash\n##[endgroup]\n"
	panics := "thread 'main' panicked at src/main.rs:3:5: oops\nwords\n"
	if got := errorsOf(header + panics + "Post job cleanup.\n"); got != nil {
		t.Errorf("errors %q of a step that passed", got)
	}
}

// differences returns git's diff of n files that differ in one line.
func differences(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "diff --git a/f%[1]d.go b/f%[1]d.go\n--- a/f%[1]d.go\n+++ b/f%[1]d.go\n@@ -1 +1 @@\n-old%[1]d\n+new%[1]d\n", i)
	}
	return b.String()
}

// A diff alone is not an error, neither in a log without an exit code nor in a step that passed.
func TestADifferenceAloneIsNoFailure(t *testing.T) {
	if got := errorsOf("$ git diff\n" + differences(2)); len(got) > 0 {
		t.Errorf("errors %q, want none", got)
	}
	if got := errorsOf(travisJob("./x", differences(2), 0)); len(got) > 0 {
		t.Errorf("a step that passed: errors %q, want none", got)
	}
}

func TestWarningsExplainAJobThatEndsWithItsFailure(t *testing.T) {
	const line = "2026-01-01T00:00:00.0000000Z "
	log := line + "##[group]Run rebar3 xref\n" + line + "rebar3 xref\n" + line + "##[endgroup]\n" +
		line + "src/a.erl:3: Warning: a:f/0 calls undefined function b:g/0 (Xref)\n" +
		line + "##[error]Process completed with exit code 1.\n" // as gh run view --log-failed ends
	want := []string{"a:f/0 calls undefined function b:g/0 (Xref)"}
	if got := errorsOf(log); !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
}
