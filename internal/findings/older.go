package findings

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// markOlder marks violations that the base commit already had, but that the rules of the base commit did not find.
// Because of the mark, a comparison with a run of the base commit does not count these violations as new. If the base
// commit cannot be read, nothing is marked.
func (s *state) markOlder(ctx context.Context, list []record.Finding) {
	then, now, ok := s.older(ctx)
	if !ok {
		return
	}
	for i := range list {
		f := &list[i]
		print := store.Fingerprint(f.Event)
		switch known := print + string(f.Severity); {
		case then[known] > 0: // the base commit's own run has it
			then[known]--
			now[print]--
		case now[print] > 0:
			now[print]--
			f.Line = strings.Replace(f.Line, f.Message, f.Message+store.OlderThanRule, 1)
			f.Message += store.OlderThanRule
		}
	}
}

// older returns the violations at the base commit in two maps. The map atBase has the violations that the rules of the
// base commit find, by fingerprint and severity. The map now also has those that only the present rules find, by
// fingerprint. ok is false if there are no rules, if the rules are the same, or if the base commit cannot be read.
func (s *state) older(ctx context.Context) (atBase, now map[string]int, ok bool) {
	if s.declaredThen.Set == nil || len(s.rules) == 0 || graph.SameRules(s.declared, s.declaredThen) {
		return nil, nil, false
	}
	sources, err := s.Source.AtCommit(ctx, s.Base, store.FactCode)
	if err != nil {
		return nil, nil, false
	}
	was := graph.Earlier{Declared: s.declaredThen}
	if was.Index, err = code.Build(ctx, sources, s.index); err != nil {
		return nil, nil, false
	}
	if was.Graph, was.Rules, err = graph.Load(ctx, s.declaredThen, was.Index); err != nil {
		return nil, nil, false
	}
	docs, err := s.Source.AtCommit(ctx, s.Base, store.FactDocs)
	if err != nil {
		return nil, nil, false
	}
	if was.Named, err = graph.ReadDocuments(ctx, was.Graph, docs); err != nil {
		return nil, nil, false
	}
	atBase = map[string]int{}
	for _, v := range graph.Lint(was.Graph, was.Index, was.Rules, was.Named) {
		e := v.Event()
		atBase[v.Fingerprint+string(e.Severity)]++
	}
	now, err = graph.Adopted(ctx, s.declared, was)
	return atBase, now, err == nil
}
