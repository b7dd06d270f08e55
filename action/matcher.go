package action

import (
	"context"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/glob"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// matched returns the IDs of the events that the runner annotates itself. There are two kinds: events that the step
// printed as workflow commands, and events that a problem matcher of the job's actions finds. The matchers are files in
// the folder of these actions. The runner empties this folder before each job.
func (s *wrapped) matched(ctx context.Context, a *query.Asker, r store.Run, list []candidate) map[int]bool {
	shown := map[int]bool{}
	for _, c := range list {
		shown[c.ID] = c.Tool == runnersOwn
	}
	matchers := s.registered()
	if len(matchers) == 0 {
		return shown
	}
	for _, c := range list {
		lines, err := markdown.Excerpt(ctx, a, r, c.Event)
		if err != nil {
			return shown
		}
		if c.LogLine > 0 && matches(matchers, lines, c.Event, s.root(r), r.Cwd) {
			shown[c.ID] = true
		}
	}
	return shown
}

// runnersOwn is the tool of events that come from workflow commands.
const runnersOwn = "github"

// matches reports whether a problem matcher finds the file and the line of an event in the event's log lines.
func matches(matchers []parse.ProblemMatcher, lines []string, e store.Event, root, dir string) bool {
	found := false
	p := parse.New(parse.Options{Matchers: matchers, Root: root, Dir: dir}, func(m store.Event) {
		found = found || m.Line == e.Line && m.File == e.File
	})
	for _, l := range lines {
		_, _ = p.Write([]byte(l + "\n")) // Write never fails
	}
	failed := 1
	p.Finish(&failed)
	return found
}

// registered returns the problem matchers of the actions in this job.
func (s *wrapped) registered() []parse.ProblemMatcher {
	workspace := s.Getenv("RUNNER_WORKSPACE")
	if workspace == "" {
		return nil
	}
	var all []parse.ProblemMatcher
	for _, pattern := range []string{"*/*/*/.github/*.json", "*/*/*/*matcher*.json", "*/*/*/matchers/*.json"} {
		files := glob.In(filepath.Join(filepath.Dir(workspace), "_actions"), pattern)
		for _, name := range files[:min(len(files), 50)] {
			if info, err := os.Stat(name); err != nil || info.Size() > 1<<20 {
				continue
			}
			if list, err := readMatchers(name); err == nil {
				all = append(all, list...)
			}
		}
	}
	return all
}
