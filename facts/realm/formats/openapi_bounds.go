//go:build !job

package formats

import (
	"encoding/json"
	"math/big"
	"strings"
)

// limits are the JSON Schema keywords that limit a value from above or from below.
var limits = []struct {
	word  string
	above bool
}{
	{"maximum", true}, {"exclusiveMaximum", true}, {"maxLength", true}, {"maxItems", true}, {"maxProperties", true},
	{"minimum", false}, {"exclusiveMinimum", false}, {"minLength", false}, {"minItems", false},
	{"minProperties", false},
}

// bound is a limit, or no limit if its field "at" is nil. An open bound does not allow the limit itself.
type bound struct {
	at   *big.Float
	open bool
}

// bound returns the limit of a keyword, combined with its exclusive form. The exclusive form is a number, or true in
// OpenAPI 3.0.
func (f flatSchema) bound(word string, above bool) bound {
	b := bound{at: numberOf(f.words[word])}
	exclusive := map[string]string{"maximum": "exclusiveMaximum", "minimum": "exclusiveMinimum"}[word]
	if exclusive == "" {
		if b.at != nil && !above && b.at.Sign() == 0 {
			b.at = nil // a lower limit of 0 allows everything
		}
		return b
	}
	b.open = b.at != nil && f.words[exclusive] == true
	other := bound{numberOf(f.words[exclusive]), true}
	if other.at != nil && tighter(b, other, above) > 0 {
		return other
	}
	return b
}

// tighter returns 1 if the new limit allows less, -1 if it allows more, and 0 if both limits are the same.
func tighter(was, is bound, above bool) int {
	switch {
	case was.at == nil && is.at == nil:
		return 0
	case was.at == nil:
		return 1
	case is.at == nil:
		return -1
	}
	order := is.at.Cmp(was.at)
	if above {
		order = -order
	}
	switch {
	case order != 0 || was.open == is.open:
		return order
	case is.open:
		return 1
	}
	return -1
}

// bounds compares limits. Requests may not allow less than before, and responses may not allow more.
func (c apiCompared) bounds() {
	for _, l := range limits {
		if strings.HasPrefix(l.word, "exclusive") {
			continue
		}
		was, is := c.was.bound(l.word, l.above), c.is.bound(l.word, l.above)
		if order := tighter(was, is, l.above); order > 0 && c.dir == request || order < 0 && c.dir == response {
			c.say(Breaking, "limit-changed", "has another %s: %s, not %s", l.word, is, was)
		}
	}
	c.multiples()
	c.patterns()
	switch {
	case c.dir == request && c.is.words["uniqueItems"] == true && c.was.words["uniqueItems"] != true:
		c.say(Breaking, "limit-changed", "may not have equal items any more")
	case c.dir == response && c.was.words["uniqueItems"] == true && c.is.words["uniqueItems"] != true:
		c.say(Breaking, "limit-changed", "may have equal items now")
	}
}

// multiples compares multipleOf.
func (c apiCompared) multiples() {
	was, is := numberOf(c.was.words["multipleOf"]), numberOf(c.is.words["multipleOf"])
	less, more := is, was // every value that fits more must fit less
	if c.dir == response {
		less, more = was, is
	}
	if less != nil && (more == nil || !isMultiple(more, less)) {
		c.say(Breaking, "limit-changed", "has another multipleOf: %s, not %s", bound{at: is}, bound{at: was})
	}
}

// isMultiple reports whether a number is a multiple of another number.
func isMultiple(n, of *big.Float) bool {
	return of.Sign() != 0 && new(big.Float).Quo(n, of).IsInt()
}

func (c apiCompared) patterns() {
	was, is := text(c.was.words["pattern"]), text(c.is.words["pattern"])
	switch {
	case was == is:
	case c.dir == response:
		if was != "" {
			c.say(Dangerous, "pattern-changed", "need not match its pattern any more")
		}
	case is == "":
	case was == "":
		c.say(Breaking, "pattern-added", "has to match a pattern now")
	default:
		c.say(Dangerous, "pattern-changed", "has to match another pattern")
	}
}

func numberOf(v any) *big.Float {
	n, ok := v.(json.Number)
	if !ok || len(n) > 40 {
		return nil
	}
	f, _, err := big.ParseFloat(n.String(), 10, 200, big.ToNearestEven)
	if err != nil {
		return nil
	}
	return f
}

// String returns the limit in a message.
func (b bound) String() string {
	switch {
	case b.at == nil:
		return "none"
	case b.open:
		return b.at.Text('g', 20) + " itself excluded"
	}
	return b.at.Text('g', 20)
}
