package query_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// memory is the memory that a caller may use. It records the least free memory.
type memory struct{ free, least int64 }

func newMemory(bytes int64) *memory { return &memory{free: bytes, least: bytes} }

func (m *memory) hold(_ context.Context, bytes int64) (bool, error) {
	if m.free < bytes {
		return true, store.Errorf(store.TooLarge, "no memory")
	}
	m.free -= bytes
	m.least = min(m.least, m.free)
	return false, nil
}

// The text of a log counts as memory that the caller uses, because a slow caller keeps the answer in memory for a long
// time. A caller with little free memory gets less text.
func TestTextsOfLogsAreMemoryOfTheCaller(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	log := strings.Repeat(strings.Repeat("x", 99)+"\n", 30_000)
	f.Add(t, querytest.Run{Source: "big", Exit: 1, Log: log})
	for name, ask := range map[string]func(context.Context) (string, error){
		"raw": func(ctx context.Context) (string, error) {
			raw, err := f.Raw(ctx, query.RawParams{})
			return string(raw.Bytes), err
		},
		"output": func(ctx context.Context) (string, error) {
			o, err := f.OutputPart(ctx, query.OutputParams{})
			return o.Content, err
		},
		"tail": func(ctx context.Context) (string, error) {
			o, err := f.OutputPart(ctx, query.OutputParams{Tail: 30_000})
			return o.Content, err
		},
		"grep": func(ctx context.Context) (string, error) {
			o, err := f.OutputPart(ctx, query.OutputParams{Grep: "x"})
			return o.Content, err
		},
		"growth": func(ctx context.Context) (string, error) {
			g, err := f.Growth(ctx, query.GrowthParams{})
			return g.Text, err
		},
	} {
		m := newMemory(64 << 20)
		text, err := ask(store.Holding(t.Context(), m.hold))
		if held := 64<<20 - m.free; err != nil || len(text) < 900_000 || held < int64(len(text))*9/10 {
			t.Errorf("%s: %d bytes, of which %d are counted: %v", name, len(text), held, err)
		}
		m = newMemory(1 << 20)
		text, err = ask(store.Holding(t.Context(), m.hold))
		if err != nil || len(text) < 32<<10 || len(text) > 1<<20+64<<10 {
			t.Errorf("%s with little memory: %d bytes, %v", name, len(text), err)
		}
	}
}

func TestReadsOfLogsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	busy := errors.New("busy")
	f.Reads = func(context.Context) (func(), error) { return nil, busy }
	_, raw := f.Raw(t.Context(), query.RawParams{})
	_, output := f.Output(t.Context(), query.OutputParams{})
	_, growth := f.Growth(t.Context(), query.GrowthParams{})
	for name, err := range map[string]error{"raw": raw, "output": output, "growth": growth} {
		if !errors.Is(err, busy) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestComparisonsOfLargeRunsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	s := sqlitetest.Open(t)
	busy := errors.New("busy")
	turns := 0
	a := &query.Asker{Store: s, Blobs: noBlobs{}, Scope: store.Everything()}
	base := querytest.AddErrors(t, s, "base", 6000, 6000, 0).Ref().String()
	head := querytest.AddErrors(t, s, "head", 6000, 6000, 1).Ref().String()
	for _, refused := range []error{busy, nil} {
		a.Comparisons = func(context.Context) (func(), error) {
			turns++
			return func() { turns-- }, refused
		}
		_, diff := a.Diff(t.Context(), query.DiffParams{Run1: base, Run2: head})
		_, triage := a.Triage(t.Context(), query.TriageParams{Ref: head, Baseline: base})
		if !errors.Is(diff, refused) || !errors.Is(triage, refused) {
			t.Errorf("%v, %v; want %v", diff, triage, refused)
		}
	}
	if turns != 2 { // a refused turn does not end
		t.Errorf("%d turns have not ended", turns)
	}
}

// A comparison of large runs takes much memory. This memory counts as the caller's, so that a caller with many such
// requests does not get all memory.
func TestComparisonsOfLargeRunsAreMemoryOfTheCaller(t *testing.T) {
	t.Parallel()
	const errors = 40_000
	s := sqlitetest.Open(t)
	a := &query.Asker{Store: s, Blobs: noBlobs{}, Scope: store.Everything()}
	base, head := querytest.AddErrors(t, s, "base", errors, errors, 0), querytest.AddErrors(t, s, "head", errors, errors, 1)
	for name, ask := range map[string]func(context.Context) error{
		"diff": func(ctx context.Context) error {
			_, err := a.Diff(ctx, query.DiffParams{Run1: base.Ref().String(), Run2: head.Ref().String(), Limit: 1})
			return err
		},
		"triage": func(ctx context.Context) error {
			_, err := a.Triage(ctx, query.TriageParams{Ref: head.Ref().String(), Baseline: base.Ref().String()})
			return err
		},
	} {
		m := newMemory(64 << 20)
		if err := ask(store.Holding(t.Context(), m.hold)); err != nil || 64<<20-m.least < 4*errors {
			t.Errorf("%s: %d bytes are counted: %v", name, 64<<20-m.least, err)
		}
	}
}
