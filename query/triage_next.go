package query

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/store"
)

// steps returns the next calls, the most useful call first. The calls contain references and the run's command, but no
// text from logs.
func (t Triage) steps(r store.Run, p TriageParams) []store.Call {
	var list []store.Call
	add := func(c store.Call) { list = append(list, c) }
	ref := r.Ref().String()
	switch {
	case t.Status == store.StatusRunning:
		add(store.NewCall("info", "how far it is", "ref", ref, "tail", 20))
		return list
	case t.Status == store.StatusOK:
		if t.Counts.Fixed != nil && *t.Counts.Fixed > 0 {
			add(store.NewCall("diff", "what was fixed", "run1", t.Baseline.RunRef, "run2", ref))
		}
	case t.Counts.Errors == 0 || t.Tail != "":
		if r.Lines > tailExtent.lines {
			add(store.NewCall("output", "more of the end of the log", "ref", ref, "tail", 100))
		}
		if r.Lines > 100 {
			add(store.NewCall("output", "lines about a failure", "ref", ref, "grep", "(?i)error|fail|fatal|denied|not found",
				"context", 2))
		}
		if t.Counts.Warnings > 0 {
			add(store.NewCall("events", "its warnings", "ref", ref, "severity", "warning"))
		}
	default:
		if first := t.first(); first != nil {
			add(store.NewCall("inspect", "the source around it, who changed it last, when it was seen before", "ref",
				first.Sample.Ref, "include_git_context", true, "include_fingerprint_history", true))
		}
		if t.Counts.Errors > 1 {
			add(store.NewCall("info", "each error with its lines of the log", "ref", ref, "context", 3))
		}
		if t.Baseline.RunRef != "" && *t.Counts.New+*t.Counts.Fixed > 0 {
			add(store.NewCall("diff", "all that is new and fixed", "run1", t.Baseline.RunRef, "run2", ref))
		}
	}
	if t.counting() > 0 && len(t.Others) > 0 {
		add(store.NewCall("triage", "what else is not OK", "ref", t.Others[0].RunRef))
	}
	if t.Status != store.StatusOK {
		list = append(list, again(r, p.Commands, t.onlyFlaky())...)
		if t.near.passed != nil || step.IsUnnamed(r) {
			add(store.NewCall("clean", "if it is not run any more: put the runs of its name aside", "mode", "source", "source",
				r.Source))
		}
	}
	return list
}

// again returns the call that runs the command of r again as the same step: a registered command, a check of blq, or a
// call of exec. It returns nil if there is no such call. A call of exec has a name only if the run would belong to
// another step without the name. It has a directory only if the command ran below the top of the work tree.
func again(r store.Run, commands []string, flaky bool) []store.Call {
	why := "run it again when it is fixed"
	if flaky {
		why = "run it again: it may pass"
	}
	switch {
	case slices.Contains(commands, r.Source):
		return []store.Call{store.NewCall("run", why, "command", r.Source)}
	case r.CI != nil || imported(r) || r.Command == "capture" || len(r.Command) > 300:
		return nil
	}
	if strings.HasPrefix(r.Command, "blq ") { // another tool runs this check
		switch r.Source {
		case "arch-lint":
			return []store.Call{store.NewCall("lint", "check again when it is fixed")}
		case "docs-sync":
			return []store.Call{store.NewCall("sync_check", "check again when it is fixed")}
		case "contracts":
			return []store.Call{store.NewCall("realm_check", "check again when it is fixed")}
		}
	}
	c := store.NewCall("exec", why, "command", Clean(r.Command))
	dir := step.Within(r.Cwd, r.Git.Root)
	if step.Parse(r.Command).Name(dir) != r.Source {
		c.Arguments = append(c.Arguments, store.Argument{Name: "name", Value: r.Source})
	}
	if dir != "." && dir != r.Cwd { // outside a repository the project is unknown
		c.Arguments = append(c.Arguments, store.Argument{Name: "directory", Value: dir})
	}
	return []store.Call{c}
}

// first returns the group that people should read first, or nil if there is no group.
func (t Triage) first() *ErrorGroup {
	for _, list := range [][]ErrorGroup{t.New, t.Errors, t.Known} {
		if len(list) > 0 {
			return &list[0]
		}
	}
	return nil
}

// bigLog is the min size of a big log in bytes. An answer about a big log has at most a hundredth of the log's size.
const bigLog = 500_000

