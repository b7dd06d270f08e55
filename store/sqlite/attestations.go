package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/blq-ci/blq/store"
)

func scanAttestation(scan func(...any) error) (store.Attestation, error) {
	var a store.Attestation
	var at int64
	err := scan(append(a.Columns(), &at)...)
	a.At = fromMicros(at)
	return a, err
}

// Attestations implements store.Store.
func (s *Store) Attestations(ctx context.Context, sc store.Scope, repo string) ([]store.Attestation, error) {
	if !sc.Has(repo) {
		return nil, nil
	}
	list, err := query(ctx, s.reader, scanAttestation, `
		SELECT `+store.AttestationSQL+`, at
		FROM attestations
		WHERE repo = ?
		ORDER BY at, node, doc, code, doc_digest, code_digest`, repo)
	if err != nil {
		return nil, fmt.Errorf("list attestations: %w", err)
	}
	return list, nil
}

// Attest implements store.Store.
func (s *Store) Attest(ctx context.Context, list []store.Attestation) error {
	list, err := store.CheckAttestations(list)
	if err != nil || len(list) == 0 {
		return err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		for _, a := range list {
			if _, err := tx.ExecContext(ctx, `
				INSERT INTO attestations (`+store.AttestationSQL+`, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET by_whom = excluded.by_whom, at = excluded.at`,
				a.Repo, a.Node, a.Doc, a.Code, a.DocDigest, a.CodeDigest, a.By, micros(a.At)); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `
			DELETE FROM attestations
			WHERE (repo, node, doc, code, doc_digest, code_digest) IN (
				SELECT repo, node, doc, code, doc_digest, code_digest
				FROM (
					SELECT *, row_number() OVER newest AS n,
					       sum(octet_length(node) + octet_length(doc) + octet_length(code) + octet_length(by_whom) + ?)
					           OVER newest AS bytes
					FROM attestations
					WHERE repo = ?
					WINDOW newest AS (ORDER BY at DESC, node, doc, code, doc_digest, code_digest))
				WHERE n > ? OR bytes > ?)`,
			store.AttestationRow, list[0].Repo, store.MaxAttestations, store.MaxAttestationBytes)
		return err
	})
	if err != nil {
		return fmt.Errorf("attest: %w", err)
	}
	return nil
}
