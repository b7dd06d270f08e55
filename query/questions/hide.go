package questions

import (
	"reflect"
	"slices"
)

// identities are the names of fields that identify data in later questions. They hold no text that a program printed.
var identities = []string{"Attempt", "Digest", "Cursor", "Stream"}

// Hide replaces the texts in an answer by what hide returns for them. answer must be a pointer.
func Hide(answer any, hide func(text string) string) { hideIn(reflect.ValueOf(answer), hide) }

func hideIn(v reflect.Value, hide func(string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			hideIn(v.Elem(), hide)
		}
	case reflect.Interface:
		if !v.IsNil() && v.CanSet() {
			v.Set(hidden(v.Elem(), hide))
		}
	case reflect.Struct:
		for f, field := range v.Fields() {
			if f.IsExported() && !slices.Contains(identities, f.Name) {
				hideIn(field, hide)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if v.Len() > 0 && v.CanSet() {
				v.SetBytes([]byte(hide(string(v.Bytes()))))
			}
			return
		}
		for i := range v.Len() {
			hideIn(v.Index(i), hide)
		}
	case reflect.Map:
		if v.IsNil() || !v.CanSet() {
			return
		}
		fresh := reflect.MakeMap(v.Type())
		for key, value := range v.Seq2() {
			fresh.SetMapIndex(hidden(key, hide), hidden(value, hide))
		}
		v.Set(fresh)
	case reflect.String:
		if v.CanSet() {
			v.SetString(hide(v.String()))
		}
	}
}

// hidden returns a copy of a value without secrets.
func hidden(v reflect.Value, hide func(string) string) reflect.Value {
	fresh := reflect.New(v.Type()).Elem()
	fresh.Set(v)
	hideIn(fresh, hide)
	return fresh
}
