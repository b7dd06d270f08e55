package workflowfile

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/internal/yamlfile"
)

// leg has the values of a matrix leg, in GitHub's order.
type leg []value

type value struct {
	key  string
	json string
	text []string // texts that GitHub shows; for a list or mapping the texts of its parts
}

// maxLegs is GitHub's max number of legs in a matrix.
const maxLegs = 256

// maxKeys is the max number of keys in a matrix. It is also the max number of keys in an entry of include or exclude,
// and in a leg.
const maxKeys = 100

// legsOf returns the legs of a matrix. If there is no matrix, it returns one leg without values. The second result is
// false if only GitHub can compute the legs, or if there are too many keys or legs. In this case the first result is
// one leg without values.
func legsOf(matrix yamlfile.Value) ([]leg, bool) {
	if matrix.IsZero() {
		return []leg{nil}, true
	}
	if !matrix.IsMapping() || len(matrix.Members()) > maxKeys {
		return []leg{nil}, false
	}
	legs := []leg{nil}
	for _, m := range matrix.Members() {
		if m.Key == "include" || m.Key == "exclude" {
			continue
		}
		values, ok := valuesOf(m)
		if !ok || len(legs)*len(values) > maxLegs {
			return []leg{nil}, false
		}
		var next []leg
		for _, l := range legs {
			for _, v := range values {
				next = append(next, append(l[:len(l):len(l)], v))
			}
		}
		legs = next
	}
	legs, ok := without(legs, matrix.Get("exclude"))
	if ok {
		legs, ok = with(legs, matrix.Get("include"))
	}
	if !ok {
		return []leg{nil}, false
	}
	return legs, true
}

// valuesOf returns the values of a key in a matrix. The second result is false if only GitHub can compute the values,
// or if there are none.
func valuesOf(m yamlfile.Member) ([]value, bool) {
	var list []value
	for _, v := range m.List() {
		one, ok := valueOf(m.Key, v)
		if !ok {
			return nil, false
		}
		list = append(list, one)
	}
	return list, len(list) > 0
}

func valueOf(key string, v yamlfile.Value) (value, bool) {
	text, err := v.JSON()
	if err != nil || strings.Contains(string(text), "${{") {
		return value{}, false
	}
	return value{key, string(text), shown(v)}, true
}

// shown returns the texts that GitHub shows for a value.
func shown(v yamlfile.Value) (list []string) {
	switch {
	case v.IsMapping():
		for _, m := range v.Members() {
			list = append(list, shown(m.Value)...)
		}
		return list
	case len(v.List()) != 1 || v.List()[0] != v:
		for _, e := range v.List() {
			list = append(list, shown(e)...)
		}
		return list
	}
	text, err := v.JSON()
	if err != nil {
		return nil
	}
	var s string
	if json.Unmarshal(text, &s) == nil {
		return []string{s}
	}
	return []string{string(text)}
}

// has compares the values of the keys that a leg and an entry both have. It reports whether all these values are equal,
// and whether there are such keys. Without such keys, the first result is true.
func (l leg) has(entry []value) (all, some bool) {
	all = true
	for _, want := range entry {
		for _, v := range l {
			if v.key == want.key {
				some = true
				all = all && v.json == want.json
			}
		}
	}
	return all, some
}

func (l leg) hasKey(key string) bool {
	for _, v := range l {
		if v.key == key {
			return true
		}
	}
	return false
}

// entries returns the entries of include or exclude. ok is false if only GitHub can compute the entries, or if there
// are too many entries or keys.
func entries(v yamlfile.Value) (list [][]value, ok bool) {
	all := v.List()
	if len(all) > maxLegs {
		return nil, false
	}
	for _, e := range all {
		if !e.IsMapping() || len(e.Members()) > maxKeys {
			return nil, false
		}
		var entry []value
		for _, m := range e.Members() {
			one, ok := valueOf(m.Key, m.Value)
			if !ok {
				return nil, false
			}
			entry = append(entry, one)
		}
		list = append(list, entry)
	}
	return list, true
}

