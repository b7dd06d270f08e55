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
	return Question[P, A]{answered(row, method)}
}

// newReport returns the question of a row whose answer is text with command lines. write answers the question.
func newReport[P, A any](row Row, write func(Local, context.Context, P) (A, error)) Question[P, A] {
	return Question[P, A]{answered(row, write)}
}

// answered returns the row with a function that answers the row's question. The first argument of the function is a
// Local or its Asker, and the others are a context and the parameters. The results of the function are the answer and
// an error. Package reflect calls the function. Generic code would add 180 KB to blq, because the compiler copies
// generic code for each type of parameters.
func answered(row Row, function any) Row {
	signature := reflect.TypeOf(function)
	row.Params, row.Answer = signature.In(2), signature.Out(0)
	row.answer = func(ctx context.Context, by Local, params, answer any) error {
		by.Asker = by.ForOneQuestion()
		f, first := reflect.ValueOf(function), reflect.ValueOf(by)
		if f.Type().In(0) != first.Type() {
			first = reflect.ValueOf(by.Asker)
		}
		results := f.Call([]reflect.Value{first, reflect.ValueOf(ctx), reflect.ValueOf(params)})
		reflect.ValueOf(answer).Elem().Set(results[0])
		err, _ := results[1].Interface().(error)
		return err
	}
	return row
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
	return row.ask(ctx, l, params, answer)
}

// ask asks a store. If the answer is about facts, ask removes secrets from its texts, such as headings and names of
// nodes, files and symbols.
func (r *Row) ask(ctx context.Context, by Local, params, answer any) error {
	err := r.answer(ctx, by, params, answer)
	if err == nil && by.HideText != nil && r.OfFacts() {
		Hide(answer, by.HideText)
	}
	return err
}
