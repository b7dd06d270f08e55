package mcp

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// If a question has no file of its own in this package, its tool is made from its row. The tool's arguments are the
// parameters of the question, and the tool's result is the answer. Long parts of the answer are cut at the end.

// fromRow returns the tool for the row of a question.
func fromRow(row questions.Row) tool {
	s := spec{name: row.Tool, description: row.About + ".", call: exampleOf(row),
		shapes: []reflect.Type{with(row.Answer, reflect.TypeFor[Truncation]())}}
	in := with(row.Params, reflect.TypeFor[Budget]())
	return tool{spec: s, row: row, in: in, call: func(c *call, arguments map[string]any) (any, error) {
		given := reflect.New(in)
		if err := decode(s.name, arguments, given.Interface(), c.server.config.Hosted); err != nil {
			return nil, err
		}
		c.bytes = answerBytes(s.answerBytes(), c.maxBytes, Budget{int(valueOf(given.Elem(), "max_bytes").Int())})
		params := reflect.New(row.Params).Elem()
		for f := range questions.Fields(row.Params) {
			params.FieldByIndex(f.Index).Set(valueOf(given.Elem(), f.Key))
		}
		out := &generic{tool: s.name, in: given.Elem(), answer: reflect.New(row.Answer)}
		by := questions.Local{Asker: c.Asker, Line: cmdline.Words}
		if err := by.Answer(c, row, params.Interface(), out.answer.Interface()); err != nil {
			return nil, err
		}
		c.fit(out)
		return out, nil
	}}
}

// exampleValues are values of required parameters in example calls.
var exampleValues = map[string]string{"ref_id": "core", "query": "payment"}

// exampleOf returns an example call of a question. It returns "" if the question has no required parameter with an
// example value.
func exampleOf(row questions.Row) string {
	var arguments []string
	for f := range questions.Fields(row.Params) {
		if _, options, _ := strings.Cut(f.Tag.Get("json"), ","); exampleValues[f.Key] != "" && options == "" {
			arguments = append(arguments, fmt.Sprintf("%s=%q", f.Key, exampleValues[f.Key]))
		}
	}
	if len(arguments) == 0 {
		return ""
	}
	return row.Tool + "(" + strings.Join(arguments, ", ") + ")"
}

// with returns a struct type that has the fields of two struct types. If both types have a field with the same JSON
// key, the result has the field of t.
func with(t, extra reflect.Type) reflect.Type {
	var list []reflect.StructField
	keys := map[string]bool{}
	for _, part := range []reflect.Type{t, extra} {
		for f := range questions.Fields(part) {
			if !keys[f.Key] {
				list = append(list, reflect.StructField{Name: part.FieldByIndex(f.Index).Name, Type: f.Type, Tag: f.Tag})
			}
			keys[f.Key] = true
		}
	}
	return reflect.StructOf(list)
}

// valueOf returns the field of a struct with the given JSON key.
func valueOf(v reflect.Value, key string) reflect.Value {
	for f := range questions.Fields(v.Type()) {
		if f.Key == key {
			return v.FieldByIndex(f.Index)
		}
	}
	return reflect.Value{}
}

// generic is the answer to a question, with notes about what was left out.
type generic struct {
	tool   string
	in     reflect.Value // arguments
	answer reflect.Value // pointer to the answer
	Truncation
}

// MarshalJSON implements json.Marshaler. It returns the JSON of the answer. If something was left out, it adds
// truncated as the last key.
func (g *generic) MarshalJSON() ([]byte, error) {
	text, err := marshal(g.answer.Interface())
	if err != nil || len(g.Truncated) == 0 {
		return text, err
	}
	notes, err := marshal(g.Truncation)
	if len(text) > len("{}") {
		text[len(text)-1] = ','
		notes = notes[1:]
	} else {
		text = nil
	}
	return append(text, notes...), err
}

// parts returns the lists and texts of the answer, the largest part first. All lists together are one part, so that fit
// does not empty one list before it shortens the next. If the answer has its own notes about what was left out, parts
// returns nil.
func (g *generic) parts() []part {
	answer := g.answer.Elem()
	if valueOf(answer, "truncated").IsValid() {
		return nil
	}
	type sized struct {
		part
		bytes int
	}
	var found []sized
	lists := sized{}
	var shared []sharing
	for f := range questions.Fields(answer.Type()) {
		v := answer.FieldByIndex(f.Index)
		bytes := size(v.Interface())
		switch v.Kind() {
		case reflect.Slice:
			shared = append(shared, sharing{g.list(f.Key, v), runningSizes(v)})
			lists.bytes = max(lists.bytes, bytes)
		case reflect.String:
			if text, ok := v.Addr().Interface().(*string); ok {
				found = append(found, sized{rawLines(
					text, func(n, total int) []query.Omission { return omitted(n, total, "lines of "+f.Key, g.more()) }), bytes})
			}
		}
	}
	if len(shared) > 0 {
		lists.part = share(shared)
		found = append(found, lists)
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].bytes > found[j].bytes })
	list := make([]part, len(found))
	for i, f := range found {
		list[i] = f.part
	}
	return list
}

// list returns the slice v as a part. key is the slice's key in the answer. The function fit cuts the part.
func (g *generic) list(key string, v reflect.Value) part {
	total := v.Len()
	items := make([]any, total)
	for i := range items {
		items[i] = v.Index(i).Interface()
	}
	n := room(items)
	all := v.Slice(0, n)
	v.Set(all)
	return part{
		size: n,
		keep: func(n int) { v.Set(all.Slice(0, n)) },
		cut: func(n int) []query.Omission {
			next := g.more()
			if offset := valueOf(g.in, "offset"); offset.IsValid() && offset.CanInt() {
				next = callLike(g.tool, g.in.Interface(), "offset", int(offset.Int())+n)
			}
			return omitted(n, total, key, next)
		},
	}
}

// more returns a call with the same arguments that asks for an answer of the max size.
func (g *generic) more() store.Call {
	return callLike(g.tool, g.in.Interface(), "max_bytes", maxBytes)
}
