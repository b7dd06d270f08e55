package realm

import (
	"maps"
	"slices"
)

// alone returns the first list of alternatives of a schema, and its keyword. It returns nil if the other schema has
// such lists, too.
func (f flatSchema) alone(other flatSchema) (list []part, word string) {
	for _, word := range eitherOf {
		if len(other.either) == 0 && len(f.either[word]) > 0 {
			return f.either[word], word
		}
	}
	return nil, ""
}

// without returns a schema without the list of alternatives under a keyword.
func (d *difference) without(earlier bool, p part, word string) flatSchema {
	f := d.flat(earlier, p)
	delete(f.either, word)
	return f
}

// with returns a schema merged with one of its alternatives.
func (d *difference) with(earlier bool, f flatSchema, alternative part) flatSchema {
	if !d.spend(1 + len(f.properties) + len(f.patterns) + len(f.required)) {
		return f
	}
	f = f.clone()
	d.into(&f, earlier, alternative, map[string]bool{})
	return f
}

// clone returns a copy to which schemas can be added.
func (f flatSchema) clone() flatSchema {
	for _, by := range []*map[string][]part{&f.properties, &f.patterns, &f.one, &f.either} {
		all := make(map[string][]part, len(*by))
		for name, list := range *by {
			all[name] = slices.Clip(list)
		}
		*by = all
	}
	f.required, f.unread = maps.Clone(f.required), maps.Clone(f.unread)
	return f
}

// differ reports whether two schemas have no type in common.
func (d *difference) differ(old, now flatSchema) bool {
	before, after := d.typesOf(true, old, 0), d.typesOf(false, now, 0)
	return len(before) > 0 && len(after) > 0 && len(common(before, after)) == 0
}

// once reports whether a schema has not been compared with an alternative yet. It reports false if there are too many
// comparisons.
func (d *difference) once(before, after part) bool {
	pair := [2]string{"either " + before.pointer, after.pointer}
	if len(d.seen) == maxPairs {
		d.cut = true
	}
	if d.cut || d.seen[pair] {
		return false
	}
	d.seen[pair] = true
	return true
}

// becameSeveral compares a schema with the alternatives that replaced it. Alternatives of other types only widen the
// type. Listed values are not compared here; enums compares them.
func (d *difference) becameSeveral(before, after part, word string, list []part, old flatSchema, path []string) {
	old.values, old.order = nil, nil
	base := d.without(false, after, word)
	for _, p := range list {
		if now := d.with(false, base, p); d.once(before, p) && !d.differ(old, now) {
			d.compare(before, p, old, now, path)
		}
	}
}

// becameOne compares alternatives with the one schema that replaced them. The schema has to fit at least one of them.
func (d *difference) becameOne(before, after part, word string, list []part, now flatSchema, path []string) {
	now.values = nil
	breaks, first := slices.Clip(d.breaks), []string(nil)
	base := d.without(true, before, word)
	for _, p := range list {
		old := d.with(true, base, p)
		if !d.once(p, after) || d.differ(old, now) {
			continue
		}
		d.breaks = breaks
		seen := d.seen
		if !d.spend(1 + len(seen)/8) {
			return
		}
		d.seen = make(map[[2]string]bool, len(seen))
		for pair := range seen {
			d.seen[pair] = true
		}
		d.compare(p, after, old, now, path)
		if len(d.breaks) == len(breaks) {
			return
		}
		if first == nil {
			first = d.breaks
		}
		d.seen = seen
	}
	if first != nil {
		d.breaks = first
	}
}
