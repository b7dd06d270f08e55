package realm

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// requirement is a range of versions in the syntax of Cargo and npm. It allows the comparisons =, >, >=, <, <=, ^ and
// ~, the wildcards x and *, and ranges such as 1.2.0 - 1.4.0. A comma or space means and; || means or. A bare version
// means ^.
type requirement [][]span

// span is a range of versions with one lower and one upper end.
type span struct {
	from, to   semantic
	after      bool      // from itself is excluded
	through    bool      // to itself is included
	open       bool      // the span has no upper end
	prerelease *semantic // the pre-release that the range names, nil for none
}

// operators are the comparisons of a range. The operator "" is for a version without a comparison.
var operators = []string{"", "=", ">", ">=", "<", "<=", "^", "~"}

// maxRequirement is the max length of a range in bytes.
const maxRequirement = 512

// parseRequirement reads a range of versions.
func parseRequirement(text string) (requirement, error) {
	var r requirement
	for part := range strings.SplitSeq(text, "||") {
		all, ok := parseSpans(part)
		if !ok || len(text) > maxRequirement {
			return nil, fmt.Errorf("%.100q is not a range of versions, such as >=1.0.0, <2.0.0", text)
		}
		r = append(r, all)
	}
	return r, nil
}

// parseSpans reads comparisons that must all hold. ok is false if a comparison is invalid, or if there is none.
func parseSpans(text string) (all []span, ok bool) {
	operator, between, hyphens := "", false, 0
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' || unicode.IsSpace(c) }) {
		version := strings.TrimLeft(word, "<>=^~")
		operator += word[:len(word)-len(version)]
		switch {
		case version == "": // the word >= of ">= 1.2.0"
			continue
		case word == "-": // the word - of "1.2.0 - 1.4.0"
			if hyphens++; len(all) != 1 || hyphens > 1 || operator != "" {
				return nil, false
			}
			between = true
			continue
		case between && operator != "":
			return nil, false
		case between:
			all[len(all)-1].open = true // the start of a hyphen range means >=, not ^
			operator = "<="
		}
		s, ok := parseSpan(operator, version)
		if !ok {
			return nil, false
		}
		all = append(all, s)
		operator, between = "", false
	}
	return all, len(all) > 0 && operator == "" && !between
}

// parseSpan reads one comparison, and reports whether it is valid.
func parseSpan(operator, text string) (span, bool) {
	v, parts, ok := parsePartial(strings.TrimPrefix(text, "v"))
	if !ok {
		return span{}, false
	}
	s := span{from: v}
	if len(v.pre) > 0 {
		s.prerelease = &v
	}
	numbers, _, _ := strings.Cut(text, "-") // without the pre-release, which may have the letter x
	numbers, _, _ = strings.Cut(numbers, "+")
	wild := strings.ContainsAny(numbers, "xX*")
	switch {
	case parts == 0: // no version is higher or lower than all versions
		s.open = operator != ">" && operator != "<"
		return s, slices.Contains(operators, operator)
	case operator == "=" && parts == 3:
		s.to, s.through = v, true
	case operator == "=" || operator == "" && wild || operator == "~":
		s.to = next(v, min(parts, 2)).first()
	case operator == "" || operator == "^":
		s.to = compatible(v, parts).first()
	case operator == ">" && parts == 3:
		s.after, s.open = true, true
	case operator == ">":
		s.from, s.open = next(v, parts), true
	case operator == ">=":
		s.open = true
	case (operator == "<" || operator == "<=") && parts == 3:
		s.from, s.to, s.through = semantic{}.first(), v, operator == "<="
	case operator == "<":
		s.from, s.to = semantic{}.first(), v.first()
	case operator == "<=":
		s.from, s.to = semantic{}.first(), next(v, parts).first()
	default:
		return span{}, false
	}
	return s, true
}

// next returns the first version with a higher number at a position. Position 1 is the major number.
func next(v semantic, position int) semantic {
	switch position {
	case 1:
		return semantic{major: v.major + 1}
	case 2:
		return semantic{major: v.major, minor: v.minor + 1}
	}
	return semantic{major: v.major, minor: v.minor, patch: v.patch + 1}
}

// first returns the first pre-release of a release.
func (v semantic) first() semantic {
	v.pre = []string{"0"}
	return v
}

// compatible returns the lowest later version that is not compatible with v. The parameter parts is how many numbers of
// v were written. compatible raises the first of these that is not zero, or the last of these if all are zero.
func compatible(v semantic, parts int) semantic {
	switch {
	case v.major > 0 || parts == 1:
		return next(v, 1)
	case v.minor > 0 || parts == 2:
		return next(v, 2)
	}
	return next(v, 3)
}

// fulfils reports whether a version is in the range. A pre-release is only in a range that names a pre-release of the
// same version.
func (r requirement) fulfils(v semantic) bool {
	for _, all := range r {
		named, in := len(v.pre) == 0, true
		for _, s := range all {
			named = named || s.prerelease != nil && s.prerelease.sameRelease(v)
			in = in && s.has(v)
		}
		if named && in {
			return true
		}
	}
	return false
}

func (s span) has(v semantic) bool {
	from := v.compare(s.from)
	if from < 0 || from == 0 && s.after {
		return false
	}
	to := v.compare(s.to)
	return s.open || to < 0 || to == 0 && s.through
}
