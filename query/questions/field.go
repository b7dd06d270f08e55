package questions

import (
	"iter"
	"reflect"
	"strings"
)

// Field is a field of parameters or of an answer, with its JSON key. Front ends read the tags of the field. The tag
// jsonschema is the description, and the tag default is the default value. The tags min and enum restrict the values.
// The tag hosted marks fields that only servers with many repositories have. The tag kind:"ref" marks references.
type Field struct {
	Key   string // name in JSON
	Tag   reflect.StructTag
	Type  reflect.Type
	Index []int // for reflect.Value.FieldByIndex
}

// Fields returns the exported fields of a struct whose tag has a JSON name, including fields of embedded structs.
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
