package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// poetryFormat reads Poetry: requirements that cannot be met, a lock file or
// a configuration that is not valid.
var poetryFormat = Format{
	Name:     "poetry",
	About:    "Poetry: version solving, lock file and configuration errors",
	Triggers: []string{"version solving failed", "The Poetry configuration is invalid", "poetry.lock was last generated", "Poetry could not find a pyproject.toml", "poetry.lock is not consistent", "poetry.lock is not up to date"},
	New:      stateless(matchPoetry),
}

func matchPoetry(s *Scan, l Line) bool {
	text := l.Trim()
	d := s.Add(Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}, Key: text})
	if strings.HasPrefix(text, "Warning: ") {
		d.Severity = store.SeverityWarning
	}
	if !strings.Contains(text, "configuration is invalid") {
		return true
	}
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		if !strings.HasPrefix(text, "- ") {
			return Done
		}
		if len(d.Message) < 400 {
			d.Message += " " + text
		}
		d.Extend(l)
		return Take
	})
	return true
}
