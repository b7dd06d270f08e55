package realm

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// breaksOf returns at most maxBreaks changes of a schema that break its readers. Breaks are removed properties,
// properties that may now be missing, changed types, removed enumeration values, and similar changes. Their order is
// fixed, and sorts properties by name. Additions and wider types are not breaks. Keywords that are not supported are
// left out. unknown gives the reason for an incomplete comparison, "" for a complete comparison.
func breaksOf(before, after json.RawMessage) (breaks []string, unknown string) {
	var from, to any
	switch {
	case before == nil || json.Unmarshal(before, &from) != nil:
		return nil, ""
	case after == nil:
		return []string{"the schema was removed"}, ""
	case json.Unmarshal(after, &to) != nil:
		return nil, ""
	}
	d := &difference{from: newDocument(from), to: newDocument(to), seen: map[[2]string]bool{}}
	old, _ := from.(map[string]any)
	d.alone[0] = isDraft7(old)
	now, _ := to.(map[string]any)
	d.alone[1] = isDraft7(now)
	d.schemas(part{from, ""}, part{to, ""}, nil)
	switch {
	case d.cut:
		unknown = "the schema is too large to be compared in full"
	case d.lost != "":
		unknown = "the schema is not compared in full: " + d.lost
	case d.unread != "":
		unknown = "the schema has another " + d.unread + ", and what that means is not compared"
	}
	return d.breaks, unknown
}

// These constants limit the comparison. maxBreaks limits the listed breaks, maxPairs the compared pairs of schemas, and
// maxWork the values that are read in these schemas.
const (
	maxBreaks = 100
	maxPairs  = 50_000
	maxWork   = 500_000
	maxDeep   = 200 // depth of properties
)

// difference compares two schemas.
type difference struct {
	from, to document
	seen     map[[2]string]bool // compared pairs of JSON pointers
	breaks   []string
	work     int
	cut      bool    // the schemas are too large to be compared completely
	unread   string  // a changed keyword that is not compared
	lost     string  // why a reference was not followed, "" if all were followed
	alone    [2]bool // whether keywords beside $ref are ignored, in the earlier and in the later document
}

// spend adds to the work done, and reports whether the work is still below its limit.
func (d *difference) spend(n int) bool {
	d.work += n
	d.cut = d.cut || d.work > maxWork
	return !d.cut
}

// add records a break at a path of properties.
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

// schemas compares two schemas of the value at a path.
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
	d.compare(before, after, d.flat(true, before), d.flat(false, after), path)
}

// compare compares two schemas, together with the schemas that they refer to.
func (d *difference) compare(before, after part, old, now flatSchema, path []string) {
	if now.never && !old.never {
		d.add(path, "allows no value any more")
		return
	}
	d.types(old, now, path)
	d.enums(old, now, path)
	for word, said := range old.unread {
		if now.unread[word] != said {
			d.unread = max(d.unread, word)
		}
	}
	for word := range now.unread {
		if old.unread[word] == "" {
			d.unread = max(d.unread, word)
		}
	}
	if list, word := now.alone(old); list != nil {
		d.becameSeveral(before, after, word, list, old, path)
		return
	}
	if list, word := old.alone(now); list != nil {
		d.becameOne(before, after, word, list, now, path)
		return
	}
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
		for _, p := range old.one[word] {
			if now.one[word] == nil && d.once(p, after) {
				was, is := d.flat(true, p), now
				is.unread = was.unread
				d.compare(p, after, was, is, path)
			}
		}
	}
	if from, _ := old.alone(flatSchema{}); from != nil && len(old.either)+len(now.either) == 2 {
		to, _ := now.alone(flatSchema{}) // anyOf may have become oneOf
		d.alternatives(from, to, path)
		return
	}
	for _, word := range eitherOf {
		d.alternatives(old.either[word], now.either[word], path)
	}
}

// each compares each earlier schema with the later schema at the same position. If there are fewer later schemas, the
// last of them is used.
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

// includes reports whether the first list of types contains all types of the second list. The type number contains
// integer.
func includes(types, others []string) bool {
	for _, t := range others {
		if !slices.Contains(types, t) && (t != "integer" || !slices.Contains(types, "number")) {
			return false
		}
	}
	return true
}

// enums compares the listed values.
func (d *difference) enums(old, now flatSchema, path []string) {
	values, order := d.valuesOf(true, old, 0)
	is, listed := d.valuesOf(false, now, 0)
	if values == nil || listed == nil {
		return
	}
	for _, key := range order {
		if !is[key] {
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
	var lost []string
	for name := range old.required {
		if old.properties[name] == nil && !now.required[name] {
			lost = append(lost, name)
		}
	}
	sort.Strings(lost)
	for _, name := range lost {
		d.add(append(slices.Clone(path), name), "is not required any more")
	}
}

// items compares the elements of arrays.
func (d *difference) items(old, now flatSchema, path []string) {
	of := append(slices.Clone(path), "[]")
	d.each(old.one["items"], now.one["items"], of)
	for i := len(old.prefix); i < len(now.prefix); i++ {
		d.each(old.one["items"], now.prefix[i:i+1], append(slices.Clone(path), "["+strconv.Itoa(i)+"]"))
	}
	for i := range min(len(old.prefix), len(now.prefix)) {
		d.schemas(old.prefix[i], now.prefix[i], append(slices.Clone(path), "["+strconv.Itoa(i)+"]"))
	}
	if len(now.prefix) < len(old.prefix) {
		d.add(of, "lost positions: %d", len(old.prefix)-len(now.prefix))
	}
}

// alternatives compares two lists of anyOf or oneOf. Equal schemas are compared with each other, because the schemas to
// which they refer may differ. The remaining schemas are compared in order.
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
