package maintenance

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// usage returns the storage of a repository and of its owner.
func (f fixture) usage(repo string) (of, owner store.Usage) {
	f.Helper()
	of, owner, err := f.store.Usage(f.Context(), repo)
	f.check(err)
	return of, owner
}

func TestTheOldestRunsMakeRoomForNewOnes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		quotas func(of, owner store.Usage) store.Quotas
		want   []string
	}{
		"enough room": {func(of, _ store.Usage) store.Quotas {
			return store.Quotas{Repo: store.Quota{Bytes: of.Bytes * 100 / 94}}
		}, []string{"o/n@build:1", "o/n@build:2", "o/n@build:3", "o/n@build:4"}},
		"nearly used up": {func(of, _ store.Usage) store.Quotas {
			return store.Quotas{Repo: store.Quota{Bytes: of.Bytes * 100 / 96}}
		}, []string{"o/n@build:2", "o/n@build:3", "o/n@build:4"}},
		"far over": {func(of, _ store.Usage) store.Quotas {
			return store.Quotas{Repo: store.Quota{Bytes: of.Bytes / 3}}
		}, []string{"o/n@build:4"}},
		"of the owner": {func(_, owner store.Usage) store.Quotas {
			return store.Quotas{Owner: store.Quota{Bytes: owner.Bytes * 6 / 10}}
		}, []string{"o/n@build:3", "o/n@build:4"}},
		"of others": {func(store.Usage, store.Usage) store.Quotas {
			return store.Quotas{Own: map[string]store.Quota{"p": {Bytes: 1}, "o/m": {Bytes: 1}}}
		}, []string{"o/n@build:1", "o/n@build:2", "o/n@build:3", "o/n@build:4"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			for n := range 4 {
				r := f.start(now.Add(time.Duration(n-10)*time.Minute), n)
				f.log(r, 0, true)
				f.finish(r, now)
			}
			u := f.upkeep(store.Policy{})
			of, owner := f.usage("o/n")
			u.Quotas = c.quotas(of, owner)
			var r Round
			f.check(u.keepQuotas(t.Context(), &r))
			got := f.states()
			for _, ref := range c.want {
				if _, kept := got[ref]; !kept {
					t.Errorf("%s is gone", ref)
				}
			}
			if len(got) != len(c.want) || r.Pruned.Runs != 4-len(got) {
				t.Errorf("%d runs are left, %d were removed; want %v", len(got), r.Pruned.Runs, c.want)
			}
			if keys := f.keys(); len(keys) != len(c.want) || r.Objects != r.Pruned.Runs {
				t.Errorf("%d runs have %d log objects; %d were deleted", len(c.want), len(keys), r.Objects)
			}
			f.check(u.keepQuotas(t.Context(), &r)) // this frees enough
			if len(f.states()) != len(c.want) {
				t.Errorf("the next round left %v", f.states())
			}
		})
	}
}

func TestMissingObjectsAreTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.start(now.Add(-time.Hour), 1)
	there, lost := f.log(r, 0, true), f.log(r, 1, true)
	for n := 2; n < 7; n++ {
		f.log(r, n, true)
	}
	f.finish(r, now)
	f.check(f.blobs.Delete(t.Context(), lost))
	var log bytes.Buffer
	missing := 0
	u := f.upkeep(store.Policy{})
	u.page = 2
	u.Log = slog.New(slog.NewTextHandler(&log, nil))
	u.Done = func(r Round) {
		missing += r.Missing
		f.check(r.Err)
	}
	for hour := range 24 {
		u.Now = func() time.Time { return now.Add(time.Duration(hour) * time.Hour) }
		u.rarely(t.Context())
	}
	if missing < 1 || missing > 2 || !strings.Contains(log.String(), lost) || strings.Contains(log.String(), there) {
		t.Errorf("%d are missing: %s", missing, log.String())
	}
	if deleted, missing, err := u.AllStrays(t.Context()); deleted != 0 || missing != 1 || err != nil {
		t.Errorf("%d are missing, %d were deleted, %v", missing, deleted, err)
	}
	if keys := f.keys(); len(keys) != 6 || keys[0] != there {
		t.Error(keys)
	}
}
