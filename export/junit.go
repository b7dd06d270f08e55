package export

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// In a JUnit document, a suite has the tests of one file. Several attempts of a test are written in the form of Maven
// Surefire. A test that passed in the end has flaky failures. A test that failed in the end has reruns after its first
// failure.

func junitHead(d *document) {
	d.WriteString(xmlHead + "<testsuites")
	d.attr("name", query.Clean(d.run.Source))
	d.seconds("time", d.run.Duration())
	d.number("tests", d.sum.Tests)
	d.number("failures", d.sum.Failed-d.broke)
	d.number("errors", d.broke+d.sum.Infra)
	d.WriteString(">\n")
}

func junitFoot(d *document) { d.WriteString("</testsuites>\n") }

func junitTests(d *document, list []testCase) {
	suites, at := []junitSuite{}, map[string]int{}
	for _, t := range list {
		i, known := at[t.file]
		if !known {
			i = len(suites)
			at[t.file] = i
			suites = append(suites, junitSuite{file: t.file})
		}
		suites[i].add(t)
	}
	if d.at.count == 0 && len(suites) == 0 {
		suites = []junitSuite{{}}
	}
	for i, s := range suites {
		s.write(d, d.at.count == 0 && i == 0)
	}
}

// junitSuite holds the tests of one file.
type junitSuite struct {
	file                      string
	cases                     []testCase
	failures, errors, skipped int
	time                      time.Duration
}

func (s *junitSuite) add(t testCase) {
	s.cases = append(s.cases, t)
	switch t.last().outcome {
	case store.TestFailed:
		s.failures++
	case store.TestError, store.TestInfra:
		s.errors++
	case store.TestSkipped:
		s.skipped++
	}
	for _, a := range t.attempts {
		s.time += a.duration
	}
}

func (s *junitSuite) write(d *document, first bool) {
	d.WriteString("  <testsuite")
	name := s.file
	if name == "" {
		name = query.Clean(d.run.Source)
	}
	d.attr("name", name)
	d.number("tests", len(s.cases))
	d.number("failures", s.failures)
	d.number("errors", s.errors)
	d.number("skipped", s.skipped)
	d.seconds("time", s.time)
	d.attr("timestamp", d.run.StartedAt.UTC().Format("2006-01-02T15:04:05"))
	d.attr("file", s.file)
	d.WriteString(">\n")
	if first {
		d.junitProperties()
	}
	for _, t := range s.cases {
		d.junitCase(t)
	}
	d.WriteString("  </testsuite>\n")
}

// junitProperties writes facts of the run.
func (d *document) junitProperties() {
	d.WriteString("    <properties>\n")
	for _, f := range d.facts() {
		d.WriteString("      <property")
		d.attr("name", f.name)
		d.attr("value", f.value)
		d.WriteString("/>\n")
	}
	d.WriteString("    </properties>\n")
}

func (d *document) junitCase(t testCase) {
	class, name := junitNames(t.name)
	d.WriteString("    <testcase")
	d.attr("classname", class)
	d.attr("name", name)
	timed := t.last()
	if timed.failed() {
		timed = t.attempts[0]
	}
	d.seconds("time", timed.duration)
	prefix := ""
	switch {
	case t.flaky():
		prefix = "flaky"
	case t.last().outcome == store.TestSkipped:
		d.WriteString(">\n      <skipped/>\n    </testcase>\n")
		return
	case !t.last().failed():
		d.WriteString("/>\n")
		return
	}
	d.WriteString(">\n")
	for _, a := range t.attempts {
		if !a.failed() {
			continue
		}
		d.junitFailure(prefix, a)
		if prefix == "" {
			prefix = "rerun"
		}
	}
	d.WriteString("    </testcase>\n")
}

// junitFailure writes a failed attempt.
func (d *document) junitFailure(prefix string, a attempt) {
	element, kind := "Failure", "failure"
	switch a.outcome {
	case store.TestError:
		element, kind = "Error", "error"
	case store.TestInfra:
		element, kind = "Error", store.TestInfra.String()
	}
	element = prefix + element
	if prefix == "" {
		element = strings.ToLower(element)
	}
	d.WriteString("      <" + element)
	d.attr("message", a.message())
	d.attr("type", kind)
	d.WriteString(">")
	if prefix != "" {
		d.WriteString("<stackTrace>")
	}
	if file, line := a.place(); file != "" && line > 0 {
		d.text(fmt.Sprintf("%s:%d", file, line))
	}
	if prefix != "" {
		d.WriteString("</stackTrace>")
	}
	d.WriteString("</" + element + ">\n")
}

// junitNames splits the full name of a test into the name of a class and a name within the class. Readers join class
// and name with a dot, unless the name begins or ends with the class, or the class ends with the name. In these cases
// the returned name is the full name.
func junitNames(full string) (class, name string) {
	head := full
	if i := strings.IndexAny(full, " [(\"'"); i >= 0 {
		head = full[:i]
	}
	if i := strings.LastIndex(head, "::"); i > 0 {
		return head[:i], full
	}
	i := strings.LastIndexByte(head, '.')
	if i <= 0 || i == len(full)-1 || strings.Contains(head, "/") {
		return "", full
	}
	class, name = full[:i], full[i+1:]
	if strings.HasPrefix(name, class) || strings.HasSuffix(name, class) || strings.HasSuffix(class, name) {
		return class, full
	}
	return class, name
}

// fact is a fact of the run.
type fact struct{ name, value string }

// facts returns the known facts of the run. It leaves out empty values.
func (d *document) facts() []fact {
	r := d.run
	exit := ""
	if r.ExitCode != nil {
		exit = strconv.Itoa(*r.ExitCode)
	}
	var list []fact
	for _, f := range []fact{{"run_ref", r.Ref().String()}, {"attempt_id", r.Attempt}, {"status", string(r.Status())},
		{"command", r.Command}, {"exit_code", exit}, {"signal", r.Signal}, {"git_commit", r.Git.Commit},
		{"git_branch", r.Git.Branch}} {
		if f.value = query.Clean(f.value); f.value != "" {
			list = append(list, f)
		}
	}
	return list
}
