package query

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/blq-ci/blq/store"
)

// summarizeLarge does the same as summarize, for a run with too many errors to read all their texts.
func (a *Asker) summarizeLarge(ctx context.Context, r store.Run, b *Briefing) error {
	type seen struct {
		key uint64
		id  int
	}
	all := make([]seen, 0, min(max(0, r.Errors), maxCompared))
	files := map[string]int{}
	for p, err := range a.prints(ctx, r, whole) {
		if err != nil {
			return err
		}
		b.ByCategory[cmp.Or(p.Category, "other")]++
		if _, known := files[p.File]; p.File != "" && (known || len(files) < maxFiles) {
			files[p.File]++
		}
		if len(all) < maxCompared {
			all = append(all, seen{identity(p.Fingerprint, p.Category), p.ID})
		}
	}
	sort.Slice(all, func(i, j int) bool {
		return all[i].key < all[j].key || all[i].key == all[j].key && all[i].id < all[j].id
	})
	counts := map[int]int{} // number of errors by kind; the key is the ID of the kind's first error
	floor, last := 0, 0
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n].key == all[i].key {
			n++
		}
		id := all[i].id
		if len(counts) < maxListed || n > floor || n == floor && id < last { // the order of the keys is random
			counts[id] = n
			floor, last = shrink(counts)
		}
		i += n
	}
	b.Summary = &Summary{ByFingerprint: []FingerprintCount{}, ByFile: []FileCount{}}
	ids := most(counts)
	events, err := a.numbered(ctx, r, ids)
	for _, id := range ids {
		if i := slices.IndexFunc(events, func(e store.RunEvent) bool { return e.ID == id }); i >= 0 {
			e := events[i]
			b.Summary.ByFingerprint = append(b.Summary.ByFingerprint,
				FingerprintCount{e.Fingerprint, counts[id], Clean(title(e.Event))})
		}
	}
	byFile := map[string]int{}
	for name, n := range files {
		byFile[Clean(name)] += n
	}
	a.summarizeFiles(ctx, r, b, byFile)
	return err
}

// most returns the keys of a map of counts, highest count first.
func most(counts map[int]int) []int {
	list := make([]int, 0, len(counts))
	for id := range counts {
		list = append(list, id)
	}
	sort.Slice(list, func(i, k int) bool {
		x, y := list[i], list[k]
		return counts[x] > counts[y] || counts[x] == counts[y] && x < y
	})
	return list
}

// shrink keeps only the highest counts, and of equal counts those with the lowest keys. It returns the lowest count
// that it keeps, and the highest key with this count.
func shrink(counts map[int]int) (floor, last int) {
	list := most(counts)
	for _, id := range list[min(len(list), maxListed):] {
		delete(counts, id)
	}
	last = list[min(len(list), maxListed)-1]
	return counts[last], last
}
