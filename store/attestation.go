package store

import (
	"context"
	"time"
)

// Attestation says that somebody found a document to fit a file of a node, as both were. It holds for these contents
// only.
type Attestation struct {
	Repo string
	Node string
	Doc  string // path of the document
	Code string // path of the file
	// DocDigest and CodeDigest are SHA-256, hexadecimal; CodeDigest is "" for a file that is gone.
	DocDigest, CodeDigest string
	By                    string // who said so, "" if that is not known
	At                    time.Time
}

// MaxAttestations is the max number of attestations of a repository; the oldest ones are removed.
const MaxAttestations = 50_000

// Attestations keeps the attestations of repositories.
type Attestations interface {
	// Attestations returns the attestations of a repository, oldest first.
	Attestations(ctx context.Context, sc Scope, repo string) ([]Attestation, error)

	// Attest adds attestations, all or none. An existing one gets the new time and author. Invalid: one has no node,
	// document, digest or time, or they are of several repositories.
	Attest(ctx context.Context, list []Attestation) error
}

// CheckAttestations returns attestations as engines store them. Invalid: see Attestations.Attest.
func CheckAttestations(list []Attestation) ([]Attestation, error) {
	const maxPath = 4096
	checked := make([]Attestation, len(list))
	for i, a := range list {
		if a.Repo != list[0].Repo || a.Node == "" || a.Doc == "" || !IsDigest(a.DocDigest) || a.At.IsZero() ||
			a.CodeDigest != "" && !IsDigest(a.CodeDigest) || max(len(a.Node), len(a.Doc), len(a.Code), len(a.By)) > maxPath {
			return nil, Errorf(Invalid, "attestation of %.80q and %.80q of %.80q", a.Doc, a.Code, a.Node)
		}
		a.At = a.At.UTC().Truncate(time.Microsecond)
		checked[i] = a
	}
	return checked, nil
}

// AttestationSQL are the columns of an attestation in the table attestations, in the SQL of all engines, except for the
// time.
const AttestationSQL = `repo, node, doc, code, doc_digest, code_digest, by_whom`

// Columns returns where the columns of AttestationSQL are scanned to.
func (a *Attestation) Columns() []any {
	return []any{&a.Repo, &a.Node, &a.Doc, &a.Code, &a.DocDigest, &a.CodeDigest, &a.By}
}
