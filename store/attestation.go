package store

import (
	"context"
	"time"
)

// Attestation is a statement that a document describes a file of a node in the architecture graph correctly. It is
// valid only for the present contents of the document and the file.
type Attestation struct {
	Repo string
	Node string
	Doc  string // path of the document
	Code string // path of the file
	// DocDigest and CodeDigest are SHA-256 digests in hexadecimal. CodeDigest is "" if there was no file at the
	// time of the statement.
	DocDigest, CodeDigest string
	By                    string // author of the statement, "" if unknown
	At                    time.Time
}

// These limits bound the attestations of a repository, because callers read all of them at once. If a limit is
// exceeded, the oldest attestations are removed.
const (
	MaxAttestations     = 50_000
	MaxAttestationBytes = 16 << 20 // max bytes of names, plus AttestationRow for each attestation
	AttestationRow      = 256
)

// Attestations stores the attestations of repositories.
type Attestations interface {
	// Attestations returns the attestations of a repository, oldest first.
	Attestations(ctx context.Context, sc Scope, repo string) ([]Attestation, error)

	// Attest adds all attestations, or none if there is an error. An existing attestation gets the new time and author.
	// Invalid: an attestation has no node, document or time, a digest is not valid, a text is too long, or the
	// attestations belong to several repositories.
	Attest(ctx context.Context, list []Attestation) error
}

// CheckAttestations returns attestations in the form that engines store. Invalid: see Attestations.Attest.
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

// AttestationSQL lists the columns of the table attestations except the time, in SQL for all engines.
const AttestationSQL = `repo, node, doc, code, doc_digest, code_digest, by_whom`

// Columns returns pointers to scan the columns of AttestationSQL into.
func (a *Attestation) Columns() []any {
	return []any{&a.Repo, &a.Node, &a.Doc, &a.Code, &a.DocDigest, &a.CodeDigest, &a.By}
}
