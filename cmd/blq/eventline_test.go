package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/blq-ci/blq/store"
)

// checkLine compares the line of an event with the line of encoding/json.
func checkLine(t *testing.T, e store.Event) {
	t.Helper()
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		t.Fatal(err)
	}
	if got := appendEvent(nil, &e); !bytes.Equal(got, want.Bytes()) {
		t.Errorf("got  %s\nwant %s", got, want.Bytes())
	}
}

func TestLinesOfEventsAreThoseOfTheJSONEncoder(t *testing.T) {
	checkLine(t, store.Event{})
	var full store.Event
	fields := reflect.ValueOf(&full).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Kind() == reflect.String {
			f.SetString("text of " + fields.Type().Field(i).Name)
		} else {
			f.SetInt(int64(i) - 3)
		}
	}
	checkLine(t, full)
	for c := range 0x3000 {
		checkLine(t, store.Event{Message: "a" + string(rune(c)) + "b", Code: string(rune(c))})
	}
	for c := range 256 {
		checkLine(t, store.Event{Message: string([]byte{'a', byte(c), 0x80, 'b'}), Tool: string([]byte{byte(c)})})
	}
}

func FuzzLinesOfEvents(f *testing.F) {
	f.Add("a\"b\\c\n", "\xff\u2028", 3)
	f.Fuzz(func(t *testing.T, message, file string, line int) {
		checkLine(t, store.Event{Message: message, File: file, Line: line})
	})
}
