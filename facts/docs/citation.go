package docs

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// These aliases are reserved for the repository itself.
const (
	RepositoryAlias = "docs" // the repository's own documents
	CodeAlias       = "code" // the repository's own source files
)

// maxRanges is the max number of ranges in a citation.
const maxRanges = 50

// maxLineNumber is the max line number in a citation.
const maxLineNumber = 1_000_000_000

// Range is a range of lines, 1-based and inclusive.
type Range struct {
	From, To int
}

// String returns the range in the form of citations.
func (r Range) String() string {
	if r.From == r.To {
		return strconv.Itoa(r.From)
	}
	return fmt.Sprintf("%d-%d", r.From, r.To)
}

// Lines returns the range as answers show it: always with both ends.
func (r Range) Lines() string { return fmt.Sprintf("%d-%d", r.From, r.To) }

// Citation names lines:
//
//	bun:304-324  bun:100-120,130   of a source that has one document
//	docs/guide/mcp.md:10-20        of a document
//	docs@3f2c1e9/guide/mcp.md:10   of a document at a commit
//	code@3f2c1e9/src/main.c:13-17  of a source file
//	build:5:L40-L60                of a run's log
type Citation struct {
	Alias  string
	Rev    string // "" for the version at hand
	Path   string // "" for the only document of a source
	Run    store.Ref
	Ranges []Range
}

// IsLog reports whether the citation names lines of a log.
func (c Citation) IsLog() bool { return c.Alias == "" }

// String returns the citation in the form that ParseCitation reads.
func (c Citation) String() string {
	if c.IsLog() {
		run := c.Run.Run()
		run.From, run.To = c.Ranges[0].From, c.Ranges[0].To
		return run.String()
	}
	var s strings.Builder
	s.WriteString(c.Alias)
	if c.Rev != "" {
		s.WriteString("@" + revEscapes.Replace(c.Rev))
	}
	if c.Path != "" {
		s.WriteString("/" + c.Path)
	}
	for i, r := range c.Ranges {
		s.WriteByte(":,"[min(i, 1)])
		s.WriteString(r.String())
	}
	return s.String()
}

// The revision ends at a slash. A slash inside of the revision is escaped as in a URL.
var (
	revEscapes   = strings.NewReplacer("%", "%25", "/", "%2F")
	revUnescapes = strings.NewReplacer("%25", "%", "%2F", "/", "%2f", "/")
)

var (
	aliasForm = lazyregexp.New(`^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`)
	revForm   = lazyregexp.New(`^[^\s/:@\x00-\x1f]{1,200}$`)
)

// ParseCitation reads a citation. Its errors have the code BadCitation.
func ParseCitation(text string) (Citation, error) {
	s := strings.TrimSpace(text)
	at := strings.LastIndexByte(s, ':')
	if at < 1 {
		return Citation{}, badCitation(text, "it names no lines")
	}
	name, lines := s[:at], s[at+1:]
	alias, _, _ := strings.Cut(name, "/")
	alias, _, _ = strings.Cut(alias, "@")
	ours := alias == RepositoryAlias || alias == CodeAlias
	if strings.HasPrefix(lines, "L") && !ours {
		return parseLog(text, s)
	}
	c, why := parseName(name)
	if why != "" {
		return Citation{}, badCitation(text, why)
	}
	parts := strings.Split(lines, ",")
	if len(parts) > maxRanges {
		return Citation{}, badCitation(text, fmt.Sprintf("it has %d ranges, and may have %d", len(parts), maxRanges))
	}
	for _, part := range parts {
		r, why := parseRange(strings.TrimSpace(part), ours)
		if why != "" {
			return Citation{}, badCitation(text, why)
		}
		c.Ranges = append(c.Ranges, r)
	}
	return c, nil
}

func parseLog(text, s string) (Citation, error) {
	ref, err := store.ParseRef(s)
	if err != nil || ref.From == 0 || max(ref.From, ref.To) > maxLineNumber {
		return Citation{}, badCitation(text, "lines of a log are written as in build:5:L40-L60")
	}
	return Citation{Run: ref.Run(), Ranges: []Range{{ref.From, max(ref.From, ref.To)}}}, nil
}

// parseName reads alias[@rev][/path]. It also returns a description of the mistake, or "" for a valid name.
func parseName(name string) (Citation, string) {
	head, file, hasPath := strings.Cut(name, "/")
	alias, rev, hasRev := strings.Cut(head, "@")
	switch {
	case !aliasForm.MatchString(alias):
		return Citation{}, fmt.Sprintf("%s is not an alias of a source", quote(alias))
	case hasRev && !revForm.MatchString(rev):
		return Citation{}, fmt.Sprintf("%s is not a revision", quote(rev))
	case hasPath && (file == "" || file != path.Clean(file) || strings.HasPrefix(file, "/") || file == "." ||
		file == ".." || strings.HasPrefix(file, "../") || strings.ContainsFunc(file, isControl)):
		return Citation{}, fmt.Sprintf("%s is not the path of a document", quote(file))
	case alias == CodeAlias && !hasPath:
		return Citation{}, "it names no source file, as in code/src/main.c:13-17"
	}
	return Citation{Alias: alias, Rev: revUnescapes.Replace(rev), Path: file}, ""
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// parseRange reads a line or a range of lines. If letters is set, line numbers may begin with L, as in links. The
// returned text describes the mistake, or is empty.
func parseRange(s string, letters bool) (Range, string) {
	from, to, isRange := strings.Cut(s, "-")
	if letters {
		from, to = strings.TrimPrefix(from, "L"), strings.TrimPrefix(to, "L")
	}
	if !isRange {
		to = from
	}
	r := Range{}
	var ok1, ok2 bool
	r.From, ok1 = lineNumber(from)
	r.To, ok2 = lineNumber(to)
	switch {
	case !ok1 || !ok2:
		return Range{}, fmt.Sprintf("%s is not a line or a range of lines", quote(s))
	case r.From < 1:
		return Range{}, "lines are counted from 1"
	case r.To < r.From:
		return Range{}, fmt.Sprintf("%s ends before it begins", quote(s))
	}
	return r, ""
}

func lineNumber(s string) (int, bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n <= maxLineNumber
}

// quote quotes a part of a citation, and shortens a long part.
func quote(s string) string {
	const limit = 80
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return strconv.Quote(s)
}

// isFile reports whether a citation begins with a file name instead of an alias.
func isFile(text string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "/")
	first, _, _ = strings.Cut(first, ":")
	return strings.Trim(path.Ext(first), ".") != ""
}

func badCitation(text, why string) error {
	if isFile(text) {
		return hint(Errorf(BadCitation, "%s is not a citation: %s", quote(text), why),
			"write docs/ before the path of a document and code/ before that of a source file, as in docs/README.md:10-20")
	}
	return hint(Errorf(BadCitation, "%s is not a citation: %s", quote(text), why),
		"write alias:10-20, alias:10-20,30-40 or alias/path/to/page.md:10-20; log lines are build:5:L40-L60")
}
