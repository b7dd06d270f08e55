package mcp

import (
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// callLike returns a call of a tool with the arguments of an input. change holds pairs of a name and a value, which
// replace arguments of the input. Arguments with a zero value or the default value are left out.
func callLike(tool string, in any, change ...any) store.Call {
	changed := map[string]any{}
	for i := 0; i+1 < len(change); i += 2 {
		changed[change[i].(string)] = change[i+1]
	}
	call := store.Call{Tool: tool}
	v := reflect.ValueOf(in)
	for f := range questions.Fields(v.Type()) {
		value := v.FieldByIndex(f.Index)
		if to, ok := changed[f.Key]; ok {
			value = reflect.ValueOf(to)
		}
		if !value.IsValid() || value.IsZero() {
			continue
		}
		given := argument(value)
		if text, err := json.Marshal(given); err == nil && string(text) == f.Tag.Get("default") {
			continue
		}
		call.Arguments = append(call.Arguments, store.Argument{Name: f.Key, Value: given})
	}
	return call
}

// argument returns a value as an argument of a call.
func argument(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		return argument(v.Elem())
	case reflect.String:
		if n, err := strconv.Atoi(v.String()); err == nil && v.Type() == reflect.TypeFor[runArg]() {
			return n
		}
		return v.String()
	case reflect.Int:
		return int(v.Int())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Int {
			return convert[[]int](v)
		}
		return convert[[]string](v)
	}
	return v.Interface()
}

func convert[T any](v reflect.Value) T { return v.Convert(reflect.TypeFor[T]()).Interface().(T) }
