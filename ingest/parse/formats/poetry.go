package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// poetryFormat reads Poetry: requirements that cannot be met, and an invalid lock file or configuration.
var poetryFormat = parse.Format{
	Name:  "poetry",
	About: "Poetry: version solving, lock file and configuration errors",
	Triggers: []string{
		"version solving failed", "The Poetry configuration is invalid", "poetry.lock was last generated",
		"Poetry could not find a pyproject.toml", "poetry.lock is not consistent", "poetry.lock is not up to date",
	},
	Match: matchPoetry,
}

func matchPoetry(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	d := s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}, Key: text})
	if strings.HasPrefix(text, "Warning: ") {
		d.Severity = store.SeverityWarning
	}
	if !strings.Contains(text, "configuration is invalid") {
		return true
	}
	s.Block(parse.Below{Starts: []string{"- "}, Join: " ", MaxText: 400}.Block(d))
	return true
}
