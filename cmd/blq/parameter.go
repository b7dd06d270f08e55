package main

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// parameter is the value of a flag that sets a parameter of any type.
type parameter struct{ reflect.Value }

// Type implements pflag.Value.
func (p parameter) Type() string {
	switch p.Kind() {
	case reflect.Bool:
		return "bool"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "N"
	case reflect.Slice:
		return "LIST"
	}
	return "TEXT"
}

// String implements pflag.Value.
func (p parameter) String() string {
	if !p.IsValid() || p.IsZero() {
		return ""
	}
	if p.Kind() == reflect.Pointer {
		return parameter{p.Elem()}.String()
	}
	if p.Kind() != reflect.Slice {
		return fmt.Sprint(p.Interface())
	}
	items := make([]string, p.Len())
	for i := range items {
		items[i] = parameter{p.Index(i)}.String()
	}
	return strings.Join(items, ",")
}

// Set implements pflag.Value. A list comes as values that are separated by commas, or as several flags.
func (p parameter) Set(text string) error {
	switch p.Kind() {
	case reflect.Pointer:
		p.Value.Set(reflect.New(p.Value.Type().Elem()))
		return parameter{p.Elem()}.Set(text)
	case reflect.String:
		p.SetString(text)
	case reflect.Bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("it must be true or false")
		}
		p.SetBool(v)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return errors.New("it must be a whole number")
		}
		p.SetInt(n)
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return errors.New("it must be a number")
		}
		p.SetFloat(n)
	case reflect.Slice:
		for _, word := range strings.Split(text, ",") {
			item := reflect.New(p.Value.Type().Elem()).Elem()
			if err := (parameter{item}).Set(word); err != nil {
				return fmt.Errorf("each of the list: %w", err)
			}
			p.Value.Set(reflect.Append(p.Value, item))
		}
	default:
		return errors.New("it cannot be given on a command line")
	}
	return nil
}
