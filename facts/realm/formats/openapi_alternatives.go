//go:build !job

package formats

import (
	"maps"
	"slices"
)

// maxNested is the max depth of nested schemas.
const maxNested = 500

// alternatives compares two schemas. At least one of them has a list of alternatives, oneOf or anyOf. The keywords
// beside a list apply to each alternative, so each alternative is compared together with these keywords.
func (c apiCompared) alternatives() {
	several, many := len(c.was.either) > 0, len(c.is.either) > 0
	for _, f := range []flatSchema{c.was, c.is} {
		if len(f.either) > 0 { // an alternative may refer back to the schema that lists it
			first := &f.either[0][0]
			d := c.apiDiff
			d.open[first] = true
			defer delete(d.open, first)
		}
	}
	switch {
	case several && many:
		c.lists(c.was.either[0], c.is.either[0])
	case many:
		c.becameSeveral(c.is.either[0])
	default:
		c.becameOne(c.was.either[0])
	}
}

// becameSeveral compares a schema with the alternatives that replaced it.
func (c apiCompared) becameSeveral(list []any) {
	if c.dir == request { // a written value has to fit one of the alternatives
		var pairs [][2]any
		for _, v := range list {
			pairs = append(pairs, [2]any{c.before, c.is.with(v)})
		}
		c.best(pairs)
		return
	}
	c.say(Breaking, "alternatives-added", "may be one of several now")
	for _, v := range list {
		if !c.spend(1 + len(c.is.words) + len(c.is.properties)) {
			return
		}
		c.schemas(c.where, c.path, c.before, c.is.with(v), c.dir)
	}
}

// becameOne compares alternatives with the schema that replaced these alternatives.
func (c apiCompared) becameOne(list []any) {
	if c.dir == response { // a read value has to fit one of the alternatives
		var pairs [][2]any
		for _, v := range list {
			pairs = append(pairs, [2]any{c.was.with(v), c.now})
		}
		c.best(pairs)
		return
	}
	c.say(Breaking, "alternatives-removed", "may be one of several no more")
	for _, v := range list {
		if !c.spend(1 + len(c.was.words) + len(c.was.properties)) {
			return
		}
		c.schemas(c.where, c.path, c.was.with(v), c.now, c.dir)
	}
}

// best compares pairs until a pair has no breaking changes, and adds the changes of that pair. If all pairs have
// breaking changes, best adds the changes of the first pair.
func (c apiCompared) best(pairs [][2]any) {
	found, seen := c.list, c.seen
	var first *list
	var firstSeen map[apiPair]bool
	for _, pair := range pairs {
		if !c.spend(1 + len(seen)/8 + len(c.was.words) + len(c.was.properties)) {
			break
		}
		c.list, c.seen = &list{}, maps.Clone(seen)
		c.schemas(c.where, c.path, pair[0], pair[1], c.dir)
		if first == nil || c.count[Breaking] == 0 {
			first, firstSeen = c.list, c.seen
		}
		if c.count[Breaking] == 0 {
			break
		}
	}
	c.list, c.seen = found, seen
	if first == nil {
		return
	}
	c.seen = firstSeen
	for _, change := range first.changes {
		c.add(change.Level, change.Rule, "%s", change.Text)
	}
}

// lists compares two lists of alternatives. Equal alternatives are compared with each other, and the remaining
// alternatives in order.
func (c apiCompared) lists(was, is []any) {
	before, now := keysOf(was), keysOf(is)
	for _, keys := range []map[string]bool{before, now} {
		for key := range keys {
			if !c.spend(1 + len(key)/8) {
				return
			}
		}
	}
	rest := func(list []any, others map[string]bool) []any {
		return slices.DeleteFunc(slices.Clone(list), func(v any) bool { return others[keyOf(v)] })
	}
	pair := func(v, w any) {
		if c.spend(1 + len(c.was.words) + len(c.was.properties) + len(c.is.words) + len(c.is.properties)) {
			c.schemas(c.where, c.path, c.was.with(v), c.is.with(w), c.dir)
		}
	}
	for _, v := range was { // references in equal alternatives may have changed
		if now[keyOf(v)] {
			pair(v, v)
		}
	}
	gone, added := rest(was, now), rest(is, before)
	for i := range min(len(gone), len(added)) {
		pair(gone[i], added[i])
	}
	switch n := len(gone) - len(added); {
	case n > 0 && c.dir == request:
		c.say(Breaking, "alternatives-removed", "lost alternatives: %d", n)
	case n < 0 && c.dir == response:
		c.say(Breaking, "alternatives-added", "has more alternatives: %d", -n)
	}
}
