package action

import (
	"context"
	"fmt"
	"time"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/query/remote"
	"github.com/blq-ci/blq/store"
)

// attested returns a function that asks the server which stale documents are confirmed. A document is stale if the
// code that it describes has changed, and the document has not. Somebody can confirm with the tool mark_synced that
// the document still fits. attested returns nil without a server, because only a server stores confirmations.
func (x *sending) attested(r store.Run) func(context.Context, []graph.Pair) (graph.Attested, error) {
	if x.in.Server == "" {
		return nil
	}
	return func(ctx context.Context, stale []graph.Pair) (graph.Attested, error) {
		if x.to == nil {
			return nil, fmt.Errorf("the job asks %s nothing: it has no token for it, or the input upload is never",
				x.in.Server)
		}
		ctx, cancel := context.WithTimeout(ctx, x.patience())
		defer cancel()
		var said []store.Attestation
		for from := 0; from < len(stale); from += query.MaxAttestedPairs {
			some, err := x.askAttested(ctx, r, stale[from:min(from+query.MaxAttestedPairs, len(stale))])
			if store.CodeOf(err) == store.Forbidden {
				return nil, nil // a server without the toolset graph has no confirmations
			}
			if err != nil {
				return nil, err
			}
			said = append(said, some...)
		}
		return graph.NewAttested(said), nil
	}
}

// askAttested asks the server which stale pairs somebody has confirmed.
func (x *sending) askAttested(ctx context.Context, r store.Run, stale []graph.Pair) ([]store.Attestation, error) {
	var p query.AttestedParams
	if r.CI != nil {
		p.Repo = r.CI.Repo
	}
	for _, pair := range stale {
		p.Pairs = append(p.Pairs, query.PairAsIs{Node: pair.Node, Doc: pair.Doc, Code: pair.Code, DocDigest: pair.DocDigest,
			CodeDigest: pair.CodeDigest})
	}
	answer, err := questions.Attested.Ask(ctx, &remote.Client{Server: x.to, Repo: p.Repo}, p)
	if err != nil {
		return nil, err
	}
	var said []store.Attestation
	for _, a := range answer.Pairs {
		at, err := time.Parse(time.RFC3339, a.At)
		if err != nil {
			return nil, fmt.Errorf("the server says that a pair was attested at %.40q", a.At)
		}
		said = append(said, store.Attestation{Node: a.Node, Doc: a.Doc, Code: a.Code, DocDigest: a.DocDigest,
			CodeDigest: a.CodeDigest, By: a.By, At: at})
	}
	return said, nil
}
