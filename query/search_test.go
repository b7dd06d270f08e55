package query_test

import (
	"context"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestTooLargeAnExpressionIsRefused(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for text, code := range map[string]store.Code{
		strings.Repeat("a|b|", 300):                 store.TooLarge, // bytes
		"a{999}|b{999}|c{999}|d{999}|e{999}|f{999}": store.TooLarge, // steps
		"(":                              store.Invalid,
		"(?i)error|fail|fatal|not found": "",
	} {
		_, err := f.Output(t.Context(), query.OutputParams{Ref: "build", Grep: text, MaxBytes: 1000})
		if code != "" && (store.CodeOf(err) != code || code == store.TooLarge && store.NextOf(err) == nil) || code == "" &&
			err != nil {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}

func TestSearchesWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	entered, left := 0, 0
	f.Searches = func(context.Context) (func(), error) {
		entered++
		return func() { left++ }, nil
	}
	for _, p := range []query.OutputParams{{Ref: "build", Tail: 3}, {Ref: "build", Grep: "foo"}} {
		_, err := f.Output(t.Context(), p)
		querytest.Check(t, err)
	}
	if entered != 1 || left != 1 {
		t.Errorf("entered %d times, left %d times", entered, left)
	}
	f.Searches = func(context.Context) (func(), error) { return nil, store.Errorf(store.RateLimited, "too many") }
	if _, err := f.Output(t.Context(), query.OutputParams{Ref: "build", Grep: "foo"}); store.CodeOf(
		err) != store.RateLimited {
		t.Errorf("with too many: %v", err)
	}
}
