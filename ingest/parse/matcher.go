package parse

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/blq-ci/blq/store"
)

// ProblemMatcher is a GitHub problem matcher from a JSON file. ReadMatchers checks it.
type ProblemMatcher struct {
	Owner    string           `json:"owner"`
	Severity string           `json:"severity"` // if the pattern gives none: error (default), warning or notice
	FromPath string           `json:"fromPath"` // a project file; file names are relative to its directory
	Pattern  []MatcherPattern `json:"pattern"`
}

// MatcherPattern matches one line of a problem. The numbers are indexes of groups of the regular expression. 0 means
// that there is no such group.
type MatcherPattern struct {
	Regexp   string `json:"regexp"`
	File     int    `json:"file"`
	FromPath int    `json:"fromPath"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity int    `json:"severity"`
	Code     int    `json:"code"`
	Message  int    `json:"message"`
	// Loop lets the pattern match any number of lines. It must be the last pattern.
	Loop bool `json:"loop"`

	re *regexp.Regexp
}

// ReadMatchers reads a file of GitHub problem matchers. An error in a matcher names the matcher, and usually the field.
func ReadMatchers(data []byte) ([]ProblemMatcher, error) {
	var file struct {
		ProblemMatcher []ProblemMatcher `json:"problemMatcher"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("problem matcher: %w", err)
	}
	if len(file.ProblemMatcher) == 0 {
		return nil, fmt.Errorf("problem matcher: the file has no problemMatcher list")
	}
	for i := range file.ProblemMatcher {
		if err := file.ProblemMatcher[i].check(i); err != nil {
			return nil, err
		}
	}
	return file.ProblemMatcher, nil
}

func (m *ProblemMatcher) check(i int) error {
	if m.Owner == "" {
		return fmt.Errorf("problem matcher %d: owner is missing", i+1)
	}
	switch strings.ToLower(m.Severity) {
	case "", "error", "warning", "notice":
	default:
		return fmt.Errorf("problem matcher %q: severity %q is none of error, warning, notice", m.Owner, m.Severity)
	}
	if len(m.Pattern) == 0 {
		return fmt.Errorf("problem matcher %q: pattern is missing", m.Owner)
	}
	message := false
	for j := range m.Pattern {
		p := &m.Pattern[j]
		if err := p.compile(); err != nil {
			return fmt.Errorf("problem matcher %q: pattern[%d].%w", m.Owner, j, err)
		}
		if p.Loop && j != len(m.Pattern)-1 {
			return fmt.Errorf("problem matcher %q: pattern[%d].loop: only the last pattern may loop", m.Owner, j)
		}
		if p.Loop && len(m.Pattern) == 1 {
			return fmt.Errorf("problem matcher %q: pattern[%d].loop: a matcher of one pattern cannot loop", m.Owner, j)
		}
		message = message || p.Message > 0
	}
	if last := m.Pattern[len(m.Pattern)-1]; last.Loop && last.Message == 0 {
		return fmt.Errorf("problem matcher %q: pattern[%d].message: a pattern that loops must have one", m.Owner,
			len(m.Pattern)-1)
	}
	if !message {
		return fmt.Errorf("problem matcher %q: no pattern has a message", m.Owner)
	}
	return nil
}

func (p *MatcherPattern) compile() error {
	if p.Regexp == "" {
		return fmt.Errorf("regexp: it is missing")
	}
	expr, err := translateRegexp(p.Regexp)
	if err != nil {
		return fmt.Errorf("regexp: %w", err)
	}
	if p.re, err = regexp.Compile(expr); err != nil {
		return fmt.Errorf("regexp: %w", err)
	}
	for _, g := range []struct {
		name  string
		group int
	}{{"file", p.File}, {"fromPath", p.FromPath}, {"line", p.Line}, {"column", p.Column}, {"severity",
		p.Severity}, {"code", p.Code}, {"message", p.Message}} {
		if g.group < 0 || g.group > p.re.NumSubexp() {
			return fmt.Errorf("%s: group %d, but the regexp has %d groups", g.name, g.group, p.re.NumSubexp())
		}
	}
	return nil
}

