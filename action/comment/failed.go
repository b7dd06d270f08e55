package comment

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Failed returns the IDs of workflow runs that earlier notes on the same commit listed in Note.Failed. It reads them
// from the comments. The next note must look at these workflow runs, too. Otherwise it would hide their failures.
// Failed returns the same errors as Keep.
func Failed(ctx context.Context, f Forge, n Note) ([]int64, error) {
	k := keeper{Forge: f, note: n}
	var err error
	if k.login, err = f.Login(ctx); err != nil && store.CodeOf(err) != store.Forbidden {
		return nil, err
	}
	ours, err := k.ours(ctx)
	var list []int64
	for _, c := range ours {
		list = append(list, n.failedIn(c.Body)...)
	}
	slices.Sort(list)
	return slices.Compact(list), err
}

const failedMark = " jobs="

// failed returns the part of the mark that lists the workflow runs in n.Failed.
func (n Note) failed() string {
	text := ""
	for i, id := range n.Failed {
		text += []string{failedMark, ","}[min(i, 1)] + strconv.FormatInt(id, 10)
	}
	return text
}

// failedIn returns the workflow runs that the mark of a comment names. It returns none if the comment is not about the
// note's commit.
func (n Note) failedIn(body string) []int64 {
	if _, on := n.orderOf(body); !on {
		return nil
	}
	head, _, _ := strings.Cut(strings.TrimPrefix(body, n.mark()), " -->")
	_, ids, _ := strings.Cut(head, failedMark)
	var list []int64
	for text := range strings.SplitSeq(ids, ",") {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			list = append(list, id)
		}
	}
	return list
}

// lacks reports whether a comment names a workflow run that n.Seen does not have.
func (n Note) lacks(body string) bool {
	return slices.ContainsFunc(n.failedIn(body), func(id int64) bool { return !slices.Contains(n.Seen, id) })
}

// exceeds reports whether n.Failed has a workflow run that a comment does not name.
func (n Note) exceeds(body string) bool {
	named := n.failedIn(body)
	return slices.ContainsFunc(n.Failed, func(id int64) bool { return !slices.Contains(named, id) })
}
