package query

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// maxChanges is the max number of errors in each list of a comparison of large runs.
const maxChanges = 10_000

// isLarge reports whether a run has too many errors for comparing their messages.
func isLarge(r store.Run) bool { return r.Errors > errorsInFull }

// compareLarge does the same as store.Compare, for large runs. It compares fingerprints, and reads only the errors that
// it lists.
func (a *Asker) compareLarge(ctx context.Context, base, head store.Run, limit int) (store.Comparison, error) {
	var c store.Comparison
	if limit <= 0 || limit > maxChanges {
		limit = maxChanges
	}
	if err := checkSize(head); err != nil {
		return c, err
	}
	err := a.withMatcher(ctx, base, head, func(m *matcher) (err error) {
		c, err = a.compareWith(ctx, m, base, head, limit)
		return err
	})
	return c, err
}

// compareWith compares two runs with the matcher m. Each list of the result has at most limit errors.
func (a *Asker) compareWith(ctx context.Context, m *matcher, base, head store.Run, limit int) (
	store.Comparison, error) {
	var c store.Comparison
	var fresh, old, gone []int
	note := func(list *[]int, n *int, id int) {
		if *n++; *n <= limit {
			*list = append(*list, id)
		}
	}
	for p, err := range a.prints(ctx, head, briefs) {
		switch {
		case err != nil:
			return c, err
		case m.has(p):
			note(&old, &c.Counts.Unchanged, p.ID)
		default:
			note(&fresh, &c.Counts.New, p.ID)
		}
	}
	c.Counts.Fixed = m.base.all - m.base.matched()
	isGone, d := m.gone(), bare
	if m.inBase != nil {
		d = whole
	}
	for p, err := range a.prints(ctx, base, d) {
		if err != nil {
			return c, err
		}
		if len(gone) == min(limit, c.Counts.Fixed) {
			break
		}
		if isGone(p) {
			gone = append(gone, p.ID)
		}
	}
	for _, l := range []struct {
		list *[]store.RunEvent
		run  store.Run
		ids  []int
	}{{&c.New, head, fresh}, {&c.Fixed, base, gone}, {&c.Unchanged, head, old}} {
		var err error
		if *l.list, err = a.numbered(ctx, l.run, l.ids); err != nil {
			return c, err
		}
	}
	return c, nil
}

// cutShort returns a note if a list was cut although the caller asked for all errors. Otherwise it returns "".
func cutShort(limit int, c store.Changes) string {
	if limit > 0 || max(c.New, c.Fixed, c.Unchanged) <= maxChanges {
		return ""
	}
	return fmt.Sprintf("each list has its first %d errors", maxChanges)
}