// translateRegexp translates a .NET regular expression to RE2. It fails for lookaround, backreferences and \G, because
// RE2 has none of them.
func translateRegexp(expr string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(expr); {
		rest := expr[i:]
		switch {
		case strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!") || strings.HasPrefix(rest, "(?<=") ||
			strings.HasPrefix(rest, "(?<!"):
			return "", fmt.Errorf("lookaround at %q cannot be used here: write the expression without it", excerpt(rest, 20))
		case strings.HasPrefix(rest, "(?>"): // atomic group: RE2 never backtracks
			b.WriteString("(?:")
			i += 3
		case strings.HasPrefix(rest, `(?'`):
			end := strings.Index(rest[3:], "'")
			if end < 0 {
				return "", fmt.Errorf("a group's name has no end at %q", excerpt(rest, 20))
			}
			b.WriteString("(?P<" + rest[3:3+end] + ">")
			i += end + 4
		case rest[0] == '\\' && len(rest) > 1:
			text, err := translateEscape(rest)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			i += 2
		default:
			b.WriteByte(rest[0])
			i++
		}
	}
	return b.String(), nil
}

// translateEscape translates the two-byte escape at the start of rest.
func translateEscape(rest string) (string, error) {
	switch c := rest[1]; c {
	case '1', '2', '3', '4', '5', '6', '7', '8', '9', 'k':
		return "", fmt.Errorf("the reference back at %q cannot be used here", excerpt(rest, 20))
	case 'Z':
		return `\z`, nil
	case 'e':
		return `\x1b`, nil
	case 'G':
		return "", fmt.Errorf(`\G cannot be used here`)
	case '\'', '"', '/', '<', '>', '=', '!', ':', ',', ';', '#', ' ', '@', '%', '&', '~', '`', '-', '_':
		return regexp.QuoteMeta(string(c)), nil
	}
	return rest[:2], nil
}

func excerpt(s string, n int) string { return s[:min(len(s), n)] }

// matcherFormats returns one format for all problem matchers of the user, or no format if there are none.
func matcherFormats(list []ProblemMatcher) []Format {
	if len(list) == 0 {
		return nil
	}
	f := Format{Name: "matcher", About: "problem matchers given by the user"}
	for i := range list {
		literal := requiredLiteral(list[i].Pattern[0].re.String())
		if len(literal) < 3 {
			f.every = true
			f.Triggers = nil
			break
		}
		f.Triggers = append(f.Triggers, literal)
	}
	f.Match = func(s *Scan, l Line) bool {
		for i := range list {
			if list[i].match(s, l) {
				return true
			}
		}
		return false
	}
	return []Format{f}
}

// requiredLiteral returns a text that every match of a regular expression contains. It is the longest literal that is
// case-sensitive and outside of optional parts and alternatives. requiredLiteral returns "" if there is none.
func requiredLiteral(expr string) string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return ""
	}
	return longestLiteral(re.Simplify())
}

func longestLiteral(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return ""
		}
		return string(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return longestLiteral(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return longestLiteral(re.Sub[0])
		}
	case syntax.OpConcat:
		longest := ""
		for _, sub := range re.Sub {
			if lit := longestLiteral(sub); len(lit) > len(longest) {
				longest = lit
			}
		}
		return longest
	}
	return ""
}

// match tries the first pattern on l. If the matcher has more patterns, match opens a block that tries them on the next
// lines.
func (m *ProblemMatcher) match(s *Scan, l Line) bool {
	found := m.Pattern[0].re.FindStringSubmatch(l.Text)
	if found == nil {
		return false
	}
	d := m.draft(l)
	m.Pattern[0].fill(d, found)
	if len(m.Pattern) == 1 {
		s.Add(*d)
		return true
	}
	next := 1
	s.Block(func(l Line) Verdict {
		p := &m.Pattern[next]
		found := p.re.FindStringSubmatch(l.Text)
		if found == nil {
			return Done
		}
		if p.Loop {
			looped := *d
			looped.LogLine, looped.LogLineEnd = l.N, l.N
			p.fill(&looped, found)
			s.Add(looped)
			return Take
		}
		p.fill(d, found)
		d.Extend(l)
		if next++; next < len(m.Pattern) {
			return Take
		}
		s.Add(*d)
		return Last
	})
	return true
}

func (m *ProblemMatcher) draft(l Line) *Draft {
	d := &Draft{Event: store.Event{Tool: m.Owner, Category: store.CategoryLint, LogLine: l.N, LogLineEnd: l.N}}
	d.Severity = SeverityOf(m.Severity, store.SeverityError)
	if m.FromPath != "" {
		d.Dir = path.Dir(Slash(m.FromPath))
	}
	return d
}

// fill copies the groups that a pattern captured into the draft.
func (p *MatcherPattern) fill(d *Draft, found []string) {
	e := &d.Event
	text := func(group int, into *string) {
		if group > 0 && found[group] != "" {
			*into = strings.TrimSpace(found[group])
		}
	}
	text(p.File, &e.File)
	text(p.Code, &e.Code)
	text(p.Message, &e.Message)
	if p.FromPath > 0 && found[p.FromPath] != "" {
		d.Dir = path.Dir(Slash(found[p.FromPath]))
	}
	if p.Line > 0 {
		e.Line, _ = Number(found[p.Line])
	}
	if p.Column > 0 {
		e.Column, _ = Number(found[p.Column])
	}
	if p.Severity > 0 && found[p.Severity] != "" {
		e.Severity = SeverityOf(found[p.Severity], store.SeverityError)
	}
}
