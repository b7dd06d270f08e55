package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// azureFormat reads two kinds of lines in logs of Azure Pipelines: the task headers of a downloaded log, and the
// logging commands that a task prints (##vso[task.logissue …]). githubFormat reads ##[error] and ##[warning], because
// GitHub's logs have these marks, too.
var azureFormat = parse.Format{
	Name:   "azure",
	About:  "Azure Pipelines: tasks of downloaded logs, and logging commands",
	Starts: []string{"##vso["},
	Levels: true,
	Match:  matchAzure,
}

func matchAzure(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if l.Level == "section" {
		if strings.HasPrefix(text, "Starting: ") || strings.HasPrefix(text, "Finishing: ") {
			s.BeginStep(parse.Passed) // a failed step would have printed ##[error]
		}
		return true
	}
	command, ok := strings.CutPrefix(text, "##vso[")
	if !ok {
		return false
	}
	head, message, ok := strings.Cut(command, "]")
	if !ok {
		return false
	}
	name, properties, _ := strings.Cut(head, " ")
	switch name {
	case "task.logissue":
		addIssue(s, message, properties)
	case "task.complete":
		if strings.Contains(properties, "result=Failed") {
			s.Fail()
			s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: message, Category: store.CategoryCI}})
		}
	}
	return true
}

// addIssue adds the event of a task.logissue command. The command's properties are a text such as
// type=error;sourcepath=a.c;linenumber=1;columnnumber=2;code=100;
func addIssue(s *parse.Scan, message, properties string) {
	e := store.Event{Message: message, Category: store.CategoryCI}
	for property := range strings.SplitSeq(properties, ";") {
		key, value, _ := strings.Cut(property, "=")
		switch strings.TrimSpace(key) {
		case "type":
			if value == "warning" {
				e.Severity = store.SeverityWarning
			}
		case "sourcepath":
			e.File = value
		case "linenumber":
			e.Line, _ = parse.Number(value)
		case "columnnumber":
			e.Column, _ = parse.Number(value)
		case "code":
			e.Code = value
		}
	}
	s.Add(parse.Draft{Event: e})
}
