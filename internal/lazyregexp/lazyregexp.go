// Package lazyregexp provides regular expressions for package variables. An expression is compiled at its first use,
// so programs that do not use the expression start faster. The package imports only the standard library.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a lazily compiled regular expression with methods of regexp.Regexp. It is safe for concurrent use.
type Regexp struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

// New returns an expression. The first use of an invalid expression panics, so each expression needs a test that uses
// it.
func New(expr string) *Regexp { return &Regexp{expr: expr} }

func (r *Regexp) compiled() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.expr) })
	return r.re
}

// MatchString reports whether a text contains a match.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// FindStringSubmatch returns the first match and the groups of the match. It returns nil if there is no match.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindStringIndex returns the beginning and the end of the first match. It returns nil if there is no match.
func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

// FindAllStringSubmatch returns the first n matches and their groups, or all matches if n is -1.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString returns a text with each match replaced.
func (r *Regexp) ReplaceAllString(s, by string) string { return r.compiled().ReplaceAllString(s, by) }
