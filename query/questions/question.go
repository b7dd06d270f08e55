package questions

import (
	"context"
	"reflect"

	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
)

// Question is a row with the types of its parameters and of its answer.
type Question[P, A any] struct{ Row }

// Answerer answers questions. Local implements it with a store, and remote.Client with a service.
type Answerer interface {
	// Answer answers the question of a row. params has the type row.Params, and answer points to a value of the type
	// row.Answer. The error codes are the codes of the question's method in package query.
	Answer(ctx context.Context, row Row, params, answer any) error
}

// Ask asks the question.
func (q Question[P, A]) Ask(ctx context.Context, by Answerer, params P) (A, error) {
	var answer A
	err := by.Answer(ctx, q.Row, params, &answer)
	return answer, err
}

// New returns the question of a row. method answers the question.
func New[P, A any](row Row, method func(*query.Asker, context.Context, P) (A, error)) Question[P, A] {
	return newReport(row, func(by Local, ctx context.Context, p P) (A, error) { return method(by.Asker, ctx, p) })
}

// newReport returns the question of a row whose answer is text with command lines. write answers the question.
func newReport[P, A any](row Row, write func(Local, context.Context, P) (A, error)) Question[P, A] {
	row.Params, row.Answer = reflect.TypeFor[P](), reflect.TypeFor[A]()
	row.answer = func(ctx context.Context, by Local, params, answer any) (err error) {
		by.Asker = by.ForOneQuestion()
		*answer.(*A), err = write(by, ctx, params.(P))
		return err
	}
	return Question[P, A]{row}
}

// limited returns the question with a limit. limit restricts the parameters from callers of a service.
func (q Question[P, A]) limited(limit func(*P)) Question[P, A] {
	q.limit = func(params any) { limit(params.(*P)) }
	return q
}

// Local answers questions from a store. In reports, the next steps are command lines: see markdown.Line.
type Local struct {
	*query.Asker
	Line markdown.Line
}

// Answer implements Answerer.
func (l Local) Answer(ctx context.Context, row Row, params, answer any) error {
	return row.answer(ctx, l, params, answer)
}
