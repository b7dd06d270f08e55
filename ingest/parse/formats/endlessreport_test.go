package formats

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

const aReport = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="all" tests="3" failures="1" errors="0">
<testcase classname="c.A" name="good" time="0.1"/>
<testcase classname="c.A" name="bad" time="0.1"><failure message="boom" type="E">at a.py:3</failure></testcase>
<testcase classname="c.A" name="last" time="0.1"/>
</testsuite></testsuites>
`

// errorsIn returns the errors in a report, as test and message. The exit code of the command is unknown.
func errorsIn(text string) (list []string) {
	for _, e := range parse.Bytes([]byte(text), nil, all) {
		if e.Severity == store.SeverityError {
			list = append(list, strings.TrimSpace(e.Test+" "+e.Message))
		}
	}
	return list
}

// A test runner that crashes leaves a part of its report. Its tests have not passed.
func TestAPartOfAReportIsNoSuccess(t *testing.T) {
	t.Parallel()
	const cut = "the report of the tests is not complete: its end is missing"
	after := func(part string) string {
		i := strings.Index(aReport, part)
		return aReport[:i+len(part)]
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"the whole":          {aReport, []string{"c.A.bad boom"}},
		"the root":           {after(`<testsuites>`), []string{cut}},
		"before the failure": {after(`name="good" time="0.1"/>`), []string{cut}},
		"in a tag":           {after(`name="bad" ti`), []string{cut}},
		"in the failure":     {after(`at a.`), []string{"c.A.bad boom", cut}},
		"after the failure":  {after(`</failure></testcase>`), []string{"c.A.bad boom", cut}},
		"without the root's end, in a log": {"hello\n" + after(`name="last" time="0.1"/>`) + "\nbye\n",
			[]string{"c.A.bad boom", cut}},
		"jest": {`{"numFailedTestSuites":1,"numFailedTests":1,"numTotalTests":2,"testResults":[` + "\n", []string{cut}},
		"jest in a word": {`{"numFailedTestSuites":1,"numFailedTests":1,"numTotalTests":2,"testResults":[{"name":"a.te`,
			[]string{cut}},
		"CTRF": {"{\n\"results\": {\n\"tool\": {\"name\": \"x\"},\n\"summary\": {\"failed\": 1},\n", []string{cut}},
		"TRX": {"<?xml version=\"1.0\"?>\n" +
			"<TestRun id=\"1\" xmlns=\"http://microsoft.com/schemas/TeamTest/2010\">\n<Results>\n", []string{cut}},
		"jest with other text behind it": {
			`{"numFailedTestSuites":0,"numFailedTests":0,"numTotalTests":2,"testResults":[]} npm notice` + "\n", nil},
		"CTRF between other output": {
			"{\n\"results\": {\n\"tool\": {\"name\": \"x\"},\n\"summary\": {\"failed\": 0},\n" +
				"listening on 80\n\"tests\": []}}\n", nil},
		"another document": {"<?xml version=\"1.0\"?>\n<project>\n<name>testsuite</name>\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := errorsIn(c.text); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A suite may fail outside of its tests. The report then counts a failure that it does not describe.
func TestACountedFailureIsNoSuccess(t *testing.T) {
	t.Parallel()
	suite := func(counts, inside string) string {
		return fmt.Sprintf("<testsuites>\n<testsuite name=\"s\" tests=\"1\" %s>\n%s\n</testsuite>\n</testsuites>\n",
			counts, inside)
	}
	good := `<testcase classname="c" name="good"/>`
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a failure": {suite(`failures="1"`, good),
			[]string{"s the report counts 1 failed test, and describes no failure"}},
		"an error": {suite(`errors="2"`, ""),
			[]string{"s the report counts 2 failed tests, and describes no failure"}},
		"none":         {suite(`failures="0" errors="0"`, good), nil},
		"no number":    {suite(`failures=""`, good), nil},
		"a flaky test": {suite(`failures="1"`, `<testcase classname="c" name="f"><flakyFailure/></testcase>`), nil},
		"a test that may fail": {suite(`failures="1"`,
			`<testcase name="f" classname="test"><skipped type="todo"/><failure message="x"/></testcase>`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := errorsIn(c.text); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
