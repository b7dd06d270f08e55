package formats

import (
	"encoding/json"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ansibleFormat reads ansible and ansible-playbook.
var ansibleFormat = parse.Format{
	Name:     "ansible",
	About:    "Ansible: failed tasks, unreachable hosts, refused playbooks",
	Triggers: []string{": FAILED! => ", ": UNREACHABLE! => ", "failed: ["},
	Starts:   []string{"ERROR! ", "TASK [", "RUNNING HANDLER [", "...ignoring"},
	New:      func() parse.Matcher { return new(ansible).match },
}

// ansible keeps the running task and the newest failure.
type ansible struct {
	task string
	last *parse.Draft
}

func (a *ansible) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "TASK ["), strings.HasPrefix(text, "RUNNING HANDLER ["):
		a.task, _, _ = strings.Cut(text[strings.IndexByte(text, '[')+1:], "] **")
		a.last = nil
	case text == "...ignoring":
		if a.last != nil {
			a.last.Severity = store.SeverityWarning
		}
	case strings.HasPrefix(text, "ERROR! "):
		s.Add(parse.Draft{Event: store.Event{Message: text[len("ERROR! "):], Category: store.CategoryBuild}})
	default:
		host, result, ok := strings.Cut(text, " => ")
		if !ok || !strings.HasPrefix(host, "fatal: [") && !strings.HasPrefix(host, "failed: [") {
			return false
		}
		a.last = s.Add(parse.Draft{Event: store.Event{Message: ansibleMessage(a.task, result),
			Category: store.CategoryBuild}})
	}
	return true
}

// ansibleMessage returns the name of a task and the message in its result. The text result is one line of JSON, or only
// the first of several lines.
func ansibleMessage(task, result string) string {
	var r struct{ Msg, Stderr, Reason string }
	message := result
	if json.Unmarshal([]byte(result), &r) == nil {
		for _, m := range []string{r.Msg, r.Reason, r.Stderr} {
			if m != "" {
				message = m
				break
			}
		}
		if r.Msg == "non-zero return code" && r.Stderr != "" {
			message = r.Msg + ": " + r.Stderr
		}
	}
	if task != "" {
		return task + ": " + message
	}
	return message
}
