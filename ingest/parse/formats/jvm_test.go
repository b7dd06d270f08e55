package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

var jvmWordings = []struct {
	name, log string
	want      []string // severity tool test-or-file:line message
}{
	{"Surefire 2.12", `
Running com.acme.CalcTest
Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.07 sec <<< FAILURE!
rounds(com.acme.CalcTest)  Time elapsed: 0.01 sec  <<< FAILURE!
java.lang.AssertionError: rounding expected:<3> but was:<2>
	at org.junit.Assert.fail(Assert.java:88)
	at com.acme.CalcTest.rounds(CalcTest.java:10)

byZero(com.acme.CalcTest)  Time elapsed: 0.01 sec  <<< ERROR!
java.lang.ArithmeticException: / by zero
	at com.acme.Calc.div(Calc.java:4)
	at com.acme.CalcTest.byZero(CalcTest.java:11)


Results :

Failed tests:   rounds(com.acme.CalcTest): rounding expected:<3> but was:<2>

Tests in error: 
  byZero(com.acme.CalcTest): / by zero

Tests run: 3, Failures: 1, Errors: 1, Skipped: 0

[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.12.4:test (default-test) ` +
		`on project calc: There are test failures.
[ERROR] 
[ERROR] Please refer to /x/target/surefire-reports for the individual test results.
[ERROR] -> [Help 1]
`, []string{
		"error surefire com.acme.CalcTest.rounds CalcTest.java:10 rounding expected:<3> but was:<2>",
		"error surefire com.acme.CalcTest.byZero CalcTest.java:11 java.lang.ArithmeticException: / by zero",
		"info maven BUILD FAILURE",
		"info maven Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.12.4:test (default-test) on " +
			"project calc: There are test failures.",
	}},
	{"Surefire 2.12, results alone", `
Results :

Failed tests:   rounds(com.acme.CalcTest): rounding expected:<3> but was:<2>
  CalcTest.noMessage:14 null

Tests in error: 
  CalcTest.byZero:9 » Arithmetic / by zero
  SubTest>CalcTest.helped:12->help:40 » NullPointer
  broken(com.acme.CalcTest)

Tests run: 8, Failures: 2, Errors: 3, Skipped: 0
`, []string{
		"error surefire com.acme.CalcTest.rounds rounding expected:<3> but was:<2>",
		"error surefire CalcTest.noMessage CalcTest.java:14 null",
		"error surefire CalcTest.byZero CalcTest.java:9 Arithmetic / by zero",
		"error surefire SubTest.helped SubTest.java:12 NullPointer",
		"error surefire com.acme.CalcTest.broken test failed",
	}},
	{"Surefire 3", `
[INFO] Running com.acme.CalcTest$Deep
[ERROR] Tests run: 2, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.02 s <<< FAILURE! -- in com.acme.CalcTest$Deep
[ERROR] com.acme.CalcTest$Deep.odd(int)[2] -- Time elapsed: 0.002 s <<< FAILURE!
org.opentest4j.AssertionFailedError: 

expected: <1>
 but was: <0>
	at com.acme.CalcTest$Deep.odd(CalcTest.java:16)
	at java.base/java.lang.reflect.Method.invoke(Method.java:569)

[ERROR] com.acme.CalcTest$Deep -- Time elapsed: 0.002 s <<< ERROR!
java.lang.IllegalStateException: no server
	at com.acme.CalcTest$Deep.start(CalcTest.java:6)

[INFO] 
[INFO] Results:
[INFO] 
[ERROR] Failures: 
[ERROR]   CalcTest$Deep.odd:16 
expected: <1>
 but was: <0>
[ERROR] Errors: 
[ERROR]   CalcTest$Deep.start:6 » IllegalState no server
[INFO] 
[ERROR] Tests run: 2, Failures: 1, Errors: 1, Skipped: 0
`, []string{
		"error surefire com.acme.CalcTest$Deep.odd(int)[2] CalcTest.java:16 expected: <1>\nbut was: <0>",
		"error surefire com.acme.CalcTest$Deep CalcTest.java:6 java.lang.IllegalStateException: no server",
	}},
	{"Gradle 8 tells compiler errors twice", `
> Task :compileJava FAILED
/x/Calc.java:3: error: cannot find symbol
import java.util.Lisst;
                ^
  symbol:   class Lisst
  location: package java.util
1 error

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':compileJava'.
> Compilation failed; see the compiler output below.
  /x/Calc.java:3: error: cannot find symbol
  import java.util.Lisst;
                  ^
    symbol:   class Lisst
    location: package java.util
  1 error

BUILD FAILED in 1s
`, []string{
		"info gradle Task :compileJava FAILED",
		"error javac /x/Calc.java:3 cannot find symbol: class Lisst",
		"info gradle FAILURE: Build failed with an exception.",
		"info gradle Execution failed for task ':compileJava'.\n> Compilation failed; see the compiler output below.",
		"info gradle BUILD FAILED in 1s",
	}},
	{"Gradle 7, Spock and TestNG", `
> Task :test FAILED

CalcSpec > adds #a to #b > adds 1 to 2 FAILED
    Condition not satisfied:

    calc.add(a, b) == c
    |    |   |  |  |  |
    |    3   1  2  |  4
    @1b2c3d        false
        at app//com.acme.CalcSpec.adds #a to #b(CalcSpec.groovy:14)

Gradle suite > Gradle test > com.acme.CalcTest.rounds FAILED
    java.lang.AssertionError: expected [3] but found [2]
        at com.acme.CalcTest.rounds(CalcTest.java:10)

my display name > rounds() FAILED
    org.opentest4j.AssertionFailedError at CalcTest.java:10

Some words of a program FAILED
    indented words
`, []string{
		"info gradle Task :test FAILED",
		"error gradle-test CalcSpec.adds #a to #b > adds 1 to 2 CalcSpec.groovy:14 Condition not satisfied:\n" +
			"calc.add(a, b) == c\n|    |   |  |  |  |\n|    3   1  2  |  4\n@1b2c3d        false",
		"error gradle-test com.acme.CalcTest.rounds CalcTest.java:10 expected [3] but found [2]",
		"error gradle-test my display name.rounds() CalcTest.java:10 org.opentest4j.AssertionFailedError",
	}},
	{"TestNG 7", `
PASSED: com.acme.CalcTest.divides
FAILED: com.acme.CalcTest.rounds
java.lang.AssertionError: expected [3] but found [2]
	at org.testng.Assert.fail(Assert.java:110)
	at com.acme.CalcTest.rounds(CalcTest.java:10)
`, []string{"error testng com.acme.CalcTest.rounds CalcTest.java:10 expected [3] but found [2]"}},
	{"ninja is not TestNG", "FAILED: obj/calc.o\ncc -c calc.c\n", []string{"error ninja FAILED: obj/calc.o"}},
	{"PHPUnit XML", `<?xml version="1.0"?>
<testsuites><testsuite name="CalcTest" file="/x/tests/CalcTest.php">
<testcase name="testRounds" class="Acme\CalcTest" classname="Acme.CalcTest" file="/x/tests/CalcTest.php" line="9">
<failure type="PHPUnit\Framework\ExpectationFailedException">Acme\CalcTest::testRounds
Failed asserting that 2 matches expected 3.

/x/tests/CalcTest.php:12
</failure></testcase></testsuite></testsuites>
`, []string{
		"error junit-xml Acme.CalcTest.testRounds /x/tests/CalcTest.php:9 Failed asserting that 2 matches expected 3."}},
	{"go-junit-report XML", `<testsuites>
	<testsuite name="acme/calc" tests="2">
		<testcase name="TestRounds/up" classname="acme/calc" time="0.000">
			<failure message="Failed">    calc_test.go:8: got 2, want 3</failure>
		</testcase>
		<testcase name="TestSkip" classname="acme/calc"><skipped message="error: not one"></skipped></testcase>
	</testsuite>
</testsuites>
`, []string{"error junit-xml acme/calc.TestRounds/up calc_test.go:8 Failed"}},
	{"not a report", "<?xml version=\"1.0\"?>\n<project>\n<error message=\"x\"/>\n</project>\n", nil},
	{"Error Prone", `
Calc.java:5: error: [DeadException] Exception created but not thrown
    new Exception();
    ^
    (see https://errorprone.info/bugpattern/DeadException)
  Did you mean 'throw new Exception();'?
`, []string{"error javac Calc.java:5 Exception created but not thrown"}},
	{"green text", `
[INFO] ZooKeeper JMX enabled by default
[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in com.acme.ErrorTest
[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 3, Time elapsed: 0.1 s - in com.acme.SkippedTest
testFailed(com.acme.ErrorTest)  Time elapsed: 0.1 sec
ErrorTest > testFailed PASSED
ErrorTest > later SKIPPED
Failures (0):
There were 0 failures:
error: this is only a word
Testing
warning: so is this
`, nil},
}

// The texts are from tools and versions that no golden shows, such as Surefire 2.12, Gradle 7, TestNG 7 and PHPUnit.
// They are written by hand, because these tools were not run.
func TestJVMWordings(t *testing.T) {
	for _, test := range jvmWordings {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, e := range parse.Bytes([]byte(strings.TrimPrefix(test.log, "\n")), nil, all) {
				got = append(got, brief(e))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("events differ (-want +got):\n%s", diff)
			}
		})
	}
}

// brief is an event in one line.
func brief(e store.Event) string {
	words := []string{string(e.Severity), e.Tool}
	if e.Test != "" {
		words = append(words, e.Test)
	}
	if e.File != "" {
		words = append(words, placeText(e))
	}
	return strings.Join(append(words, e.Message), " ")
}

func placeText(e store.Event) string {
	p := findingKey(store.Event{File: e.File, Line: e.Line})
	return strings.TrimSuffix(p, ":0: ")
}
