package query

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// SyncCheckParams select pairs of documents and code.
type SyncCheckParams struct {
	Ref   string `json:"ref_id,omitempty" jsonschema:"node"`
	Since string `json:"since,omitempty" jsonschema:"compare with a commit"`
	DocsAt
}

// SyncChecked holds pairs of documents and code.
type SyncChecked struct {
	Pairs   []graph.Pair `json:"pairs" jsonschema:"doc_path, code_path, reason" schema:"open"`
	Stale   int          `json:"stale" jsonschema:"stale pairs"`
	Warning string       `json:"warning,omitempty" jsonschema:"parts that are missing, with the reason" schema:"unlisted"`
	Resolved
}

// SyncCheck compares the documents of nodes with their code. NotFound: there is no such node, or since names no commit.
func (a *Asker) SyncCheck(ctx context.Context, p SyncCheckParams) (SyncChecked, error) {
	g, err := a.architecture(ctx, p.DocsAt)
	if err != nil {
		return SyncChecked{}, err
	}
	if p.Ref != "" {
		if _, err := g.Find(p.Ref); err != nil {
			return SyncChecked{}, err
		}
	}
	pairs, warning, err := g.pairs(ctx, p.Since, g.named(p.Ref))
	if err != nil {
		return SyncChecked{}, err
	}
	answer := SyncChecked{Pairs: []graph.Pair{}, Warning: andAlso(g.warning(), warning), Resolved: g.resolved}
	for _, pair := range pairs {
		if p.Ref != "" && pair.Node != p.Ref {
			continue
		}
		if pair.Status != graph.OK {
			answer.Stale++
		}
		pair.Node, pair.Doc, pair.Code = Clean(pair.Node), Clean(pair.Doc), Clean(pair.Code)
		pair.Details, pair.By = Clean(pair.Details), Clean(pair.By)
		answer.Pairs = append(answer.Pairs, pair)
	}
	sort.SliceStable(answer.Pairs, func(i, j int) bool { return answer.Pairs[i].Status > answer.Pairs[j].Status })
	return answer, nil
}

