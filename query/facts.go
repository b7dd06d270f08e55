package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// FactsParams select facts of a commit.
type FactsParams struct {
	Kinds []string `json:"kinds,omitempty" jsonschema:"docs, code, graph, contracts, deps; without any those that there are, except code"`
	DocsAt
}

// FactsAnswer holds the facts of a commit, by kind.
type FactsAnswer struct {
	Facts []FactsOfKind `json:"facts" jsonschema:"kind, commit, manifest, files" schema:"open"`
}

// FactsOfKind are the facts of a kind.
type FactsOfKind struct {
	Kind         store.FactKind `json:"kind" jsonschema:"docs, code, graph, contracts or deps"`
	Ref          string         `json:"ref,omitempty" jsonschema:"begins citations that are pinned to the commit"`
	Commit       string         `json:"commit,omitempty" jsonschema:"that was asked for"`
	ResolvedFrom string         `json:"resolved_from,omitempty" jsonschema:"ancestor whose facts they are"`
	Distance     int            `json:"distance,omitempty" jsonschema:"commits between"`
	Dirty        bool           `json:"dirty,omitempty" jsonschema:"with uncommitted changes"`
	Untrusted    bool           `json:"untrusted,omitempty" jsonschema:"from a fork"`
	Manifest     string         `json:"manifest" jsonschema:"SHA-256 of the list of files"`
	Bytes        int64          `json:"bytes" jsonschema:"of all files"`
	Files        []facts.File   `json:"files" jsonschema:"path, digest, size"`
}

// UsualFacts returns the default kinds.
func UsualFacts() []store.FactKind {
	return []store.FactKind{store.FactDocs, store.FactDeps, store.FactGraph, store.FactContracts}
}

// Facts lists the facts of a commit. NotFound: there is no such commit, or the commit has no facts of a named kind. If
// no kind is named, NotFound also means that the commit has no documents. Invalid: there is no such kind.
func (a *Asker) Facts(ctx context.Context, p FactsParams) (FactsAnswer, error) {
	answer := FactsAnswer{Facts: []FactsOfKind{}}
	l, err := a.library(p.DocsAt)
	if err != nil {
		return answer, err
	}
	if l.Facts == nil {
		return answer, noFacts()
	}
	return ListFacts(ctx, l.Docs.Facts, l.repo, p)
}

// ListFacts lists the facts of a commit in a source.
func ListFacts(ctx context.Context, from facts.Source, repo string, p FactsParams) (FactsAnswer, error) {
	answer := FactsAnswer{Facts: []FactsOfKind{}}
	var kinds []store.FactKind
	for _, word := range p.Kinds {
		k := store.FactKind(word)
		if !slices.Contains(store.FactKinds, k) {
			return answer, store.Hint(store.Errorf(store.Invalid, "%.40q is not a kind of facts", word),
				"the kinds are docs, code, graph, contracts and deps")
		}
		kinds = append(kinds, k)
	}
	named := kinds != nil
	if !named {
		kinds = UsualFacts()
	}
	for _, k := range kinds {
		found, err := from.At(ctx, facts.Query{Repo: repo, At: p.At, Kind: k})
		if store.CodeOf(err) == store.NotFound && !named && k != kinds[0] {
			continue // a store may have only some kinds for a commit
		}
		if err != nil {
			return answer, err
		}
		if len(found.Files()) > 0 || named || k == kinds[0] {
			answer.Facts = append(answer.Facts, factsOfKind(k, found))
		}
	}
	return answer, nil
}

func factsOfKind(k store.FactKind, found facts.Found) FactsOfKind {
	o := FactsOfKind{Kind: k, Commit: found.Commit, ResolvedFrom: found.ResolvedFrom, Distance: found.Distance,
		Dirty: found.Dirty, Untrusted: found.Untrusted, Manifest: found.Digest(), Files: found.Files()}
	if pin := found.Pin(); pin != "" && !o.Dirty {
		o.Ref = string(k) + "@" + pin[:min(len(pin), factsPin)]
	}
	for _, file := range o.Files {
		o.Bytes += file.Size
	}
	return o
}

// factsPin is the number of a commit's digits in Ref.
const factsPin = 12
