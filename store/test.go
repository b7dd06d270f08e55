package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// TestOutcome is how an attempt of a test ended.
type TestOutcome int

// These are the outcomes. Their numbers are stored.
const (
	TestPassed  TestOutcome = iota
	TestFailed              // an assertion failed
	TestError               // it ended in another way, or its setup failed
	TestSkipped             // it was not run
	TestInfra               // it failed, and the machine or the network explains why
)

var testOutcomes = [...]string{"passed", "failed", "error", "skipped", "infrastructure"}

func (o TestOutcome) String() string {
	if o < 0 || int(o) >= len(testOutcomes) {
		return "unknown"
	}
	return testOutcomes[o]
}

// ParseTestOutcome returns the outcome with a name.
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

// Test is a test of a repository. Name and file are its identity.
type Test struct {
	ID   int64 // in the store, 0 for a test that is not from one
	Repo string
	Name string
	File string // "" if the runner does not say
}

// TestResult is how one attempt of a test ended in a run. Attempts of a test follow each other.
type TestResult struct {
	Test     Test
	Outcome  TestOutcome
	Attempt  int           // 1 for the first
	Duration time.Duration // of three digits; 0 if it is not known
}

// TestBlock holds the results of a run.
type TestBlock struct {
	Run Ref
	TestSum
	Results []TestResult // in the order of their tests' IDs; of the tests only IDs are known
}

// TestSum counts the tests of a run by their last attempt.
type TestSum struct {
	Tests   int // all
	Failed  int
	Skipped int
	Infra   int
	Retried int // with more than one attempt
	Flaky   int // that failed and passed at last
}

// Passed returns how many tests passed.
func (s TestSum) Passed() int { return s.Tests - s.Failed - s.Skipped - s.Infra }

// TestPast is a result of a test in one of its runs.
type TestPast struct {
	Serial   int // of the run
	Outcome  TestOutcome
	Attempt  int
	Duration time.Duration
}

// These bound the results of a run and their names. Further results are left out.
const (
	MaxTestResults = 200_000
	MaxTestName    = 1000
)

// TestFilter selects tests of repositories.
type TestFilter struct {
	Repo string  // "" for any
	Name string  // exactly this name
	Like string  // or a part of name or file, case ignored
	IDs  []int64 // or these
	// Limit is the max number, 0 for no limit.
	Limit int
}

// testRecorder stores the results of tests.
type testRecorder interface {
	// AddTests adds the results of an attempt. An attempt that has results keeps them. NotFound: no such attempt.
	// Conflict: it is completed. Invalid: a result is not complete.
	AddTests(ctx context.Context, attempt string, results []TestResult) error
}

// testReader reads the results of tests.
type testReader interface {
	// TestBlocks returns the results of attempts that have some, newest run first, without the single results if they
	// are not whole.
	TestBlocks(ctx context.Context, sc Scope, attempts []string, whole bool) ([]TestBlock, error)

	// Tests returns tests in the order of their IDs.
	Tests(ctx context.Context, sc Scope, f TestFilter) ([]Test, error)

	// TestHistory returns the results of a test, newest run first. Its cost grows with the number of results of the
	// test, and not with the number of other tests.
	TestHistory(ctx context.Context, sc Scope, t Test) ([]TestPast, error)
}

// Key returns a number by which the tests of a repository differ.
func (t Test) Key() int64 {
	sum := sha256.Sum256([]byte(t.Name + "\x00" + t.File))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1)
}

// CheckTests returns results as engines store them. Invalid: see Recorder.AddTests.
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

// SumTests counts results, in which the attempts of a test follow each other.
func SumTests(results []TestResult) TestSum {
	var s TestSum
	for i := 0; i < len(results); {
		end, failed := i+1, results[i].Outcome.Failed()
		for end < len(results) && results[end].Test == results[i].Test {
			failed = failed || results[end].Outcome.Failed()
			end++
		}
		last := results[end-1].Outcome
		s.Tests++
		if end-i > 1 {
			s.Retried++
		}
		switch {
		case last.Failed():
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

// Size returns the bytes of the test's texts.
func (t Test) Size() int { return len(t.Name) + len(t.File) }

// TestBytes returns the bytes that the results of a run take: their block, the same once more in the history of their
// tests, and the texts of new tests.
func TestBytes(block, texts int) int { return 2*block + texts + BatchRow }
