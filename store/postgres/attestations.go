package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

func scanAttestation(scan func(...any) error) (store.Attestation, error) {
	var a store.Attestation
	var at time.Time
	err := scan(append(a.Columns(), &at)...)
	decodeAll(&a.Repo, &a.Node, &a.Doc, &a.Code, &a.By)
	a.At = at.UTC()
	return a, err
}

// attestationKey returns the key of an attestation in a repository. Attestations that differ only in their author and
// time have the same key.
func attestationKey(a store.Attestation) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{a.Node, a.Doc, a.Code, a.DocDigest, a.CodeDigest}, "\x00")))
	return hex.EncodeToString(sum[:])
}

// Attestations implements store.Store.
func (s *Store) Attestations(ctx context.Context, sc store.Scope, repo string) ([]store.Attestation, error) {
	if !sc.Has(repo) {
		return nil, nil
	}
	list, err := query(ctx, s.pool, scanAttestation, `
		SELECT `+store.AttestationSQL+`, at
		FROM attestations
		WHERE repo = $1
		ORDER BY at, key`, encode(repo))
	if err != nil {
		return nil, fmt.Errorf("list attestations: %w", failure(ctx, err))
	}
	return list, nil
}

// Attest implements store.Store.
func (s *Store) Attest(ctx context.Context, list []store.Attestation) error {
	list, err := store.CheckAttestations(list)
	if err != nil || len(list) == 0 {
		return err
	}
	err = s.write(ctx, func(tx pgx.Tx) error {
		repo := encode(list[0].Repo)
		if err := knowRepo(ctx, tx, list[0].Repo); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, $2))`, repo, fetching); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		for _, a := range list {
			batch.Queue(`
				INSERT INTO attestations (`+store.AttestationSQL+`, at, key) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
				ON CONFLICT (repo, key) DO UPDATE SET by_whom = excluded.by_whom, at = excluded.at`,
				repo, encode(a.Node), encode(a.Doc), encode(a.Code), a.DocDigest, a.CodeDigest, encode(a.By), a.At,
				attestationKey(a))
		}
		batch.Queue(`
			DELETE FROM attestations
			WHERE repo = $1 AND key IN (
				SELECT key
				FROM (
					SELECT key, row_number() OVER newest AS n,
					       sum(octet_length(node) + octet_length(doc) + octet_length(code) + octet_length(by_whom) + $3)
					           OVER newest AS bytes
					FROM attestations
					WHERE repo = $1
					WINDOW newest AS (ORDER BY at DESC, key)) AS a
				WHERE n > $2 OR bytes > $4)`,
			repo, store.MaxAttestations, store.AttestationRow, store.MaxAttestationBytes)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("attest: %w", failure(ctx, err))
	}
	return nil
}
