package query_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/architecture"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// graphOf returns an asker for a graph with 1,000 nodes and 100,000 symbols.
func graphOf(b *testing.B) *query.Asker {
	b.Helper()
	files := querytest.Files{"go.mod": "module m\n"}
	var yaml strings.Builder
	yaml.WriteString("nodes:\n")
	for n := range 1000 {
		fmt.Fprintf(&yaml, "- {ref_id: n%03d, kind: domain, source: p%03d/}\n", n, n)
		var text strings.Builder
		fmt.Fprintf(&text, "package p\nimport (\n\"m/p%03d\"\n\"m/p%03d\"\n\"m/p%03d\"\n)\n", (n+7)%1000, (n+31)%1000,
			(n+101)%1000)
		for s := range 100 {
			fmt.Fprintf(&text, "func F%d() {}\n", s)
		}
		files[fmt.Sprintf("p%03d/f.go", n)] = text.String()
	}
	files[".beadloom/_graph/a.yml"] = yaml.String()
	return &query.Asker{Docs: &query.Docs{Facts: &once{files, map[store.FactKind]facts.Found{}}, Local: true},
		Graphs: architecture.InMemory{Cache: architecture.New(1<<30, nil)}}
}

// once reads the facts of each kind only once, as a server does.
type once struct {
	from facts.Source
	kept map[store.FactKind]facts.Found
}

func (o *once) At(ctx context.Context, q facts.Query) (facts.Found, error) {
	if found, known := o.kept[q.Kind]; known {
		return found, nil
	}
	found, err := o.from.At(ctx, q)
	o.kept[q.Kind] = found
	return found, err
}

func BenchmarkGetContext(b *testing.B) {
	a := graphOf(b)
	for b.Loop() {
		if _, err := a.GetContext(b.Context(), query.GetContextParams{Refs: query.NodeRefs{"n500"}, Depth: 2}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWhy(b *testing.B) {
	a := graphOf(b)
	for b.Loop() {
		if _, err := a.Why(b.Context(), query.WhyParams{Ref: "n500"}); err != nil {
			b.Fatal(err)
		}
	}
}
