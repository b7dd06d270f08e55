package mcp

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/blq-ci/blq/query"
)

type shared struct {
	Few, Many, Most []string
	Truncation
	lists []sharing
}

func (s *shared) parts() []part { return []part{share(s.lists)} }

func TestNoListIsCutToNothingForAnother(t *testing.T) {
	t.Parallel()
	fill := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("item %06d", i))
		}
		return list
	}
	s := &shared{Few: fill(5), Many: fill(500), Most: fill(3000)}
	for name, items := range map[string]*[]string{"few": &s.Few, "many": &s.Many, "most": &s.Most} {
		total := len(*items)
		p := list(items, func(n int) []query.Omission {
			return omitted(n, total, name, callLike("x", struct{}{}, "a", 1))
		})
		s.lists = append(s.lists, sharing{p, runningSizes(reflect.ValueOf(*items))})
	}
	fit(s, 8000)
	if len(s.Few) != 5 || len(s.Many) < 200 || len(s.Most)-len(s.Many) > 10 || len(s.Many)-len(s.Most) > 10 ||
		len(s.Truncated) != 2 || size(s) > 8000 || size(s) < 7500 {
		t.Errorf("%d, %d and %d items, %d bytes, %+v", len(s.Few), len(s.Many), len(s.Most), size(s), s.Truncated)
	}
	fit(s, 400_000)
	if len(s.Few) != 5 || len(s.Many) != 500 || len(s.Truncated) > 1 {
		t.Errorf("%d, %d and %d items, %+v", len(s.Few), len(s.Many), len(s.Most), s.Truncated)
	}
}
