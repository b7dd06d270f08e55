package markdown_test

import (
	"slices"
	"testing"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/store"
)

// outcomes are the ways in which a run may end: all combinations of exit codes and errors, and a timeout.
func outcomes() []ended {
	var list []ended
	for _, exit := range []int{0, 1, 139} {
		for _, errors := range [][]string{nil, {"'x' undeclared"}, {"'x' undeclared", "'y' undeclared"}} {
			e := ended{exit: exit}
			for i, message := range errors {
				e.events = append(e.events, failure("a.c", i+1, message))
			}
			list = append(list, e)
		}
	}
	return append(list, ended{reason: store.ReasonTimeout})
}

// explainedBy reports whether a failed run may have failed for the reason for which its baseline failed.
func (e ended) explainedBy(base ended) bool {
	same := base.exit != 0 && (base.exit > 128 || e.exit <= 128) && e.reason == ""
	if len(e.events) == 0 {
		return same && len(base.events) == 0
	}
	return same && len(e.events) <= len(base.events)
}

// A failure that the baseline does not explain may be new, even if the baseline has all of its errors.
func TestAFailureThatTheBaselineDoesNotExplainMayBeNew(t *testing.T) {
	t.Parallel()
	for _, base := range outcomes() {
		for _, head := range outcomes() {
			f := empty(t)
			base.events, head.events = slices.Clone(base.events), slices.Clone(head.events)
			f.add(t, base, onMain, func(r *store.Run) { r.CI.Job = "build" })
			f.add(t, head, built.set, func(r *store.Run) { r.Shape = "" })
			p := markdown.PullParams{PR: 12, Commit: topicSHA, RunID: "77"}
			got, err := markdown.WritePull(t.Context(), f.Asker, cmdline.Words, p)
			check(t, err)
			failed := head.exit != 0 || head.reason != ""
			if want := failed && !head.explainedBy(base); got.MayBeNew() != want || got.Passed == failed {
				t.Errorf("base %d with %d errors, head %d %s with %d errors: %v, %+v\n%s", base.exit,
					len(base.events), head.exit, head.reason, len(head.events), got.MayBeNew(), got.Counts,
					got.Markdown)
			}
		}
	}
}
