package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/blq-ci/blq/store"
)

// claimTime is the max time for which a claim is valid. It is longer than any request. If a replica crashes before it
// removes a claim, the claim expires after this time.
const claimTime = 5 * time.Minute

// releaseTime is the max time for removing a claim. If a claim is not removed, it expires.
const releaseTime = 5 * time.Second

// Claim tells all replicas how much data a request is about to add to a repository. The claim is valid until the caller
// calls end, or until it expires. The first result is the sum of all claims for the repository, and the second result
// is the sum for the repository's owner. Both include this claim. Callers call end after the data is stored. So the
// usage that a caller reads after Claim, plus the sums, includes all data.
func (s *Store) Claim(ctx context.Context, repo string, c store.Claim) (of, owner store.Claim, end func(), err error) {
	name := encode(store.OwnerOf(repo))
	var id int64
	err = s.pool.QueryRow(ctx, `
		WITH ended AS (DELETE FROM claims WHERE owner = $1 AND until < now())
		INSERT INTO claims (owner, repo, runs, events, bytes, until)
		VALUES ($1, $2, $3, $4, $5, now() + $6)
		RETURNING id`, name, encode(repo), c.Runs, c.Events, c.Bytes, claimTime).Scan(&id)
	if err != nil {
		return of, owner, nil, fmt.Errorf("claim room for %s: %w", repo, failure(ctx, err))
	}
	end = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer cancel()
		_, _ = s.pool.Exec(ctx, `DELETE FROM claims WHERE id = $1`, id) // an error is harmless: the claim expires
	}
	err = s.pool.QueryRow(ctx, `
		SELECT
			coalesce(sum(runs) FILTER (WHERE repo = $2), 0)::bigint,
			coalesce(sum(events) FILTER (WHERE repo = $2), 0)::bigint,
			coalesce(sum(bytes) FILTER (WHERE repo = $2), 0)::bigint,
			coalesce(sum(runs), 0)::bigint, coalesce(sum(events), 0)::bigint, coalesce(sum(bytes), 0)::bigint
		FROM claims
		WHERE owner = $1 AND until >= now()`, name, encode(repo)).
		Scan(&of.Runs, &of.Events, &of.Bytes, &owner.Runs, &owner.Events, &owner.Bytes)
	if err != nil {
		end()
		return of, owner, nil, fmt.Errorf("add up claims of %s: %w", repo, failure(ctx, err))
	}
	return of, owner, end, nil
}
