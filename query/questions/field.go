package questions

import (
	"iter"
	"reflect"
	"strings"
)

// Field is a field of parameters or of an answer, as JSON has it. Its tags say
// what front ends have to know: jsonschema what it means, default and min and
// enum which values it takes, hosted that it is for servers of many
// repositories, and kind:"ref" that it is a reference.
type Field struct {
	Key   string // in JSON
	Tag   reflect.StructTag
	Type  reflect.Type
	Index []int // of reflect.Value.FieldByIndex
}

// Fields returns the fields of a struct that JSON has, those of embedded structs
// included.
func Fields(t reflect.Type) iter.Seq[Field] {
	return func(yield func(Field) bool) {
		if t.Kind() != reflect.Struct {
			return
		}
		for _, f := range reflect.VisibleFields(t) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key == "" || key == "-" || !f.IsExported() {
				continue
			}
			if !yield(Field{key, f.Tag, f.Type, f.Index}) {
				return
			}
		}
	}
}
