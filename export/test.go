package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// testCase is a test with its attempts.
type testCase struct {
	name, file string
	attempts   []attempt
	id         int64
}

// attempt is an attempt of a test.
type attempt struct {
	outcome  store.TestOutcome
	duration time.Duration
	event    *store.Event // event with the reason of the failure, nil if it is unknown
}

// last returns the last attempt.
func (t testCase) last() attempt { return t.attempts[len(t.attempts)-1] }

// flaky reports whether the test failed first and passed in the end.
func (t testCase) flaky() bool {
	return t.last().outcome == store.TestPassed && slices.ContainsFunc(t.attempts, attempt.failed)
}

// failed reports whether the attempt failed for any reason.
func (a attempt) failed() bool { return a.outcome.Failed() || a.outcome == store.TestInfra }

// message returns the reason of the failure, or "" if it is unknown.
func (a attempt) message() string {
	if a.event == nil {
		return ""
	}
	return a.event.Message
}

// place returns the file and the line of the failure, or "" and 0 if they are unknown.
func (a attempt) place() (file string, line int) {
	if a.event == nil {
		return "", 0
	}
	return a.event.File, a.event.Line
}

// ofTests returns a filter that selects the events that are failed tests.
func (d *document) ofTests() store.EventFilter {
	f := d.filter()
	f.Where = []store.Condition{{Field: "category", Op: store.Equal, Values: []string{string(store.CategoryTest)}}}
	return f
}

// count counts the tests and finds their runner.
func (d *document) count(ctx context.Context) error {
	blocks, err := d.asker.Store.TestBlocks(ctx, d.asker.Scope, []string{d.run.Attempt}, d.at.phase == phaseHead)
	if err != nil {
		return err
	}
	f := d.ofTests()
	f.Limit, f.Uncounted = 1, d.at.phase != phaseHead // counting is slow, and only the first part contains the number
	if d.known = len(blocks) > 0; d.known {
		d.sum, f.Uncounted = blocks[0].TestSum, true
		d.broke = brokenTests(blocks[0].Results)
	} else {
		f.Severities = []store.Severity{store.SeverityError}
	}
	page, err := d.asker.Store.Events(ctx, d.asker.Scope, f)
	if err != nil {
		return err
	}
	if !d.known {
		d.sum = store.TestSum{Tests: page.Total, Failed: page.Total}
	}
	if len(page.Events) > 0 {
		d.tool = query.Clean(page.Events[0].Tool)
	}
	return nil
}

// judge finds out whether the run failed without a failed test, and sets d.other. A form with only tests would show
// such a run as passed, so the document gets a test case for the run.
func (d *document) judge(w writer) {
	// Without stored results, later parts do not know the number of failed tests. But there are later parts only if at
	// least one test failed.
	if w.events != nil || !d.known && d.at.phase != phaseHead || d.sum.Failed+d.sum.Infra > 0 {
		return
	}
	if d.other = d.run.Status() != store.StatusOK; d.other {
		d.sum.Tests++
		d.sum.Failed++
		d.broke++
	}
}

// ownCase returns the test case for a run that failed without a failed test.
func (d *document) ownCase() testCase {
	why := d.ending()
	return testCase{name: query.Clean(d.run.Source) + ": " + why, attempts: []attempt{{outcome: store.TestError,
		duration: d.run.Duration(), event: &store.Event{Severity: store.SeverityError, Tool: self,
			Message: fmt.Sprintf("%s ended with %s, and no test failed", d.run.Ref(), why)}}}}
}

// ending returns the exit code or the signal of the run, or else its status.
func (d *document) ending() string {
	switch {
	case d.run.ExitCode != nil:
		return fmt.Sprintf("exit code %d", *d.run.ExitCode)
	case d.run.Signal != "":
		return query.Clean(d.run.Signal)
	}
	return strings.ToLower(string(d.run.Status()))
}

// brokenTests counts the tests whose last attempt ended with an error.
func brokenTests(results []store.TestResult) int {
	n := 0
	for i, r := range results {
		if r.Outcome == store.TestError && (i == len(results)-1 || results[i+1].Test.ID != r.Test.ID) {
			n++
		}
	}
	return n
}

// cases returns the tests of the part, and reports whether more tests follow.
func (d *document) cases(ctx context.Context) ([]testCase, bool, error) {
	if !d.known {
		return d.failures(ctx)
	}
	blocks, err := d.asker.Store.TestBlocks(ctx, d.asker.Scope, []string{d.run.Attempt}, true)
	if err != nil || len(blocks) == 0 {
		return nil, false, err
	}
	results := blocks[0].Results
	before := d.at.after
	rest := results[min(before, len(results)):]
	var list []testCase
	n := 0
	for ; n < len(rest); n++ {
		r := rest[n]
		if last := len(list) - 1; last < 0 || list[last].id != r.Test.ID {
			if len(list) == testsAtOnce {
				break
			}
			list = append(list, testCase{id: r.Test.ID})
		}
		t := &list[len(list)-1]
		t.attempts = append(t.attempts, attempt{outcome: r.Outcome, duration: r.Duration})
	}
	d.at.after += n
	if err := d.name(ctx, list); err != nil {
		return nil, false, err
	}
	more := n < len(rest)
	return list, more, d.explain(ctx, list, more || before > 0)
}

// name sets the names and files of tests. A test that has been removed in the meantime gets the name "unknown".
func (d *document) name(ctx context.Context, list []testCase) error {
	ids := make([]int64, len(list))
	for i, t := range list {
		ids[i] = t.id
	}
	tests, err := d.asker.Store.Tests(ctx, d.asker.Scope, store.TestFilter{IDs: ids})
	if err != nil {
		return err
	}
	byID := func(t store.Test, id int64) int { return cmp.Compare(t.ID, id) }
	for i := range list {
		list[i].name = "unknown"
		if at, found := slices.BinarySearchFunc(tests, list[i].id, byID); found {
			list[i].name, list[i].file = query.Clean(tests[at].Name), query.Clean(tests[at].File)
		}
	}
	return nil
}

// failures returns the failed tests of the part, for a run whose tests are known only by their events. It reports
// whether more tests follow.
func (d *document) failures(ctx context.Context) ([]testCase, bool, error) {
	f := d.ofTests()
	f.Severities, f.After = []store.Severity{store.SeverityError}, d.at.after
	page, err := d.asker.Store.Events(ctx, d.asker.Scope, f)
	if err != nil {
		return nil, false, err
	}
	list := make([]testCase, len(page.Events))
	for i := range page.Events {
		e := clean(page.Events[i].Event)
		list[i] = testCase{name: cmp.Or(e.Test, e.Message), file: e.File,
			attempts: []attempt{{outcome: store.TestFailed, event: &e}}}
		d.at.after = e.ID
	}
	return list, len(list) == eventsAtOnce, nil
}

// toolOf returns the name of the run's test runner.
func (d *document) toolOf() string {
	for _, name := range []string{d.tool, d.run.Format, d.run.Source} {
		if name = query.Clean(name); name != "" {
			return name
		}
	}
	return self
}

// self is the name of blq as a tool. It is also used for events whose tool is unknown.
const self = "blq"
