package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// gradleFormat reads failed tasks of Gradle, and the reasons.
var gradleFormat = parse.Format{
	Name:     "gradle",
	About:    "Gradle: failed tasks, with the reasons",
	Triggers: []string{" FAILED"},
	Starts: []string{
		"> Task :", "* What went wrong:", "* Where:", "BUILD FAILED in ", "FAILURE: Build failed with",
		"FAILURE: Build completed with",
	},
	New: func() parse.Matcher { return (&gradle{}).match },
}

type gradle struct {
	where parse.Place // place of the newest "* Where:"
	at    int         // line of the newest "* Where:"
}

func (g *gradle) match(s *parse.Scan, l parse.Line) bool {
	text := strings.TrimRight(l.Text, " ")
	if task, ok := strings.CutPrefix(text, "> Task :"); ok {
		enterProject(s, task)
	}
	switch {
	case strings.HasPrefix(text, "* What went wrong:"):
		g.wrong(s, l)
	case strings.HasPrefix(text, "* Where:"):
		s.Block(func(l parse.Line) parse.Verdict {
			if file, line, ok := cutWhere(l.Text); ok {
				g.where, g.at = parse.Place{File: file, Line: line}, l.N
				return parse.Last
			}
			return parse.Done
		})
	case strings.HasPrefix(text, "BUILD FAILED in "), strings.HasPrefix(text, "FAILURE: "):
		s.Add(parse.Draft{Weight: parse.Repeat, Rank: parse.Mark, Key: "build",
			Event: store.Event{Message: text, Category: store.CategoryBuild}})
	case strings.HasSuffix(text, " FAILED"):
		task := strings.TrimSuffix(strings.TrimPrefix(text, "> Task "), " FAILED")
		if !strings.HasPrefix(task, ":") || strings.Contains(task, " ") {
			return false
		}
		s.Add(parse.Draft{Weight: parse.Repeat, Rank: parse.Mark, Key: "task " + task,
			Event: store.Event{Message: "Task " + task + " FAILED", Category: store.CategoryBuild}})
	default:
		return false
	}
	return true
}

// enterProject makes file names relative to the project of a task such as "api:core:test FAILED". By default, the
// project :api:core is in the directory api/core. Tests of two projects may have the same name.
func enterProject(s *parse.Scan, task string) {
	task, _, _ = strings.Cut(task, " ")
	project := task[:max(0, strings.LastIndexByte(task, ':'))]
	s.Project(strings.ReplaceAll(project, ":", "/"), "build.gradle", "build.gradle.kts")
}

// cutWhere reads "Build file '/x/build.gradle' line: 12".
func cutWhere(text string) (file string, line int, ok bool) {
	_, rest, ok := strings.Cut(text, " file '")
	if !ok {
		return "", 0, false
	}
	file, rest, ok = strings.Cut(rest, "'")
	if n, found := strings.CutPrefix(rest, " line: "); found {
		line, _ = parse.Number(n)
	}
	return file, line, ok
}

// explainedTasks are messages of failed tasks whose reasons are printed above.
var explainedTasks = []string{
	"There were failing tests", "Compilation failed", "Compilation error", "violations were found", "rule violations",
	"Compilation finished with errors", "Lint found errors", "found code style",
	"finished with non-zero exit value", "weighted issues", "Test failures",
	"There was a failure while executing work items", "Javadoc generation failed",
	"Internal compiler error", "tests failed", "test failures", "lint errors", "Task failed with an exception", "KtLint",
	"ktlint", "Kotlin compiler",
}

// wrong reads "* What went wrong:" up to the end of its paragraph.
func (g *gradle) wrong(s *parse.Scan, head parse.Line) {
	var d *parse.Draft
	lines, listed := 0, false // listed is set within the repeated messages of the compiler
	s.Block(func(l parse.Line) parse.Verdict {
		text := strings.TrimRight(l.Text, " \t")
		if lines++; text == "" || strings.HasPrefix(text, "* ") || lines > 100 {
			return parse.Done
		}
		if d == nil {
			d = s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild, LogLine: head.N}})
			if g.at > 0 && head.N-g.at < 5 {
				d.File, d.Line = g.where.File, g.where.Line
			}
		} else if finding, ok := javacLines.Read(text); ok {
			finding.Tool, finding.Rank = orElse(finding.Tool, "javac"), parse.Summary
			s.Add(finding)
			d.Weight, listed = parse.Repeat, true
		} else if lines <= 8 && !listed {
			d.Message += "\n" + strings.TrimSpace(text)
		}
		if isExplainedTask(text) {
			d.Weight = parse.Repeat
		}
		d.Extend(l)
		return parse.Take
	})
}

func isExplainedTask(text string) bool {
	if strings.Contains(text, "Gradle Test Executor") {
		return false // if the test process died, Gradle prints nothing else
	}
	for _, words := range explainedTasks {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
