package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/blq-ci/blq/query/questions"
)

// plain prints an answer whose command has no text form of its own. A value becomes a line. A struct or a text of
// several lines becomes a section. A list becomes a table.
func (a *app) plain(answer reflect.Value) error {
	for f := range questions.Fields(answer.Type()) {
		v := answer.FieldByIndex(f.Index)
		if v.IsZero() && strings.Contains(f.Tag.Get("json"), ",omitempty") {
			continue
		}
		if err := a.plainValue(f.Key, v); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) plainValue(key string, v reflect.Value) error {
	if !v.IsValid() || v.IsZero() && v.Kind() != reflect.Int {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		return a.plainValue(key, v.Elem())
	case reflect.Struct:
		a.section(title(key))
		return a.plain(v)
	case reflect.Slice:
		return a.plainList(key, v)
	}
	text := fmt.Sprint(v.Interface())
	if !strings.Contains(text, "\n") {
		a.fields([][2]string{{title(key), text}})
		return nil
	}
	a.section(title(key))
	_, err := io.WriteString(a.stdout, strings.TrimSuffix(text, "\n")+"\n")
	return err
}

// plainList prints a list. A list of structs becomes a table, with a column for each key whose value is a text, a
// number or a bool.
func (a *app) plainList(key string, list reflect.Value) error {
	a.section(title(key))
	item := list.Type().Elem()
	var head []string
	var columns []questions.Field
	for f := range questions.Fields(item) {
		switch f.Type.Kind() {
		case reflect.Struct, reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface:
		default:
			head, columns = append(head, strings.ToUpper(title(f.Key))), append(columns, f)
		}
	}
	if len(columns) == 0 {
		head = []string{""}
	}
	rows := make([][]string, list.Len())
	for i := range rows {
		for _, f := range columns {
			rows[i] = append(rows[i], firstLine(fmt.Sprint(list.Index(i).FieldByIndex(f.Index).Interface()), reportWidth))
		}
		if len(columns) == 0 {
			rows[i] = []string{firstLine(fmt.Sprint(list.Index(i).Interface()), reportWidth)}
		}
	}
	return a.style.table(a.stdout, head, rows)
}

// title returns a JSON key in words for people.
func title(key string) string { return strings.ReplaceAll(key, "_", " ") }