// without returns the legs that exclude does not name. The second result is false if only GitHub can compute these
// legs.
func without(legs []leg, exclude yamlfile.Value) ([]leg, bool) {
	list, ok := entries(exclude)
	if !ok {
		return nil, false
	}
	var kept []leg
	for _, l := range legs {
		out := false
		for _, e := range list {
			all, some := l.has(e)
			for _, want := range e {
				all = all && l.hasKey(want.key)
			}
			out = out || all && some
		}
		if !out {
			kept = append(kept, l)
		}
	}
	return kept, true
}

// with adds the entries of include. If an entry matches legs, its other values are added to these legs. If not, it
// becomes a separate leg. The second result is false if only GitHub can compute the entries, if there are too many
// entries or keys, or if there are no legs. See
// https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstrategymatrixinclude.
func with(legs []leg, include yamlfile.Value) ([]leg, bool) {
	list, ok := entries(include)
	if !ok {
		return nil, false
	}
	if len(legs) == 1 && len(legs[0]) == 0 { // the matrix has only include
		legs = nil
	}
	original := len(legs)
	first := make([]leg, original) // without the values of entries, because later entries may overwrite these values
	copy(first, legs)
	for _, e := range list {
		taken := false
		for i := range original {
			if all, _ := first[i].has(e); all {
				taken = true
				if legs[i] = legs[i].and(e); len(legs[i]) > maxKeys {
					return nil, false
				}
			}
		}
		if !taken && len(legs) < maxLegs {
			legs = append(legs, leg(e))
		}
	}
	return legs, len(legs) > 0
}

// and returns a copy of a leg with the values of an entry.
func (l leg) and(entry []value) leg {
	l = append(leg(nil), l...)
	for _, e := range entry {
		at := -1
		for i := range l {
			if l[i].key == e.key {
				at = i
			}
		}
		if at >= 0 {
			l[at] = e
		} else {
			l = append(l, e)
		}
	}
	return l
}

// json returns the values in the form of GitHub's toJSON(matrix). It returns "" for a leg without values.
func (l leg) json() string {
	if len(l) == 0 {
		return ""
	}
	var b strings.Builder
	for i, v := range l {
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0] + strconv.Quote(v.key) + ":" + v.json)
	}
	return b.String() + "}"
}

// value returns the value of an expression such as matrix.os or matrix.node.version, as text. The second result is
// false if the leg has no such value, or if GitHub does not show the value as one text. It is also false if a value
// inside of a mapping is not a string.
func (l leg) value(name string) (string, bool) {
	path, ok := strings.CutPrefix(name, "matrix.")
	if !ok {
		return "", false
	}
	key, rest, deep := strings.Cut(path, ".")
	for _, v := range l {
		if v.key != key {
			continue
		}
		if !deep {
			return strings.Join(v.text, ""), len(v.text) == 1
		}
		of := map[string]json.RawMessage{}
		if json.Unmarshal([]byte(v.json), &of) != nil {
			return "", false
		}
		return scalar(of[rest])
	}
	return "", false
}

// scalar returns a string, a number or a boolean as an expression of GitHub shows it. It reports whether the value is
// one of these.
func scalar(value json.RawMessage) (text string, ok bool) {
	if json.Unmarshal(value, &text) == nil {
		return text, string(value) != "null"
	}
	return string(value), len(value) > 0 && value[0] != '{' && value[0] != '['
}

// names reports whether GitHub may show a job of this leg under a name. template is the job's name in the file. If
// template is "", GitHub shows the job's ID. static is false if only GitHub can compute the matrix. In this case any
// values may follow the name.
func (l leg) names(template, id, name string, static bool) bool {
	if template == "" {
		template = id
	}
	if strings.Contains(template, "${{") {
		return l.fits(template, name)
	}
	if len(l) > 0 {
		var texts []string
		for _, v := range l {
			texts = append(texts, v.text...)
		}
		template += " (" + strings.Join(texts, ", ") + ")"
		return template == name
	}
	return template == name || !static && strings.HasPrefix(name, template+" (") && strings.HasSuffix(name, ")")
}
