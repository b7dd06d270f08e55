// Package settings reads settings files in TOML. An unknown setting is an error, so that a mistyped name never turns a
// setting off. The error suggests a known setting with a similar name, if there is one.
package settings

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/blq-ci/blq/internal/nearest"
)

// Problem is a mistake in a settings file.
type Problem struct {
	Line, Column int
	Message      string
}

func (p *Problem) Error() string { return p.Message }

// Decode reads settings into a struct with toml tags. The error is a *Problem if the place of the mistake is known.
func Decode(data []byte, into any) error {
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(into)
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		e := &unknown.Errors[0]
		line, column := e.Position()
		table := reflect.TypeOf(into).Elem()
		if isInline(data, line, column) {
			return &Problem{line, column, unknownWord(table, e.Key())}
		}
		return &Problem{line, column, unknownKey(table, e.Key())}
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, column := wrong.Position()
		return &Problem{line, column, wrong.Error()}
	}
	return err
}

// unknownKey returns the error text for a key that a table does not have. The text suggests a similar key of the table.
// If there is none, the text lists the keys of the table.
func unknownKey(table reflect.Type, key []string) string {
	known, depth := keysOf(table), 0
	for depth < len(key)-1 {
		inner := inside(table, key[depth])
		if inner == nil {
			break
		}
		table, depth = inner, depth+1
		known = keysOf(table)
	}
	at := key[:depth+1]
	message := "there is no setting " + strings.Join(at, ".")
	if meant := nearest.Word(at[depth], known); meant != "" {
		return message + "; did you mean " + strings.Join(append(slices.Clone(at[:depth]), meant), ".") + "?"
	}
	return fmt.Sprintf("%s; there are %s", message, strings.Join(known, ", "))
}

// isInline reports whether a key is inside of an inline table. For such a key, the library does not return the names of
// the tables.
func isInline(data []byte, line, column int) bool {
	lines := bytes.Split(data, []byte("\n"))
	return bytes.ContainsRune(lines[line-1][:column-1], '{')
}

// unknownWord returns the error text for an unknown key of an inline table. The name of this table is not known, so the
// text suggests a similar key of any table.
func unknownWord(table reflect.Type, key []string) string {
	name := key[len(key)-1]
	return "there is no setting " + name + nearest.Meant(name, allKeys(table))
}

// allKeys returns the keys of a table and of the tables in it.
func allKeys(t reflect.Type) []string {
	if t.Kind() == reflect.Map {
		if t = tableOf(t.Elem()); t == nil {
			return nil
		}
	}
	names := keysOf(t)
	for f := range t.Fields() {
		if inner := tableOf(f.Type); inner != nil && f.Tag.Get("toml") != "" {
			names = append(names, allKeys(inner)...)
		}
	}
	return names
}

// inside returns the type of the table that is the value of a key. It returns nil if the key does not exist, or if its
// value is not a table.
func inside(t reflect.Type, key string) reflect.Type {
	if t.Kind() == reflect.Map {
		return tableOf(t.Elem())
	}
	for f := range t.Fields() {
		if f.Tag.Get("toml") == key {
			return tableOf(f.Type)
		}
	}
	return nil
}

// tableOf returns the type of a table, without the pointers and slices around it. A table is a struct or a map. For any
// other type, tableOf returns nil.
func tableOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct || t.Kind() == reflect.Map {
		return t
	}
	return nil
}

// keysOf returns the keys of a table, in the order of its fields.
func keysOf(t reflect.Type) []string {
	var names []string
	if t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		if name := f.Tag.Get("toml"); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}
