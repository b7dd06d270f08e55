package questions

import (
	"reflect"
	"slices"
)

// identities are the names of fields that identify data in later questions. They hold no text that a program printed.
var identities = []string{"Attempt", "Digest", "Cursor", "Stream"}

// Hide replaces the texts in an answer by what hide returns for them. answer must be a pointer. Slices, maps and
// pointers in the answer are replaced by copies, because caches may share them.
func Hide(answer any, hide func(text string) string) { hideIn(reflect.ValueOf(answer).Elem(), hide) }

// hideIn replaces the texts in v, which can be set.
func hideIn(v reflect.Value, hide func(string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fresh := reflect.New(v.Type().Elem())
			fresh.Elem().Set(v.Elem())
			hideIn(fresh.Elem(), hide)
			v.Set(fresh)
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(hidden(v.Elem(), hide))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !slices.Contains(identities, f.Name) {
				hideIn(v.Field(i), hide)
			}
		}
	case reflect.Slice:
		hideInSlice(v, hide)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		fresh := reflect.MakeMap(v.Type())
		for _, key := range v.MapKeys() {
			fresh.SetMapIndex(hidden(key, hide), hidden(v.MapIndex(key), hide))
		}
		v.Set(fresh)
	case reflect.String:
		v.SetString(hide(v.String()))
	}
}

func hideInSlice(v reflect.Value, hide func(string) string) {
	if v.Len() == 0 {
		return
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte(hide(string(v.Bytes()))))
		return
	}
	fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(fresh, v)
	for i := range fresh.Len() {
		hideIn(fresh.Index(i), hide)
	}
	v.Set(fresh)
}

// hidden returns a copy of a value without secrets.
func hidden(v reflect.Value, hide func(string) string) reflect.Value {
	fresh := reflect.New(v.Type()).Elem()
	fresh.Set(v)
	hideIn(fresh, hide)
	return fresh
}
