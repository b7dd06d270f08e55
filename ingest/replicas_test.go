package ingest_test

import (
	"testing"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
)

func TestReplicasShareTheRoomOfAQuota(t *testing.T) {
	t.Parallel()
	url := pgtest.Copy(t, migrate)
	replica := func(q store.Quotas) *ingest.Service {
		s, err := postgres.Open(t.Context(), url, postgres.Options{Connections: 2})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return ingest.New(ingest.Config{Store: s, Quotas: q})
	}
	for name, q := range map[string]store.Quotas{
		"o/a": {Repo: store.Quota{Bytes: 100}}, "p/a": {Owner: store.Quota{Bytes: 100}},
	} {
		one, other := replica(q), replica(q)
		done, err := one.Room(t.Context(), name, 60)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.Room(t.Context(), name, 60); store.CodeOf(err) != store.RateLimited {
			t.Errorf("%s: 120 of 100 bytes: %v", name, err)
		}
		small, err := other.Room(t.Context(), name, 40)
		if err != nil {
			t.Errorf("%s: 100 of 100 bytes: %v", name, err)
		} else {
			small()
		}
		done()
		if done, err = other.Room(t.Context(), name, 60); err != nil {
			t.Errorf("%s: 60 of 100 bytes: %v", name, err)
		} else {
			done()
		}
	}
}
