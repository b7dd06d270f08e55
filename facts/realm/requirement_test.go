package realm

import (
	"slices"
	"strings"
	"testing"
)

func version(t *testing.T, text string) semantic {
	t.Helper()
	v, ok := parseVersion(text)
	if !ok {
		t.Fatalf("%q is no version", text)
	}
	return v
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	// from semver.org, with numbers too long for a machine word
	sorted := strings.Fields(
		"0.0.0-0 0.9.9 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.99999999999999999999 1.0.0-alpha.beta 1.0.0-beta " +
			"1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.1.0 2.0.0 10.0.0")
	shuffled := slices.Clone(sorted)
	slices.Sort(shuffled)
	slices.SortFunc(shuffled, func(a, b string) int { return version(t, a).compare(version(t, b)) })
	if !slices.Equal(shuffled, sorted) {
		t.Error(shuffled)
	}
	if version(t, "1.0.0+a").compare(version(t, "1.0.0+b")) != 0 {
		t.Error("builds differ")
	}
}

func TestVersionsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range strings.Split(
		"|1|1.2|1.2.3.4|v1.2.3|01.2.3|1.02.3|1.2.3-|1.2.3-01|1.2.3+|1.2.3-a..b|1.2.3-ü|1.2.x|-1.2.3|"+
			"+1.2.3|1.2.3 |1..3|99999999999999999999.0.0", "|") {
		if v, ok := parseVersion(text); ok {
			t.Errorf("%q is read as %s", text, v)
		}
	}
	for _, text := range []string{"1.2.3-0a", "1.2.3--", "1.0.0-a.0.b+001.x"} {
		version(t, text)
	}
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, yes, no string }{
		{">=1.0.0, <2.0.0", "1.0.0 1.9.9", "0.9.9 2.0.0 2.0.0-rc.1 1.5.0-beta"},
		{">=1.0.0 <2.0.0", "1.0.0 1.9.9", "2.0.0"},
		{">= 1.0.0", "1.0.0 3.0.0", "0.1.0"},
		{"1.2.0", "1.2.0 1.9.0", "1.1.9 2.0.0"},
		{"1.2", "1.2.0 1.9.0", "1.1.9 2.0.0"},
		{"1", "1.0.0 1.9.0", "0.9.0 2.0.0"},
		{"0.2.3", "0.2.3 0.2.9", "0.3.0 0.2.2 1.0.0"},
		{"0.0.3", "0.0.3", "0.0.4 0.1.0"},
		{"=1.2.0", "1.2.0 1.2.0+build", "1.2.1"},
		{"^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0"},
		{"~1.2.3", "1.2.3 1.2.9", "1.3.0"},
		{"~1", "1.0.0 1.9.0", "2.0.0"},
		{"1.x", "1.0.0 1.9.9", "2.0.0"},
		{"1.2.*", "1.2.0 1.2.9", "1.3.0"},
		{"*", "0.0.1 9.0.0", "1.0.0-alpha"},
		{"^*", "0.0.1 9.0.0", "1.0.0-alpha"},
		{"~x", "0.0.1 9.0.0", "1.0.0-alpha"},
		{"<=*", "0.0.0 9.0.0", "1.0.0-alpha"},
		{">*", "", "0.0.0 9.0.0 1.0.0-alpha"},
		{"<x", "", "0.0.0 9.0.0 0.0.0-0"},
		{"1.0.0 || 3.0.0", "1.5.0 3.1.0", "2.0.0"},
		{">1.0.0", "1.0.1", "1.0.0"},
		{"<=1.0.0", "1.0.0 0.1.0", "1.0.1"},
		{"1.2.0 - 1.4.0", "1.2.0 1.4.0", "1.1.0 1.4.1"},
		{">=1.2.0-rc.1", "1.2.0-rc.1 1.2.0-rc.2 1.2.0 1.3.0", "1.2.0-beta 1.3.0-rc.1"},
		{"1.0.0-alpha", "1.0.0-alpha 1.0.0-beta 1.0.0 1.4.0", "1.1.0-alpha 2.0.0"},
		// an x in a pre-release or in the build is no wildcard
		{"1.2.0-next.1", "1.2.0-next.1 1.2.0 1.9.0", "1.2.0-next.0 2.0.0"},
		{"1.2.0+x", "1.2.0 1.9.0", "2.0.0"},
		// the ends of ^1.2, ~1.2, <2 and <=1.2 exclude the pre-releases of the next version; <2.0.0 does not
		{"^1.2, >=2.0.0-alpha", "", "2.0.0-alpha 2.0.0-beta 2.0.0 1.9.0"},
		{"~1.2, >=1.3.0-alpha", "", "1.3.0-beta"},
		{"<2, >=2.0.0-alpha", "", "2.0.0-beta"},
		{"<=1.2, >=1.3.0-alpha", "", "1.3.0-beta"},
		{"<2.0.0, >=2.0.0-alpha", "2.0.0-beta", "2.0.0"},
	} {
		r, err := parseRequirement(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for _, v := range strings.Fields(c.yes) {
			if !r.fulfils(version(t, v)) {
				t.Errorf("%s refuses %s", c.text, v)
			}
		}
		for _, v := range strings.Fields(c.no) {
			if r.fulfils(version(t, v)) {
				t.Errorf("%s takes %s", c.text, v)
			}
		}
	}
	for _, text := range []string{"", "newest", ">=", "1.2.3.4", "||", "1.0.0 ||", ">=a", "- 1.0.0",
		"1.0.0 - 2.0.0 - 3.0.0", "1.0.0 1.1.0 - 2.0.0",
		strings.Repeat("1.0.0,", 1000)} {
		if _, err := parseRequirement(text); err == nil {
			t.Errorf("%.20q is read", text)
		}
	}
}
