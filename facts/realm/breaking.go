package realm

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// breaksOf returns how a schema breaks those who read what an earlier one describes, in the order of the schema: a
// property is gone or may be missing, a type has changed, a value of an enumeration is gone. What was added or widened
// breaks nobody. Nothing is said of what is not understood; whole reports whether all of the rest was compared.
func breaksOf(before, after json.RawMessage) (breaks []string, whole bool) {
	var from, to any
	switch {
	case before == nil || json.Unmarshal(before, &from) != nil:
		return nil, true
	case after == nil:
		return []string{"the schema was removed"}, true
	case json.Unmarshal(after, &to) != nil:
		return nil, true
	}
	d := &difference{from: from, to: to, seen: map[[2]string]bool{}}
	old, _ := from.(map[string]any)
	d.alone[0] = isDraft7(old)
	now, _ := to.(map[string]any)
	d.alone[1] = isDraft7(now)
	d.schemas(part{from, ""}, part{to, ""}, nil)
	return d.breaks, !d.cut
}

// maxBreaks is the max number of breaks that are listed, maxPairs that of schemas that are compared, maxWork that of
// what is read in them.
const (
	maxBreaks = 100
	maxPairs  = 50_000
	maxWork   = 500_000
	maxDeep   = 200 // of properties in properties
)

// difference compares two schemas.
type difference struct {
	from, to any
	seen     map[[2]string]bool // pairs of pointers that are compared
	breaks   []string
	work     int
	cut      bool    // there was too much to compare
	alone    [2]bool // nothing counts beside $ref, in from and in to
}

// spend counts work, and reports whether there may be more.
func (d *difference) spend(n int) bool {
	d.work += n
	d.cut = d.cut || d.work > maxWork
	return !d.cut
}

// add notes a break at a path of properties.
func (d *difference) add(path []string, format string, args ...any) {
	if len(d.breaks) == maxBreaks {
		return
	}
	where := "the schema"
	if len(path) > 0 {
		where = "'" + strings.Join(path, ".") + "'"
	}
	d.breaks = append(d.breaks, where+" "+fmt.Sprintf(format, args...))
}

// schemas compares two schemas that describe the value at a path.
func (d *difference) schemas(before, after part, path []string) {
	before, after = d.follow(true, before), d.follow(false, after)
	pair := [2]string{before.pointer, after.pointer}
	if d.seen[pair] || d.cut {
		return
	}
	if len(d.seen) == maxPairs || len(path) > maxDeep {
		d.cut = true
		return
	}
	d.seen[pair] = true
	old, now := d.flat(true, before), d.flat(false, after)
	if now.never && !old.never {
		d.add(path, "allows no value any more")
		return
	}
	d.types(old, now, path)
	d.enums(old, now, path)
	d.properties(old, now, path)
	for _, pattern := range slices.Sorted(maps.Keys(old.patterns)) {
		child := append(slices.Clone(path), "/"+pattern+"/")
		if now.patterns[pattern] == nil {
			d.add(child, "was removed")
		}
		d.each(old.patterns[pattern], now.patterns[pattern], child)
	}
	if more := old.one["additionalProperties"]; len(more) > 0 && more[0].schema != true {
		d.each(more, now.one["additionalProperties"], append(slices.Clone(path), "*"))
	}
	d.items(old, now, path)
	for _, word := range []string{"then", "else"} {
		d.each(old.one[word], now.one[word], path)
	}
	for _, word := range eitherOf {
		d.alternatives(old.either[word], now.either[word], path)
	}
}

// each compares schemas with those that stand for them now, if there are any.
func (d *difference) each(before, after []part, path []string) {
	for i := range before {
		if len(after) > 0 {
			d.schemas(before[i], after[min(i, len(after)-1)], path)
		}
	}
}

func (d *difference) types(old, now flatSchema, path []string) {
	before, after := d.typesOf(true, old, 0), d.typesOf(false, now, 0)
	if len(before) > 0 && len(after) > 0 && !includes(before, after) && !includes(after, before) {
		d.add(path, "changed its type from %s to %s", strings.Join(before, " or "), strings.Join(after, " or "))
	}
}

// includes reports whether types include others. Integers are numbers.
func includes(types, others []string) bool {
	for _, t := range others {
		if !slices.Contains(types, t) && (t != "integer" || !slices.Contains(types, "number")) {
			return false
		}
	}
	return true
}

// enums compares the values that are listed.
func (d *difference) enums(old, now flatSchema, path []string) {
	if now.values == nil {
		return
	}
	for _, key := range old.order {
		if !now.values[key] {
			d.add(path, "may not be %s any more", key)
		}
	}
}

func (d *difference) properties(old, now flatSchema, path []string) {
	for _, name := range slices.Sorted(maps.Keys(old.properties)) {
		child := append(slices.Clone(path), name)
		if now.properties[name] == nil {
			d.add(child, "was removed")
			continue
		}
		if old.required[name] && !now.required[name] {
			d.add(child, "is not required any more")
		}
		d.each(old.properties[name], now.properties[name], child)
	}
}

// items compares the elements of arrays.
func (d *difference) items(old, now flatSchema, path []string) {
	of := append(slices.Clone(path), "[]")
	d.each(old.one["items"], now.one["items"], of)
	for i := range min(len(old.prefix), len(now.prefix)) {
		d.schemas(old.prefix[i], now.prefix[i], append(slices.Clone(path), "["+strconv.Itoa(i)+"]"))
	}
	if len(now.prefix) < len(old.prefix) {
		d.add(of, "lost positions: %d", len(old.prefix)-len(now.prefix))
	}
}

// alternatives compares lists of schemas of which one or several fit: equal ones with each other, because what they
// refer to may have changed, and the rest in its order.
func (d *difference) alternatives(before, after []part, path []string) {
	left := map[string][]part{}
	for _, p := range after {
		key := keyOf(p.schema)
		if !d.spend(1 + len(key)/8) {
			return
		}
		left[key] = append(left[key], p)
	}
	var gone, added []part
	for _, p := range before {
		key := keyOf(p.schema)
		if !d.spend(1 + len(key)/8) {
			return
		}
		if same := left[key]; len(same) > 0 {
			left[key] = same[1:]
			d.schemas(p, same[0], path)
			continue
		}
		gone = append(gone, p)
	}
	for _, p := range after {
		if same := left[keyOf(p.schema)]; len(same) > 0 && same[0].pointer == p.pointer {
			left[keyOf(p.schema)] = same[1:]
			added = append(added, p)
		}
	}
	for i := range min(len(gone), len(added)) {
		d.schemas(gone[i], added[i], path)
	}
	if n := len(gone) - len(added); n > 0 && len(after) > 0 {
		d.add(path, "lost alternatives: %d", n)
	}
}
