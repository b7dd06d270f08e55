package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// TestOutcome is the result of an attempt of a test.
type TestOutcome int

// These are the outcomes. Their numbers are stored, so they must not change.
const (
	TestPassed  TestOutcome = iota
	TestFailed              // an assertion failed
	TestError               // the test ended in another way, or its setup failed
	TestSkipped             // the test did not run
	TestInfra               // the test failed because of the machine or the network
)

var testOutcomes = [...]string{"passed", "failed", "error", "skipped", "infrastructure"}

func (o TestOutcome) String() string {
	if o < 0 || int(o) >= len(testOutcomes) {
		return "unknown"
	}
	return testOutcomes[o]
}

// ParseTestOutcome returns the outcome with the given name. It returns false if there is no such outcome.
func ParseTestOutcome(name string) (TestOutcome, bool) {
	for i, n := range testOutcomes {
		if n == name {
			return TestOutcome(i), true
		}
	}
	return 0, false
}

// Failed reports whether the test itself failed.
func (o TestOutcome) Failed() bool { return o == TestFailed || o == TestError }

// Test is a test of a repository. Its identity is Name and File together.
type Test struct {
	ID   int64 // ID in the store, 0 for a test that is not stored
	Repo string
	Name string
	File string // "" if the runner does not report the file
}

// TestResult is the result of one attempt of a test in a run. In a list of results, the attempts of a test are
// consecutive.
type TestResult struct {
	Test     Test
	Outcome  TestOutcome
	Attempt  int           // 1 for the first attempt
	Duration time.Duration // rounded to three significant digits; 0 if unknown
}

// TestBlock holds the results of a run.
type TestBlock struct {
	Run Ref
	TestSum
	Results []TestResult // ordered by the IDs of the tests; of each test, only ID is set
}

// TestSum holds the numbers of a run's tests, by the results of their last attempts.
type TestSum struct {
	Tests   int // number of all tests
	Failed  int
	Skipped int
	Infra   int
	Retried int // number of tests with an attempt after a failed one
	Flaky   int // number of tests that failed first and passed in the end
}

// Passed returns the number of tests that passed.
func (s TestSum) Passed() int { return s.Tests - s.Failed - s.Skipped - s.Infra }

// TestPast is the result of one attempt of a test in a run.
type TestPast struct {
	Serial   int // serial of the run
	Outcome  TestOutcome
	Attempt  int
	Duration time.Duration
}

// These limits bound the results of a run, and the names of its tests in bytes. Stores refuse more results and longer
// names (see CheckTests).
const (
	MaxTestResults = 200_000
	MaxTestName    = 1000
)

// TestFilter selects tests of repositories.
type TestFilter struct {
	Repo string  // "" for any repository
	Name string  // exact name; only one of Name, Like and IDs may be set
	Like string  // part of the name or file, in any case
	IDs  []int64 // IDs of tests
	// Limit is the max number of tests, 0 for no limit.
	Limit int
}

// testRecorder stores the results of tests.
type testRecorder interface {
	// AddTests adds the results of an attempt. If the attempt already has results, AddTests changes nothing. NotFound:
	// there is no such attempt. Conflict: the run is completed. TooLarge and Invalid: see CheckTests.
	AddTests(ctx context.Context, attempt string, results []TestResult) error
}

// testReader reads the results of tests.
type testReader interface {
	// TestBlocks returns a block for each attempt that has results, newest run first. If whole is false, the blocks
	// have sums but no results.
	TestBlocks(ctx context.Context, sc Scope, attempts []string, whole bool) ([]TestBlock, error)

	// Tests returns the tests that a filter selects, in the order of their IDs.
	Tests(ctx context.Context, sc Scope, f TestFilter) ([]Test, error)

	// TestHistory returns the results of a test, newest run first. The cost grows with the number of this test's
	// results, but not with the number of other tests.
	TestHistory(ctx context.Context, sc Scope, t Test) ([]TestPast, error)
}

// Key returns a number for the test. The number is a hash of the test's name and file.
func (t Test) Key() int64 {
	sum := sha256.Sum256([]byte(t.Name + "\x00" + t.File))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1)
}

// CheckTests checks that results can be stored. TooLarge: there are more than MaxTestResults results. Invalid: a test
// has no name or a name that is too long, or a value is out of range.
func CheckTests(results []TestResult) error {
	if len(results) > MaxTestResults {
		return Errorf(TooLarge, "a run has at most %d results of tests", MaxTestResults)
	}
	for _, r := range results {
		if r.Test.Name == "" || len(r.Test.Name) > MaxTestName || len(r.Test.File) > MaxTestName || r.Duration < 0 ||
			r.Attempt < 1 || r.Attempt > 1000 || r.Outcome < 0 || int(r.Outcome) >= len(testOutcomes) {
			return Errorf(Invalid, "result %d of the test %.80q: a name, an outcome and an attempt are needed",
				r.Attempt, r.Test.Name)
		}
	}
	return nil
}

// SumTests counts tests by the result of their last attempt. But a test with a failed attempt counts as failed unless
// its last attempt passed. So it counts as failed even if its last attempt was skipped, or failed because of the
// machine. The attempts of a test must be consecutive.
func SumTests(results []TestResult) TestSum {
	var s TestSum
	for i := 0; i < len(results); {
		end, failed, infra := i+1, false, false
		last := results[i].Outcome
		for ; end < len(results) && results[end].Test == results[i].Test; end++ {
			failed, infra = failed || last.Failed(), infra || last == TestInfra
			last = results[end].Outcome
		}
		s.Tests++
		if failed || infra {
			s.Retried++
		}
		switch {
		case last.Failed(), failed && last != TestPassed:
			s.Failed++
		case last == TestSkipped:
			s.Skipped++
		case last == TestInfra:
			s.Infra++
		case failed:
			s.Flaky++
		}
		i = end
	}
	return s
}

// Size returns the size of the test's texts in bytes.
func (t Test) Size() int { return len(t.Name) + len(t.File) }

// TestBytes returns the stored size of a run's results in bytes. The parameter block is the size of the block. The
// block counts twice, because the history of the tests has the same size. The parameter texts is the size of the texts
// of new tests.
func TestBytes(block, texts int) int { return 2*block + texts + BatchRow }