// andAlso joins two texts with a semicolon. If one of them is empty, it returns the other.
func andAlso(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// named returns the documents of the node ref. For "" it returns all documents.
func (g *architecture) named(ref string) []string {
	if ref == "" {
		return g.DocPaths()
	}
	one := graph.Graph{}
	if n, err := g.Find(ref); err == nil {
		one.Nodes = []graph.Node{*n}
	}
	return one.DocPaths()
}

// pairs compares documents with code, and returns the pairs. The warning says what is missing for the comparison, or
// that another commit was used. It is "" if nothing is missing, or if there are no documents or no code at all.
func (g *architecture) pairs(ctx context.Context, since string, named []string) (
	pairs []graph.Pair, warning string, err error) {
	if len(named) == 0 || g.code.Set == nil || g.docs.Set == nil {
		return nil, "", nil
	}
	past, warning, err := g.past(ctx, since, named)
	if err != nil || past == nil {
		return nil, warning, err
	}
	attested, err := g.library.attested(ctx)
	if err != nil {
		return nil, "", err
	}
	synced, err := graph.Sync{Graph: g.Graph, Index: g.Index, Documents: g.Named, Past: past,
		Attested: attested}.Check(ctx)
	if err != nil {
		return nil, "", err
	}
	unknown := slices.DeleteFunc(synced.Unknown, func(doc string) bool { return !slices.Contains(named, doc) })
	if n := len(unknown); n > 0 {
		warning = andAlso(warning, fmt.Sprintf("when %s was last changed is not known (documents: %d): fetch the history: "+
			"git fetch --unshallow", Clean(unknown[0]), n))
	}
	return synced.Pairs, warning, nil
}

// past returns the earlier code to compare with. If base is set, this is the code at the commit base. Otherwise it
// is, for each document, the code at the last change of the document. The text says why there is no code to compare
// with, or that an ancestor of base is used because base has no facts. Otherwise the text is "".
func (g *architecture) past(ctx context.Context, base string, named []string) (facts.Past, string, error) {
	l := g.library
	if base == "" {
		historian, ok := l.Facts.(facts.Historian)
		if !ok || g.code.Commit == "" {
			return nil, "there are no commits to compare with", nil
		}
		past, err := historian.Past(ctx, g.code, g.docs, named)
		return past, "", err
	}
	at, back := g.asker.sinceOf(l.at, base)
	before := map[store.FactKind]facts.Found{}
	for _, kind := range []store.FactKind{store.FactCode, store.FactDocs} {
		found, err := l.Facts.At(ctx, facts.Query{Repo: l.repo, At: at, Kind: kind, Back: back})
		if err != nil {
			return nil, "", err
		}
		before[kind] = found
	}
	warning := ""
	if code := before[store.FactCode]; code.ResolvedFrom != "" && code.Distance != back {
		warning = fmt.Sprintf("compared with %.12s, the nearest commit that is known", code.ResolvedFrom)
	}
	return facts.Since(g.docs, g.code, before[store.FactDocs], before[store.FactCode]), warning, nil
}

// stale returns the stale documents of the named nodes. If no node is named, it returns the stale documents of all
// nodes. A document that cannot be compared is not stale.
func (g *architecture) stale(ctx context.Context, refs []string) ([]string, error) {
	var named []string
	for _, ref := range refs {
		named = append(named, g.named(ref)...)
	}
	if refs == nil {
		named = g.DocPaths()
	}
	list := []string{}
	pairs, _, err := g.pairs(ctx, "", named)
	if err != nil {
		return list, ctx.Err()
	}
	for _, p := range pairs {
		if p.Status != graph.OK && (refs == nil || slices.Contains(refs, p.Node)) && !slices.Contains(list, p.Doc) {
			list = append(list, p.Doc)
		}
	}
	slices.Sort(list)
	return list, nil
}

// attested returns the attestations of the repository. An attestation says that a document fits a node.
func (l *library) attested(ctx context.Context) (graph.Attested, error) {
	if l.Attestations == nil {
		return nil, nil
	}
	list, err := l.Attestations.Attestations(ctx, l.asker.Scope, l.repo)
	if err != nil {
		return nil, err
	}
	return graph.NewAttested(list), nil
}

// MarkSyncedParams name a node.
type MarkSyncedParams struct {
	Ref string `json:"ref_id" jsonschema:"node"`
	DocsAt
}

// MarkedSynced holds the number of new attestations.
type MarkedSynced struct {
	Ref   string `json:"ref_id" jsonschema:"node"`
	Pairs int    `json:"pairs_synced" jsonschema:"pairs"`
	Resolved
}

// MarkSynced records that the documents of a node fit its code. The record is valid until a document or the code
// changes. If the node does not exist, MarkSynced records nothing. Invalid: attestations cannot be stored here.
func (a *Asker) MarkSynced(ctx context.Context, p MarkSyncedParams) (MarkedSynced, error) {
	answer := MarkedSynced{Ref: Clean(p.Ref)}
	g, err := a.architecture(ctx, p.DocsAt)
	if err != nil {
		return answer, err
	}
	answer.Resolved = g.resolved
	if g.library.Attestations == nil {
		return answer,
			store.Hint(store.Errorf(store.Invalid, "attestations cannot be kept here"), "make a .lq folder: blq init")
	}
	pairs, warning, err := g.pairs(ctx, "", g.named(p.Ref))
	if err != nil {
		return answer, err
	}
	if warning != "" {
		return answer, store.Errorf(store.Unavailable, "%s", warning)
	}
	var list []store.Attestation
	for _, pair := range pairs {
		if pair.Node != p.Ref || pair.DocDigest == "" {
			continue
		}
		answer.Pairs++
		if pair.Status != graph.OK {
			list = append(list, store.Attestation{Repo: g.library.repo, Node: pair.Node, Doc: pair.Doc, Code: pair.Code,
				DocDigest: pair.DocDigest, CodeDigest: pair.CodeDigest, By: a.Docs.By, At: a.now()})
		}
	}
	return answer, g.library.Attestations.Attest(ctx, list)
}
