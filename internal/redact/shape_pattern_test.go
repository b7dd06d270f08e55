package redact

import (
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// syntaxShape compiles a pattern as the package regexp/syntax reads it.
func syntaxShape(t *testing.T, pattern string) *shape {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	s := &shape{to: -1}
	addSyntax(t, s, re)
	if s.to < 0 {
		s.from, s.to = 0, len(s.parts)
	}
	return s
}

func addSyntax(t *testing.T, s *shape, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			addSyntax(t, s, sub)
		}
	case syntax.OpCapture:
		s.from = len(s.parts)
		addSyntax(t, s, re.Sub[0])
		s.to = len(s.parts)
	case syntax.OpWordBoundary:
		s.boundary[min(1, len(s.parts))] = true
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			s.parts = append(s.parts, part{syntaxClass(re, r), 1, 1})
		}
	case syntax.OpCharClass:
		s.parts = append(s.parts, part{syntaxClass(re, 0), 1, 1})
	case syntax.OpQuest:
		s.parts = append(s.parts, part{syntaxClass(re.Sub[0], 0), 0, 1})
	case syntax.OpRepeat:
		limit := re.Max
		if limit < 0 {
			limit = longestToken
		}
		s.parts = append(s.parts, part{syntaxClass(re.Sub[0], 0), int32(re.Min), int32(limit)})
	default:
		t.Fatalf("%s is not in the subset", re)
	}
}

// syntaxClass returns the bytes that match a character class, or one character of a literal. The parameter literal is
// that character, or 0 for the first character.
func syntaxClass(re *syntax.Regexp, literal rune) *class {
	c := new(class)
	if re.Op == syntax.OpLiteral {
		if literal == 0 {
			literal = re.Rune[0]
		}
		c[byte(literal)] = true
		if lower := literal | 0x20; re.Flags&syntax.FoldCase != 0 && 'a' <= lower && lower <= 'z' {
			c[byte(lower)], c[byte(lower&^0x20)] = true, true
		}
		return c
	}
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= min(re.Rune[i+1], 0xff); r++ {
			c[byte(r)] = true
		}
	}
	return c
}

func TestPatternsAreReadAsRegularExpressions(t *testing.T) {
	t.Parallel()
	patterns := []string{`a`, `\ba{3}\b`, `(?i:ab-1)c`, `x(y[^a-c\]\\]{2,5}z?)w`, `[\w%-]{4,}`, `[^\s"']{1,2}==?`, `\[\{\}\.`,
		`[a\n\t-]`, "\\bA::(?i:k)[0-9A-Za-z]{0,3}\\b"}
	for _, s := range slices.Concat(shapes, boundedTokens, framedForms) {
		patterns = append(patterns, s.pattern)
	}
	var r patternReader // shapes share classes
	for _, p := range patterns {
		got, want := r.compile("test", p), syntaxShape(t, p)
		if got.boundary != want.boundary || got.from != want.from || got.to != want.to || len(got.parts) != len(want.parts) {
			t.Errorf("%s: got %+v, want %+v", p, got, want)
			continue
		}
		for i, part := range got.parts {
			if w := want.parts[i]; part.min != w.min || part.max != w.max || *part.class != *w.class {
				t.Errorf("%s: part %d is {%d,%d} of %q, want {%d,%d} of %q", p, i, part.min, part.max, text(part.class),
					w.min, w.max, text(w.class))
			}
		}
	}
}

// text returns the bytes of a class.
func text(c *class) string {
	var b strings.Builder
	for i, in := range c {
		if in {
			b.WriteByte(byte(i))
		}
	}
	return b.String()
}

func TestOtherPatternsAreRefused(t *testing.T) {
	t.Parallel()
	for _, p := range []string{`a+`, `a*`, `a|b`, `.`, `^a`, `a$`, `\d`, `[\d]`, `(?i:[a-z])`, `a{x}`, `(?:a)`, `a{1,99999}`, `[b-a]`} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was accepted", p)
				}
			}()
			compileShape("test", p)
		}()
	}
}
