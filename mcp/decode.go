package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// decode sets the fields of a tool's input struct from arguments, and sets default values. It accepts a value of
// another type if the meaning is clear, such as a number in quotes. Invalid: an argument is wrong, missing or unknown.
// The error names the argument, and says what the tool expects.
func decode(tool string, arguments map[string]any, in any, hosted bool) error {
	v := reflect.ValueOf(in).Elem()
	var keys []string
	for f := range questions.Fields(v.Type()) {
		if f.Tag.Get("hosted") != "" && !hosted {
			continue
		}
		keys = append(keys, f.Key)
		value, given := arguments[f.Key]
		if !given || value == nil {
			if text := f.Tag.Get("default"); text != "" {
				if err := json.Unmarshal([]byte(text), v.FieldByIndex(f.Index).Addr().Interface()); err != nil {
					return err
				}
			} else if required(f) {
				return store.Errorf(store.Invalid, "%s needs %s: %s", tool, f.Key, f.Tag.Get("jsonschema"))
			}
			continue
		}
		if want := set(v.FieldByIndex(f.Index), value); want != "" {
			return store.Errorf(store.Invalid, "%s: %s must be %s, not %s", tool, f.Key, want, show(value))
		}
		if err := allowed(tool, f, v.FieldByIndex(f.Index)); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(arguments)) {
		if !slices.Contains(keys, key) {
			return questions.UnknownKey(tool, "parameter", key, keys)
		}
	}
	return nil
}

func required(f questions.Field) bool { return !strings.Contains(f.Tag.Get("json"), ",omit") }

// allowed checks a value against the enum and min tags of its field. Invalid: the tags do not allow the value.
func allowed(tool string, f questions.Field, v reflect.Value) error {
	if words := f.Tag.Get("enum"); words != "" && v.Kind() == reflect.String && v.String() != "" {
		if !slices.Contains(strings.Split(words, ","), v.String()) {
			return store.Errorf(store.Invalid, "%s: %s must be one of %s, not %s", tool, f.Key,
				strings.ReplaceAll(words, ",", ", "), show(v.String()))
		}
	}
	min, err := strconv.ParseFloat(f.Tag.Get("min"), 64)
	if err != nil {
		return nil
	}
	if v.CanInt() && float64(v.Int()) < min || v.CanFloat() && v.Float() < min {
		return store.Errorf(store.Invalid, "%s: %s must be at least %v, not %v", tool, f.Key, min, v)
	}
	return nil
}

// set sets a field to a value from JSON. If the value does not fit, it returns a description of the expected value.
// Otherwise it returns "".
func set(field reflect.Value, value any) string {
	switch field.Kind() {
	case reflect.String:
		return setString(field, value)
	case reflect.Int, reflect.Int64:
		n, ok := number(value)
		if !ok || n != math.Trunc(n) || math.Abs(n) > 1<<53 {
			return "a whole number"
		}
		field.SetInt(int64(n))
	case reflect.Float64:
		n, ok := number(value)
		if !ok || math.IsInf(n, 0) || math.IsNaN(n) {
			return "a number"
		}
		field.SetFloat(n)
	case reflect.Bool:
		switch value {
		case true, "true":
			field.SetBool(true)
		case false, "false":
			field.SetBool(false)
		default:
			return "true or false"
		}
	case reflect.Pointer:
		p := reflect.New(field.Type().Elem())
		if want := set(p.Elem(), value); want != "" {
			return want
		}
		field.Set(p)
	case reflect.Slice:
		return setSlice(field, value)
	case reflect.Map:
		return setMap(field, value)
	default:
		return "left out"
	}
	return ""
}

// maxText is the max size in bytes of a text argument. No command or query needs a longer text, and an answer has room
// to repeat a text of this size.
const maxText = 16 << 10

func setString(field reflect.Value, value any) string {
	switch v := value.(type) {
	case string:
		if len(v) > maxText {
			return fmt.Sprintf("text of at most %d bytes", maxText)
		}
		field.SetString(v)
	case float64: // the number 5 becomes "5"
		format := byte('f')
		if math.Abs(v) >= 1<<53 {
			format = 'g'
		}
		field.SetString(strconv.FormatFloat(v, format, -1, 64))
	default:
		if field.Type() == reflect.TypeFor[runArg]() {
			return "a run's serial or reference"
		}
		return "text"
	}
	return ""
}

// number returns the value of a number with or without quotes. It returns false for other values.
func number(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return n, err == nil
	}
	return 0, false
}

func setSlice(field reflect.Value, value any) string {
	items, ok := value.([]any)
	if !ok {
		items = []any{value} // a single item becomes a list
	}
	list := reflect.MakeSlice(field.Type(), len(items), len(items))
	for i, item := range items {
		if want := set(list.Index(i), item); want != "" {
			return "a list, each of it " + want
		}
	}
	field.Set(list)
	return ""
}

func setMap(field reflect.Value, value any) string {
	items, ok := value.(map[string]any)
	if !ok {
		return "an object"
	}
	m := reflect.MakeMap(field.Type())
	for key, item := range items {
		v := reflect.New(field.Type().Elem()).Elem()
		if b, ok := item.(bool); ok {
			item = strconv.FormatBool(b)
		}
		if want := set(v, item); want != "" {
			return "an object, each value " + want
		}
		m.SetMapIndex(reflect.ValueOf(key), v)
	}
	field.Set(m)
	return ""
}

// show returns a value from the caller in the form that errors show.
func show(value any) string {
	text, err := marshal(value)
	if err != nil {
		return "that"
	}
	if r := []rune(query.Clean(string(text))); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return query.Clean(string(text))
}
