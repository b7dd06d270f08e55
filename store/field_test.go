package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestConditionsBecomeTerms(t *testing.T) {
	const print = "gcc_compile_00000000000000ff"
	file := store.Field{Name: "ref_file", Column: "file"}
	severity := store.Field{Name: "severity", Column: "severity"}
	line := store.Field{Name: "ref_line", Column: "line", Number: true}
	fingerprint := store.Field{Name: "fingerprint", Column: "fingerprint"}
	run := store.Field{Name: "run_id", Column: "serial", OfRun: true, Number: true}
	for _, tt := range []struct {
		condition store.Condition
		want      []store.Term
		ofRun     bool
	}{
		{store.Condition{Field: "ref_file", Op: store.Contains, Values: []string{"a", "b"}},
			[]store.Term{{Field: file, Op: store.Contains, Text: "a"}, {Field: file, Op: store.Contains, Text: "b"}}, false},
		{store.Condition{Field: "ref_file", Op: store.Equal, Values: []string{"critical"}},
			[]store.Term{{Field: file, Op: store.Equal, Text: "critical"}}, false},
		{store.Condition{Field: "severity", Op: store.NotEqual, Values: []string{"critical", "fatal", "info"}}, []store.Term{
			{Field: severity, Op: store.NotEqual, Text: "error"}, {Field: severity, Op: store.NotEqual, Text: "error"},
			{Field: severity, Op: store.NotEqual, Text: "info"},
		}, false},
		{store.Condition{Field: "severity", Op: store.Contains, Values: []string{"fatal"}},
			[]store.Term{{Field: severity, Op: store.Contains, Text: "fatal"}}, false},
		{store.Condition{Field: "ref_line", Op: store.Equal, Values: []string{"05"}},
			[]store.Term{{Field: line, Op: store.Equal, Text: "05", Number: 5, IsNumber: true}}, false},
		{store.Condition{Field: "ref_line", Op: store.Contains, Values: []string{"x"}},
			[]store.Term{{Field: line, Op: store.Contains, Text: "x"}}, false},
		{store.Condition{Field: "fingerprint", Op: store.Equal, Values: []string{print, "x"}}, []store.Term{
			{Field: fingerprint, Op: store.Equal, Text: print, Number: 255, IsNumber: true},
			{Field: fingerprint, Op: store.Equal, Text: "x"},
		}, false},
		{store.Condition{Field: "fingerprint", Op: store.Contains, Values: []string{print}},
			[]store.Term{{Field: fingerprint, Op: store.Contains, Text: print}}, false},
		{store.Condition{Field: "run_id", Op: store.Equal, Values: []string{"7"}},
			[]store.Term{{Field: run, Op: store.Equal, Text: "7", Number: 7, IsNumber: true}}, true},
	} {
		got, err := tt.condition.Terms()
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%+v: %v, -want +got:\n%s", tt.condition, err, diff)
		}
		if tt.condition.OfRun() != tt.ofRun {
			t.Errorf("%+v is of the run: %v", tt.condition, tt.condition.OfRun())
		}
	}
	for _, c := range []store.Condition{
		{Field: "none", Op: store.Equal, Values: []string{"x"}}, {Field: "code", Op: "<", Values: []string{"x"}},
		{Field: "code", Op: store.Equal}, {Field: "ref_line", Op: store.NotEqual, Values: []string{"5", "x"}},
	} {
		if terms, err := c.Terms(); store.CodeOf(err) != store.Invalid {
			t.Errorf("%+v: %+v, %v", c, terms, err)
		}
	}
	if (store.Condition{Field: "none"}).OfRun() {
		t.Error("a field that does not exist is one of runs")
	}
}

func TestFingerprintHashes(t *testing.T) {
	got, err := store.FingerprintHashes("a_b_0000000000000001", "a_b_0000000000000002")
	if diff := cmp.Diff([]int64{1, 2}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, err := store.FingerprintHashes("a_b_0000000000000001", "x"); store.CodeOf(err) != store.Invalid {
		t.Error(err)
	}
}

func TestFilterSeparatesConditionsAndValues(t *testing.T) {
	equal := func(field string, values ...string) store.Condition {
		return store.Condition{Field: field, Op: store.Equal, Values: values}
	}
	for s, want := range map[string][]store.Condition{
		"code=a,tool_name=b":   {equal("code", "a"), equal("tool_name", "b")},
		"code=a,tool_name~b":   {equal("code", "a"), {Field: "tool_name", Op: store.Contains, Values: []string{"b"}}},
		"code=a,tool_name!=b":  {equal("code", "a"), {Field: "tool_name", Op: store.NotEqual, Values: []string{"b"}}},
		"code=a,tool_name":     {equal("code", "a", "tool_name")},
		"code=a,nope=b":        {equal("code", "a", "nope=b")},
		"code=a,":              {equal("code", "a")},
		`code="a\b\"` + `\\"`:  {equal("code", `a\b"\`)},
		`code="a" tool_name=b`: {equal("code", "a"), equal("tool_name", "b")},
		"code= tool_name=b":    {equal("code", ""), equal("tool_name", "b")},
	} {
		got, err := store.ParseFilter(s)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, -want +got:\n%s", s, err, diff)
		}
	}
	for s, says := range map[string]string{
		"some words": `filter: "some" has no operator (=, != or ~)`,
		" some":      `filter: "some" has no operator (=, != or ~)`,
		`code="\`:    `filter: a quote is not closed: "\`,
	} {
		if _, err := store.ParseFilter(s); message(err) != says {
			t.Errorf("%q: %v, want %s", s, err, says)
		}
	}
}
