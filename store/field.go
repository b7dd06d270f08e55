package store

import (
	"slices"
	"strconv"
	"strings"
)

// Field is a field of events or runs that filters can use.
type Field struct {
	Name   string // name in JSON
	Column string // column in the tables of the engines
	OfRun  bool   // the field belongs to the run
	Number bool   // values are compared as numbers
}

var filterFields = []Field{
	{Name: "severity", Column: "severity"},
	{Name: "ref_file", Column: "file"},
	{Name: "ref_line", Column: "line", Number: true},
	{Name: "ref_column", Column: "col", Number: true},
	{Name: "message", Column: "message"},
	{Name: "tool_name", Column: "tool"},
	{Name: "category", Column: "category"},
	{Name: "code", Column: "code"},
	{Name: "test_name", Column: "test"},
	{Name: "fingerprint", Column: "fingerprint"},
	{Name: "log_line", Column: "log_line", Number: true},
	{Name: "run_id", Column: "serial", OfRun: true, Number: true},
	{Name: "run_ref", Column: "ref", OfRun: true},
	{Name: "source_name", Column: "source", OfRun: true},
	{Name: "git_branch", Column: "git_branch", OfRun: true},
	{Name: "git_commit", Column: "git_commit", OfRun: true},
	{Name: "repo", Column: "repo", OfRun: true},
}

// fieldNamed returns the field with the given name. Invalid: filters have no such field.
func fieldNamed(name string) (Field, error) {
	i := slices.IndexFunc(filterFields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, Errorf(Invalid, "no field %q; there are %s", name, strings.Join(fieldNames(), ", "))
	}
	return filterFields[i], nil
}

func fieldNames() []string {
	var names []string
	for _, f := range filterFields {
		names = append(names, f.Name)
	}
	return names
}

// Term is the comparison of a field with one value of a Condition. Engines translate it to SQL.
type Term struct {
	Field  Field
	Op     Op
	Text   string // value for the comparison if IsNumber is false
	Number int64  // value for the comparison if IsNumber is true: a number, or the FingerprintHash of a fingerprint
	// IsNumber reports whether the comparison uses Number and not Text.
	IsNumber bool
}

// OfRun reports whether the condition uses a field of runs.
func (c Condition) OfRun() bool {
	f, err := fieldNamed(c.Field)
	return err == nil && f.OfRun
}

// Terms returns the comparisons of the condition, one for each value. For NotEqual, all comparisons must be true. For
// any other operator, at least one comparison must be true. Invalid: the field or operator is unknown, there is no
// value, or a value is not a number.
func (c Condition) Terms() ([]Term, error) {
	f, err := fieldNamed(c.Field)
	switch {
	case err != nil:
		return nil, err
	case c.Op != Equal && c.Op != NotEqual && c.Op != Contains:
		return nil, Errorf(Invalid, "no operator %q; there are =, != and ~", c.Op)
	case len(c.Values) == 0:
		return nil, Errorf(Invalid, "the condition on %s has no value", c.Field)
	}
	terms := make([]Term, len(c.Values))
	for i, v := range c.Values {
		if terms[i], err = f.term(c.Op, v); err != nil {
			return nil, err
		}
	}
	return terms, nil
}

// term returns the comparison of the field with a value. For Contains, numbers are compared as text.
func (f Field) term(op Op, v string) (Term, error) {
	t := Term{Field: f, Op: op, Text: v}
	switch {
	case op == Contains:
	case f.Number:
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return t, Errorf(Invalid, "%s is a number, not %q", f.Name, v)
		}
		t.Number, t.IsNumber = n, true
	case f.Name == "severity" && (v == "critical" || v == "fatal"):
		t.Text = string(SeverityError)
	case f.Name == "fingerprint":
		t.Number, t.IsNumber = FingerprintHash(v)
	}
	return t, nil
}

// FingerprintHashes returns the FingerprintHash of each fingerprint. Invalid: a text is not a fingerprint.
func FingerprintHashes(fingerprints ...string) ([]int64, error) {
	hashes := make([]int64, len(fingerprints))
	for i, f := range fingerprints {
		hash, ok := FingerprintHash(f)
		if !ok {
			return nil, Errorf(Invalid, "%q is not a fingerprint", f)
		}
		hashes[i] = hash
	}
	return hashes, nil
}
