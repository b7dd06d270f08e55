package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// ann is a caller with one tenant.
func ann() Principal { return Principal{ID: "token:1", WriteOwners: []string{"ann"}} }

func TestLookupsOfKnownTokensUseTheLimitsOfTheirTenant(t *testing.T) {
	t.Parallel()
	g := newGuards(time.Now)
	var tenants []string
	for i := range 3 {
		from(t, fmt.Sprintf("1.2.3.%d:1", i+1), func(ctx context.Context) {
			_, err := g.check(ctx, "good", func(ctx context.Context) (Principal, error) {
				tenants = append(tenants, httpserver.Tenant(ctx))
				return ann(), nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	if got := fmt.Sprint(tenants); got != "[from 1.2.3.1 owner:ann owner:ann]" {
		t.Error(got)
	}
}

func TestRequestsWithAKnownTokenShareLookups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGuards(time.Now)
		g.remember("good", "owner:ann")
		lookups, revoked, release := 0, false, make(chan struct{})
		check := func(ctx context.Context) error {
			_, err := g.check(ctx, "good", func(context.Context) (Principal, error) {
				lookups++
				if revoked {
					return Principal{}, badToken("revoked")
				}
				<-release
				return ann(), nil
			})
			return err
		}
		left, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if !errors.Is(check(left), context.Canceled) {
				t.Error("a request that has ended waits")
			}
		})
		synctest.Wait()
		leave()
		revoked = true
		for range 100 {
			all.Go(func() {
				if err := check(t.Context()); store.CodeOf(err) != store.Unauthorized {
					t.Errorf("a request after the revocation: %v", err)
				}
			})
		}
		synctest.Wait()
		close(release)
		all.Wait()
		synctest.Wait()
		if lookups != 2 {
			t.Errorf("%d lookups for 101 requests", lookups)
		}
		if len(g.shared.by) > 0 {
			t.Error("lookups are remembered after their end")
		}
	})
}
