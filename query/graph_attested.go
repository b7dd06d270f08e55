package query

import (
	"context"
	"time"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// MaxAttestedPairs is the max number of pairs in AttestedParams.
const MaxAttestedPairs = 1000

// AttestedParams hold stale pairs of documents and code.
type AttestedParams struct {
	Pairs []PairAsIs `json:"pairs" jsonschema:"stale pairs"`
	Repo  string     `json:"repo,omitempty" jsonschema:"owner/name" hosted:"true"`
}

// PairAsIs is a pair of a node's document and a source file, with the digests of their contents.
type PairAsIs struct {
	Node       string `json:"ref_id" jsonschema:"node"`
	Doc        string `json:"doc_path" jsonschema:"document"`
	Code       string `json:"code_path" jsonschema:"source file"`
	DocDigest  string `json:"doc_digest" jsonschema:"SHA-256 of the document"`
	CodeDigest string `json:"code_digest" jsonschema:"SHA-256 of the source file"`
}

// AttestedPairs holds pairs that were attested: somebody has stated that the document fits the source file.
type AttestedPairs struct {
	Pairs []AttestedPair `json:"pairs" jsonschema:"those that somebody attested: doc_path, code_path, attested_by" schema:"open"`
}

// AttestedPair is an attested pair with the digests of its contents.
type AttestedPair struct {
	PairAsIs
	By string `json:"attested_by" jsonschema:"author"`
	At string `json:"attested_at" jsonschema:"when"`
}

// Attested returns those of the given pairs that somebody has attested with the given digests. So a job sends only the
// digests of its files, and not the files. NotFound: there is no such repository, or the caller may not see the
// repository. TooLarge: the question has more than MaxAttestedPairs pairs.
func (a *Asker) Attested(ctx context.Context, p AttestedParams) (AttestedPairs, error) {
	answer := AttestedPairs{Pairs: []AttestedPair{}}
	if len(p.Pairs) > MaxAttestedPairs {
		return answer, store.Errorf(store.TooLarge, "%d pairs are asked about, and %d are the most: ask several times",
			len(p.Pairs), MaxAttestedPairs)
	}
	l, err := a.library(DocsAt{Repo: p.Repo})
	if err != nil {
		return answer, err
	}
	said, err := l.attested(ctx)
	if err != nil || said == nil {
		return answer, err
	}
	for _, pair := range p.Pairs {
		is, found := said(graph.Pair{Node: pair.Node, Doc: pair.Doc, Code: pair.Code, DocDigest: pair.DocDigest,
			CodeDigest: pair.CodeDigest})
		if found {
			answer.Pairs = append(answer.Pairs, AttestedPair{pair, Clean(is.By), is.At.UTC().Format(time.RFC3339)})
		}
	}
	return answer, nil
}
