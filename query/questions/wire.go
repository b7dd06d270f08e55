package questions

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/store"
)

// The command line prints some facts that the JSON for agents leaves out. Answers with such facts have a second JSON
// form, the wire form, with all facts. A service sends the wire form to the command line. Package query declares the
// wire form of an answer next to the answer.
type (
	// wired is implemented by answers with a wire form. Wire returns the wire form, which can be encoded as JSON.
	wired interface{ Wire() any }
	// fromWire is implemented by answers with a wire form. ReadWire sets the answer from the wire form.
	fromWire interface {
		ReadWire(read func(any) error) error
	}
)

// AnswerJSON answers a question. Parameters and answer are JSON. The answer is in its wire form, if it has one.
// Invalid: the parameters are wrong.
func (r Row) AnswerJSON(ctx context.Context, by Local, params json.RawMessage) ([]byte, error) {
	p, answer := reflect.New(r.Params), reflect.New(r.Answer)
	if err := r.read(ctx, params, p.Interface()); err != nil {
		return nil, err
	}
	if r.limit != nil {
		r.limit(p.Interface())
	}
	if err := r.ask(ctx, by, p.Elem().Interface(), answer.Interface()); err != nil {
		return nil, err
	}
	out := answer.Interface()
	if w, ok := out.(wired); ok {
		out = w.Wire()
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("write the answer to %s: %w", r.Name, err)
	}
	return text.Bytes(), nil
}

// onlyKnown returns an error if the client sends a parameter that the question does not have. The parameter may be
// mistyped, or come from a newer client. An answer that ignores the parameter would be misleading.
func (r Row) onlyKnown(params json.RawMessage) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(params, &given); err != nil {
		return store.Errorf(store.Invalid, "params: %w", err)
	}
	var keys []string
	for f := range Fields(r.Params) {
		keys = append(keys, f.Key)
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(keys, func(k string) bool { return strings.EqualFold(k, key) }) {
			return UnknownKey(r.Name, "parameter", key, keys)
		}
	}
	return nil
}

// UnknownKey returns the error for a key that an object does not have. It names the most similar key of the object, or
// all keys if none is similar. The parameter keys holds the object's keys. The parameter kind says what a key is, such
// as "parameter".
func UnknownKey(object, kind, key string, keys []string) error {
	if like := nearest.Word(key, keys); like != "" {
		return store.Errorf(store.Invalid, "%s has no %s %.60q; did you mean %s?", object, kind, key, like)
	}
	return store.Errorf(store.Invalid, "%s has no %s %.60q; it has %s", object, kind, key,
		cmp.Or(strings.Join(keys, ", "), "none"))
}

// read decodes parameters. Long ones are decoded in a turn.
func (r Row) read(ctx context.Context, params json.RawMessage, p any) error {
	if len(params) == 0 {
		return nil
	}
	if len(params) >= store.LongJSON {
		leave, err := store.Turn(ctx)
		if err != nil {
			return err
		}
		defer leave()
	}
	if err := json.Unmarshal(params, p); err != nil {
		return store.Errorf(store.Invalid, "params: %w", err)
	}
	return r.onlyKnown(params)
}

// ReadJSON decodes the result of AnswerJSON into answer. answer points to a value of the type row.Answer. Numbers in
// fields of type any become json.Number.
func (r Row) ReadJSON(text []byte, answer any) error {
	read := func(v any) error {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		return d.Decode(v)
	}
	if w, ok := answer.(fromWire); ok {
		return w.ReadWire(read)
	}
	return read(answer)
}

// References returns the references in the parameters of a question: the texts in fields with the tag kind:"ref".
func References(params any) []string {
	var refs []string
	v := reflect.ValueOf(params)
	for f := range Fields(v.Type()) {
		if f.Tag.Get("kind") == "ref" {
			refs = append(refs, v.FieldByIndex(f.Index).String())
		}
	}
	return refs
}
