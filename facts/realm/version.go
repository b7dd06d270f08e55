package realm

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// semantic is a version of Semantic Versioning 2.0.0. Build metadata (+build) is ignored.
type semantic struct {
	major, minor, patch uint64
	pre                 []string // identifiers of a pre-release, none for a release
}

// maxVersion is the max number of bytes of a version. It is npm's limit.
const maxVersion = 256

// parseVersion reads a whole version: 1.2.3, 1.2.3-rc.1 or 1.2.3+build. It reports whether the text is a version.
func parseVersion(text string) (semantic, bool) {
	v, parts, ok := parsePartial(text)
	return v, ok && parts == 3
}

// parsePartial reads a version whose last numbers may be missing or wildcards (x, X, *). parts is the number of given
// numbers. ok reports whether the text is such a version.
func parsePartial(text string) (v semantic, parts int, ok bool) {
	if len(text) > maxVersion {
		return v, 0, false
	}
	text, build, built := strings.Cut(text, "+")
	text, pre, before := strings.Cut(text, "-")
	numbers := strings.Split(text, ".")
	if len(numbers) > 3 || built && !areIdentifiers(build, false) || before && !areIdentifiers(pre, true) {
		return v, 0, false
	}
	for i, number := range numbers {
		if isWildcard(number) {
			return v, parts, !built && !before && allWild(numbers[i:])
		}
		n, err := strconv.ParseUint(number, 10, 63)
		if err != nil || len(number) > 1 && number[0] == '0' || number[0] == '+' {
			return v, 0, false
		}
		*[]*uint64{&v.major, &v.minor, &v.patch}[i] = n
		parts++
	}
	if before {
		v.pre = strings.Split(pre, ".")
	}
	return v, parts, parts == 3 || !built && !before
}

func isWildcard(part string) bool { return part == "x" || part == "X" || part == "*" }

func allWild(parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !isWildcard(part) })
}

// areIdentifiers reports whether a text is a list of identifiers separated by dots. Numbers in a pre-release must not
// have leading zeros.
func areIdentifiers(text string, pre bool) bool {
	for id := range strings.SplitSeq(text, ".") {
		if id == "" || strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" ||
			pre && len(id) > 1 && id[0] == '0' && isNumber(id) {
			return false
		}
	}
	return true
}

func isNumber(id string) bool { return strings.Trim(id, "0123456789") == "" }

// compare returns -1, 0 or 1 by precedence.
func (v semantic) compare(w semantic) int {
	return cmp.Or(cmp.Compare(v.major, w.major), cmp.Compare(v.minor, w.minor), cmp.Compare(v.patch, w.patch),
		comparePre(v.pre, w.pre))
}

// comparePre compares pre-releases. A release comes after its pre-releases.
func comparePre(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(b), len(a))
	}
	for i := range min(len(a), len(b)) {
		if c := compareIdentifiers(a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// compareIdentifiers compares numbers by value. Numbers sort before texts. Numbers have no leading zeros and may be
// long.
func compareIdentifiers(a, b string) int {
	switch x, y := isNumber(a), isNumber(b); {
	case x && y:
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	case x:
		return -1
	case y:
		return 1
	}
	return strings.Compare(a, b)
}

// sameRelease reports whether two versions differ only in their pre-releases.
func (v semantic) sameRelease(w semantic) bool {
	return v.major == w.major && v.minor == w.minor && v.patch == w.patch
}

func (v semantic) String() string {
	text := fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch)
	if len(v.pre) > 0 {
		text += "-" + strings.Join(v.pre, ".")
	}
	return text
}

// raisesMajor reports whether a version may break consumers of an earlier version. It compares the major numbers, or
// before 1.0.0 the minor numbers.
func raisesMajor(from, to semantic) bool {
	return to.major > from.major || from.major == 0 && to.major == 0 && to.minor > from.minor
}