// fit removes groups and then other parts, the least important first, until the JSON has at most limit bytes or nothing
// more may be removed. A limit of 0 means TriageBytes. A larger limit is lowered to TriageBytes, and for a big log to
// 1/100 of its size. fit adds notes about the removed parts to the answer.
func (t *Triage) fit(r store.Run, limit int) {
	if limit <= 0 || limit > TriageBytes {
		limit = TriageBytes
	}
	if r.Bytes >= bigLog {
		limit = min(limit, int(r.Bytes/100))
	}
	cut := map[*[]ErrorGroup]*removed{&t.New: {}, &t.Errors: {}, &t.Known: {}}
	for list, g := range cut {
		if n := len(*list); n > 0 && (*list)[n-1].Sample.Ref == "" {
			g.take(list)
			g.groups = 0 // after a group is removed, the number of groups is unknown
			g.more = true
		}
	}
	drop := func(list *[]ErrorGroup, keep int) bool {
		if len(*list) <= keep {
			return false
		}
		cut[list].take(list)
		return true
	}
	for {
		t.Truncated = t.notes(r, cut)
		if t.size() <= limit {
			return
		}
		fresh := &t.New
		if len(t.Errors) > 0 {
			fresh = &t.Errors
		}
		switch {
		case drop(&t.Known, 2), drop(fresh, 3), drop(&t.Known, min(1, max(0, 1-len(*fresh)))), drop(fresh, 1):
		case t.shorten():
		default:
			return
		}
	}
}

// removed counts the groups and errors that fit has removed from a list.
type removed struct {
	groups, errors int
	more           bool
}

func (g *removed) take(list *[]ErrorGroup) {
	last := len(*list) - 1
	g.groups++
	g.errors += (*list)[last].Count
	*list = (*list)[:last:last]
}

func (t *Triage) notes(r store.Run, cut map[*[]ErrorGroup]*removed) []Omission {
	var notes []Omission
	if t.unnamed > 0 {
		notes = append(notes, Omission{plural(t.unnamed, "other run") + " not OK", store.NewCall("status", "")})
	}
	if t.hurried {
		next := store.NewCall("why", "", "ref_id", r.Ref())
		notes = append(notes, Omission{"suspects, because their search took too long", next})
	}
	for _, l := range []struct {
		list *[]ErrorGroup
		name string
	}{{&t.New, "new"}, {&t.Errors, "errors"}, {&t.Known, "known"}} {
		if g := cut[l.list]; g.errors > 0 {
			next := store.NewCall("events", "", "ref", r.Ref(), "limit", min(100, t.Counts.Errors), "severity", "error")
			what := fmt.Sprintf("%s of %s", plural(g.errors, "error"), l.name)
			if !g.more {
				what = fmt.Sprintf("%s of %s, %s", plural(g.groups, "group"), l.name, plural(g.errors, "error"))
			}
			notes = append(notes, Omission{what, next})
		}
	}
	return notes
}

// shorten removes the least important part of an answer with only one group. It returns false if there is nothing to
// remove.
func (t *Triage) shorten() bool {
	first := t.first()
	switch {
	case len(t.Others) > 0:
		t.unnamed, t.Others = t.unnamed+len(t.Others), nil
	case len(t.Docs) > 0:
		t.Docs = nil
	case len(t.Nodes) > 0:
		t.Nodes = nil
	case len(t.Notices) > 1:
		t.Notices, t.More = t.Notices[:len(t.Notices)-1], t.More+1
	case len(t.Suspects) > 1:
		t.Suspects = t.Suspects[:1]
	case len(t.Tail) > 400:
		t.Tail = lastLines(t.Tail, len(t.Tail)*2/3)
	case len(t.NextSteps) > 2:
		t.NextSteps = t.NextSteps[:len(t.NextSteps)-1]
	case first != nil && first.Sample.Log != "":
		first.Sample.Log = ""
	case first != nil && first.Also != nil:
		first.Also = nil
	case first != nil && len(first.Sample.Message) > 150:
		first.Sample.Message = clip(first.Sample.Message, 100)
	case len(t.NextSteps) > 0:
		t.NextSteps = t.NextSteps[:len(t.NextSteps)-1]
	default:
		return false
	}
	return true
}

// lastLines returns whole lines from the end of s that fit into n bytes. If not even the last line fits, it returns the
// end of this line. s has more than n bytes.
func lastLines(s string, n int) string {
	cut := len(s) - n
	if s[cut-1] == '\n' {
		return s[cut:]
	}
	s = s[cut:]
	if i := strings.IndexByte(s, '\n'); i >= 0 && i+1 < len(s) {
		return s[i+1:]
	}
	return strings.ToValidUTF8(s, "") // the cut may be inside of a character
}

func (t *Triage) size() int {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(t) != nil {
		return 0
	}
	return b.Len()
}
