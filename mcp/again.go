package mcp

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/query/questions"
)

// callText writes a call of a tool with the arguments that its input has, but
// for those that change names: key, value, key, value. Values that are zero or
// the default are left out.
func callText(tool string, in any, change ...any) string {
	changed := map[string]any{}
	for i := 0; i+1 < len(change); i += 2 {
		changed[change[i].(string)] = change[i+1]
	}
	var args []string
	v := reflect.ValueOf(in)
	for f := range questions.Fields(v.Type()) {
		value := v.FieldByIndex(f.Index)
		if to, ok := changed[f.Key]; ok {
			value = reflect.ValueOf(to)
		}
		if text := argument(value); value.IsValid() && !value.IsZero() && text != f.Tag.Get("default") {
			args = append(args, f.Key+"="+text)
		}
	}
	return tool + "(" + strings.Join(args, ", ") + ")"
}

// argument writes a value as it stands in a call.
func argument(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Invalid:
		return ""
	case reflect.Pointer:
		return argument(v.Elem())
	case reflect.String:
		if n, err := strconv.Atoi(v.String()); err == nil && v.Type() == reflect.TypeFor[runArg]() {
			return strconv.Itoa(n)
		}
		return strconv.Quote(v.String())
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = argument(v.Index(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return fmt.Sprint(v.Interface())
}
