package mcp

import (
	"fmt"
	"reflect"

	"github.com/blq-ci/blq/query"
)

// clipEvents cuts very long messages of the events in an answer, if all messages together have more than limit bytes.
// Otherwise one very long message would leave no room for any event.
func clipEvents(answer any, limit int) {
	v := reflect.ValueOf(answer)
	if g, ok := answer.(*generic); ok {
		v = g.answer
	}
	var events []*query.Event
	findEvents(v, &events)
	sum, most := 0, limit/8
	for _, e := range events {
		if sum += len(e.Message); sum > limit {
			break
		}
	}
	if sum <= limit {
		return
	}
	for _, e := range events {
		if n := len(e.Message); n > 4*most { // a character has at most four bytes
			e.Message = clip(e.Message, most) + fmt.Sprintf(" (%d bytes; inspect shows all)", n)
		}
	}
}

var eventType = reflect.TypeFor[query.Event]()

// findEvents appends the events in a value to a list.
func findEvents(v reflect.Value, events *[]*query.Event) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			findEvents(v.Elem(), events)
		}
	case reflect.Slice:
		for i := range v.Len() {
			findEvents(v.Index(i), events)
		}
	case reflect.Struct:
		if v.Type() == eventType && v.CanAddr() {
			if e, ok := v.Addr().Interface().(*query.Event); ok {
				*events = append(*events, e)
			}
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				findEvents(v.Field(i), events)
			}
		}
	}
}
