package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// teamcityFormat reads TeamCity's service messages. Many test runners print such messages in a TeamCity build.
var teamcityFormat = parse.Format{
	Name:     "teamcity",
	About:    "TeamCity service messages: failed tests and build problems",
	Triggers: []string{"##teamcity["},
	New:      func() parse.Matcher { return new(teamcity).match },
}

// teamcity keeps the open suites.
type teamcity struct {
	suites []string
}

func (t *teamcity) match(s *parse.Scan, l parse.Line) bool {
	_, message, _ := strings.Cut(l.Text, "##teamcity[")
	name, rest, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(message), "]"), " ")
	values := teamcityValues(rest)
	switch name {
	case "testSuiteStarted":
		if len(t.suites) < parse.MaxLanes {
			t.suites = append(t.suites, values["name"])
		}
	case "testSuiteFinished":
		t.suites = t.suites[:max(0, len(t.suites)-1)]
	case "testFailed":
		s.Add(parse.Draft{Event: store.Event{Message: teamcityMessage(values), Test: t.testName(values["name"]),
			Category: store.CategoryTest}})
	case "buildProblem":
		s.Add(parse.Draft{Event: store.Event{Message: values["description"], Category: store.CategoryCI}})
	case "message":
		if values["status"] == "ERROR" || values["status"] == "FAILURE" {
			s.Add(parse.Draft{Event: store.Event{Message: values["text"], Category: store.CategoryCI}})
		}
	case "inspection":
		s.Add(teamcityInspection(values))
	}
	return true
}

func (t *teamcity) testName(name string) string {
	if len(t.suites) == 0 || strings.HasPrefix(name, t.suites[len(t.suites)-1]) {
		return name
	}
	return t.suites[len(t.suites)-1] + "." + name
}

func teamcityMessage(values map[string]string) string {
	if m := values["message"]; m != "" {
		return m
	}
	first, _, _ := strings.Cut(values["details"], "\n")
	if first == "" {
		return "test failed"
	}
	return first
}

func teamcityInspection(values map[string]string) parse.Draft {
	d := parse.Draft{Event: store.Event{Severity: store.SeverityWarning, Message: values["message"],
		File: values["file"], Code: values["typeId"], Category: store.CategoryLint}}
	if values["SEVERITY"] == "ERROR" {
		d.Severity = store.SeverityError
	}
	d.Line, _ = parse.Number(values["line"])
	return d
}

// teamcityValues reads name='value' pairs. The escape character is |.
func teamcityValues(text string) map[string]string {
	values := map[string]string{}
	for len(values) < 20 {
		name, rest, ok := strings.Cut(text, "='")
		if !ok {
			return values
		}
		end := 0
		for end < len(rest) && rest[end] != '\'' {
			if rest[end] == '|' {
				end++
			}
			end++
		}
		end = min(end, len(rest))
		values[strings.TrimSpace(name)] = teamcityEscapes.Replace(rest[:end])
		text = rest[min(end+1, len(rest)):]
	}
	return values
}

var teamcityEscapes = strings.NewReplacer("||", "|", "|'", "'", "|n", "\n", "|r", "\r", "|[", "[", "|]", "]")
