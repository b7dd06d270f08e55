package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// judged is a change that is rated as the possible cause of an error.
type judged struct {
	*inspector
	change *change
	event  store.Event
	owner  *graph.Node
	away   map[string]int
	uses   *reached
}

// suspect adds up the points of a change, and collects the reasons.
func (j judged) suspect(ctx context.Context) Suspect {
	s := Suspect{Kind: SuspectCommit, Commit: j.change.commit, Since: j.change.since, Evidence: []string{}}
	switch {
	case s.Since != "":
		s.Kind, s.Node = SuspectNode, Clean(j.change.node)
	case s.Commit == "":
		s.Kind = suspectUncommitted
	}
	var reasons []string
	speak := func(points int, file, format string, args ...any) {
		s.Score += points
		reasons = append(reasons, fmt.Sprintf(format, args...))
		if file == "" {
			return
		}
		if ref := j.citation(file); len(s.Evidence) < maxEvidence && !slices.Contains(s.Evidence, ref) {
			s.Evidence = append(s.Evidence, ref)
		}
	}
	of := func(file string) {
		if n := j.head.Owner(file); n != nil && s.Kind != SuspectNode {
			s.Node = Clean(n.Ref)
		}
	}
	if points, how := j.touches(ctx); points > 0 {
		speak(points, j.event.File, how, j.event.File)
		of(j.event.File)
	}
	if u := j.uses; u != nil {
		points := pointsSymbol
		s.steps = len(u.over)
		if s.how = u.how; u.how < extended {
			points = pointsSameValue
		}
		speak(points, u.file, "%s", u.why(j.event.File))
		of(u.file)
	}
	s.weak = len(reasons) == 0
	node, file, steps := j.nearest()
	switch {
	case file == "":
	case steps == 0:
		speak(pointsUpstream, file, "changes %s, which has the error", node)
	case steps == 1:
		speak(pointsUpstream, file, "changes %s, which %s depends on", node, j.owner.Ref)
	default:
		speak(pointsFarther, file, "changes %s, which %s depends on over others", node, j.owner.Ref)
	}
	if file != "" && s.Node == "" {
		s.Node = Clean(node)
	}
	if word := j.word(); s.Score > 0 && word != "" {
		s.weak = false
		speak(pointsWord, "", "names %s, as the error does", word)
	}
	if s.Score > 0 && !slices.ContainsFunc(j.change.files, j.alters) {
		speak(pointsNoCode, "", "but only documents, comments and tests")
	}
	s.Why = clip(Clean(strings.ReplaceAll(strings.Join(reasons, "; "), "\n", " ")), 300)
	return s
}

// touches returns the points for a change to the file of the error, and a description of the change. If the file is a
// test and the change is far from the error, the points are few.
func (j judged) touches(ctx context.Context) (points int, how string) {
	file := j.event.File
	if !slices.Contains(j.change.files, file) {
		return 0, ""
	}
	was := j.compared(ctx, j.change, file)
	switch at, name := j.around(ctx, j.event); {
	case !was.code:
		return 0, ""
	case isCode(file), j.isNew(ctx), at && was.symbols[name] != unaltered, was.symbols[""] == altered:
		return pointsFile, "touches %s"
	case !at && j.event.Line == 0:
		return pointsFile, "touches %s"
	}
	return pointsElsewhen, "touches another part of %s"
}

// isNew reports whether the change added the line of the error.
func (j judged) isNew(ctx context.Context) bool {
	lines := j.lines(ctx, j.event.File)
	if j.event.Line < 1 || j.event.Line > len(lines) {
		return false
	}
	line := strings.TrimSpace(lines[j.event.Line-1])
	before, err := j.read(ctx, j.change.before, j.event.File)
	if err != nil {
		return store.CodeOf(err) == store.NotFound
	}
	after, _ := j.read(ctx, j.change.head, j.event.File) // if the text cannot be read, the line is not new
	has := func(text []byte) bool {
		for l := range strings.SplitSeq(string(text), "\n") {
			if strings.TrimSpace(l) == line {
				return true
			}
		}
		return false
	}
	return !has(before) && has(after)
}

// word returns a word of the error's message that occurs in the altered code, or "" if there is no such word.
func (j judged) word() string {
	found := ""
	identifiers([]byte(j.event.Message), func(word string) {
		if len(word) < 3 || isUsual(word) || strings.Contains(j.event.Test, word) {
			return
		}
		for _, f := range j.change.files {
			if j.change.of[f].words[word] && isCode(f) && (found == "" || word < found) {
				found = word
			}
		}
	})
	return found
}

// usualWords are words that occur in many errors. They do not help to find a cause.
const usualWords = "" +
	" actual and are assert assertequal assertion at bool but cannot char const def else equal error " +
	"errors exception expected fail failed false file float for found from func function got has have " +
	"import int integer left line list long main method missing none not null number object panicked " +
	"return right self should str string struct symbol test tests that the this true type undefined use " +
	"value var void want was with wrong "

// isUsual reports whether a word occurs in many errors.
func isUsual(word string) bool { return strings.Contains(usualWords, " "+strings.ToLower(word)+" ") }

// citation returns a reference to a changed file at the commit of the change.
func (j judged) citation(file string) string {
	pin := ""
	switch commit := j.change.commit; {
	case commit != "":
		pin = "@" + short(commit)
	case j.change.since != "":
		pin = "@" + short(j.run.Git.Commit)
	}
	return Clean("code" + pin + "/" + file + ":1")
}

// alters reports whether the change alters the code of a file, and not only comments. If the versions of the file were
// not compared, it returns true. It returns false for tests and for files that are not code.
func (j judged) alters(file string) bool {
	was, compared := j.change.of[file]
	return isCode(file) && (!compared || was.code)
}

// nearest returns the changed node with the smallest distance from the owner of the error's file. Only the owner and
// the nodes on which it depends can be nearest. It also returns a changed file of the nearest node that is not a test,
// and the distance.
func (j judged) nearest() (node, file string, steps int) {
	for _, f := range j.change.files {
		n := j.head.Owner(f)
		if n == nil || !j.alters(f) {
			continue
		}
		away, upstream := j.away[n.Ref]
		if n.Ref == j.owner.Ref {
			away, upstream = 0, true
		}
		if upstream && (file == "" || away < steps) {
			node, file, steps = n.Ref, f, away
		}
	}
	return node, file, steps
}
