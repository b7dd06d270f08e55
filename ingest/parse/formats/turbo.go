package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// turboFormat reads the output of tools that run scripts of many packages. If a script failed, Turborepo and Yarn name
// the directory of its package. Places in the output of the script are relative to this directory.
var turboFormat = parse.Format{
	Name:  "turbo",
	About: "Turborepo, Yarn's workspaces foreach, concurrently: failed scripts and their packages",
	Triggers: []string{" command (", "The command failed in workspace ", "command finished with error, but continuing",
		" NX   Running target", " NX   Cannot find ", " Lerna (powered by Nx)   "},
	Starts: []string{"::error::command ("},
	Match:  matchTurbo,
}

func matchTurbo(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if l.Level == "error" || strings.HasPrefix(text, "::error::") { // the annotation of a later line
		return hasAnyPrefix(text, "command (/", "::error::command (/") && strings.Contains(text, " exited (")
	}
	if rest, ok := strings.CutPrefix(text, "The command failed in workspace "); ok {
		workspace, _, ok := strings.Cut(rest, " with exit code ")
		name, dir, named := strings.Cut(workspace, "@workspace:")
		if ok && named {
			s.LaneRanIn("["+name+"]:", dir)
		}
		return ok && repeatOf(s, "yarn", text)
	}
	if strings.HasSuffix(text, "command finished with error, but continuing...") {
		return true
	}
	if text, ok := strings.CutPrefix(text, "NX   "); ok {
		if strings.HasPrefix(text, "Cannot find ") {
			s.Add(parse.Draft{Event: store.Event{Tool: "nx", Message: text, Category: store.CategoryBuild}})
			return true
		}
		return strings.HasSuffix(text, " failed") && repeatOf(s, "nx", text)
	}
	if text, ok := strings.CutPrefix(text, "Lerna (powered by Nx)   "); ok {
		return strings.HasSuffix(text, " failed") && repeatOf(s, "lerna", text)
	}
	// Turbo prints "web#build: ERROR command (/x/web) npm run build exited (2)". Before 2.0 the task is only in the
	// name of the lane, "web:build:".
	head, rest, _ := strings.Cut(text, " command (")
	dir, _, ok := strings.Cut(rest, ") ")
	if !ok || !strings.HasSuffix(text, ")") || !strings.Contains(rest, " exited (") || !parse.IsAbs(dir) {
		return false
	}
	task, _, _ := strings.Cut(head, " ")
	if strings.Contains(task, "#") {
		s.LaneRanIn(strings.Replace(task, "#", ":", 1), dir)
	} else {
		s.RanIn(dir)
	}
	return repeatOf(s, "turbo", text[strings.Index(text, "command ("):])
}

// repeatOf adds a runner's message about a failure that another tool has reported.
func repeatOf(s *parse.Scan, tool, message string) bool {
	s.Add(parse.Draft{Weight: parse.Repeat,
		Event: store.Event{Tool: tool, Message: message, Category: store.CategoryBuild}})
	return true
}
