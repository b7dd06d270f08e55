package maintenance

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

// keysAtOnce is the max number of keys per list request. A limit is needed, because a client chooses the folder of its
// objects, so one folder may have any number of keys.
const keysAtOnce = 10_000

// shownMissing is the max number of missing objects in a round's log.
const shownMissing = 5

// missing logs and counts the missing objects of a span. An object is missing if a run or a repository refers to it and
// the object storage does not have it. keys are the sorted keys of the span in the object storage. They were listed
// earlier, so an object may have been added since then.
func (u *Upkeep) missing(ctx context.Context, s span, keys []string) (int, error) {
	var names []string
	n := 0
	for after := s.after; ; {
		used, err := u.Store.LogObjects(ctx, s.folder, after, u.page)
		if s.last != "" {
			end, found := slices.BinarySearch(used, s.last)
			if found {
				end++
			}
			used = used[:end]
		}
		if err != nil || len(used) == 0 {
			u.tellMissing(ctx, n, names)
			return n, err
		}
		for _, k := range used {
			if _, found := slices.BinarySearch(keys, k); found {
				continue
			}
			gone, err := u.isMissing(ctx, k)
			if err != nil {
				return n, err
			}
			if gone {
				n++
				if len(names) < shownMissing {
					names = append(names, k)
				}
			}
		}
		after = used[len(used)-1]
	}
}

// isMissing reports whether an object is missing although a run or a repository refers to it.
func (u *Upkeep) isMissing(ctx context.Context, key string) (bool, error) {
	_, err := u.Blobs.Get(ctx, key)
	if store.CodeOf(err) != store.NotFound {
		return false, err
	}
	still, err := u.Store.LogObjects(ctx, key, "", 1)
	return slices.Contains(still, key), err
}

func (u *Upkeep) tellMissing(ctx context.Context, n int, names []string) {
	if n > 0 {
		u.Log.ErrorContext(ctx, "objects of logs or facts are missing", "count", n, "keys", names)
	}
}
