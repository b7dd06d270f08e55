package store

import (
	"context"
	"time"
)

// Attestation is a statement that a document fits a file of a node. It is valid only for the present contents of both.
type Attestation struct {
	Repo string
	Node string
	Doc  string // path of the document
	Code string // path of the file
	// DocDigest and CodeDigest are SHA-256 in hexadecimal. CodeDigest is "" if the file does not exist any more.
	DocDigest, CodeDigest string
	By                    string // author of the statement, "" if unknown
	At                    time.Time
}

// These are the limits for the attestations of a repository, which are read as a whole. The oldest ones are removed.
const (
	MaxAttestations     = 50_000
	MaxAttestationBytes = 16 << 20 // of names, with AttestationRow for each
	AttestationRow      = 256
)

// Attestations stores the attestations of repositories.
type Attestations interface {
	// Attestations returns the attestations of a repository, oldest first.
	Attestations(ctx context.Context, sc Scope, repo string) ([]Attestation, error)

	// Attest adds all attestations or none. An existing attestation gets the new time and author. Invalid: an
	// attestation has no node, document, digest or time, or the list is for several repositories.
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

// AttestationSQL lists the columns of the table attestations without the time, in SQL for all engines.
const AttestationSQL = `repo, node, doc, code, doc_digest, code_digest, by_whom`

// Columns returns pointers to scan the columns of AttestationSQL into.
func (a *Attestation) Columns() []any {
	return []any{&a.Repo, &a.Node, &a.Doc, &a.Code, &a.DocDigest, &a.CodeDigest, &a.By}
}
