package store

import (
	"fmt"
	"strconv"
	"strings"
)

// Ref names a run, an event of a run, or lines of a run's log:
//
//	build:5  5          a run
//	build:5:3  5:3      its third event
//	build:5:L40-L60     lines of its log
//	build  build:latest the newest run of a source
//	latest              the newest run of all
//	~1  build:~1        the run before the newest
//	a UUID              the run with that attempt ID
//	owner/name@build:5  the same in another repository
type Ref struct {
	Repo    string // "" for the current repository
	Source  string // "" for any source
	Serial  int    // 0 if Back selects the run
	Back    int    // if Serial is 0: number of runs back from the newest run
	Attempt string // UUID; other fields are empty
	Event   int    // 0 for the run itself
	From    int    // first log line, 0 for none
	To      int    // last log line, inclusive
}

// IsEvent reports whether the ref names an event.
func (r Ref) IsEvent() bool { return r.Event > 0 }

// Run returns the ref of the run alone.
func (r Ref) Run() Ref {
	r.Event, r.From, r.To = 0, 0, 0
	return r
}

// WithEvent returns the ref of an event of the run.
func (r Ref) WithEvent(n int) Ref {
	r = r.Run()
	r.Event = n
	return r
}

// String returns the ref in the form that ParseRef reads.
func (r Ref) String() string {
	var b strings.Builder
	if r.Repo != "" {
		b.WriteString(r.Repo + "@")
	}
	switch {
	case r.Attempt != "":
		b.WriteString(r.Attempt)
	case r.Serial > 0 && r.Source != "":
		fmt.Fprintf(&b, "%s:%d", r.Source, r.Serial)
	case r.Serial > 0:
		fmt.Fprint(&b, r.Serial)
	default:
		if r.Source != "" {
			b.WriteString(r.Source + ":")
		}
		if r.Back > 0 {
			fmt.Fprintf(&b, "~%d", r.Back)
		} else {
			b.WriteString("latest")
		}
	}
	switch {
	case r.Event > 0:
		fmt.Fprintf(&b, ":%d", r.Event)
	case r.From > 0 && r.To > r.From:
		fmt.Fprintf(&b, ":L%d-L%d", r.From, r.To)
	case r.From > 0:
		fmt.Fprintf(&b, ":L%d", r.From)
	}
	return b.String()
}

// Short returns the reference without its source, as answers show it: 5:3. On a server, where each repository has its
// own serials, it returns owner/name@5:3.
func (r Ref) Short() string {
	r.Source = ""
	return r.String()
}

// ParseRef reads a ref. Its errors have the code Invalid.
func ParseRef(s string) (Ref, error) {
	var r Ref
	rest := strings.TrimSpace(s)
	if repo, after, ok := strings.Cut(rest, "@"); ok {
		if !IsRepoName(repo) {
			return Ref{}, badRef(s)
		}
		r.Repo, rest = repo, after
	}
	if uuidLen(rest) == 36 {
		r.Attempt = strings.ToLower(rest[:36])
		rest = strings.TrimPrefix(rest[36:], ":")
		if rest == "" {
			return r, nil
		}
		if !r.part(rest) {
			return Ref{}, badRef(s)
		}
		return r, nil
	}
	parts := strings.Split(rest, ":")
	if !r.run(&parts) || len(parts) > 1 || len(parts) == 1 && !r.part(parts[0]) {
		return Ref{}, badRef(s)
	}
	return r, nil
}

func badRef(s string) error {
	return Next(Errorf(Invalid, "%q is not a reference", s),
		NewCall("history", "a run is build:5, 5, build or latest; an event is build:5:3; log lines are build:5:L40-L60"))
}

// run parses the source and the number of the run, and removes them from the parameter parts. It returns false if they
// are not valid.
func (r *Ref) run(parts *[]string) bool {
	p := *parts
	if IsSourceName(p[0]) && p[0] != "latest" {
		r.Source, p = p[0], p[1:]
		if len(p) == 0 {
			*parts = nil
			return true
		}
		if p[0] != "" && p[0][0] == 'L' { // build:L3 means lines of the newest run
			*parts = p
			return true
		}
	}
	ok := true
	switch {
	case p[0] == "latest":
	case strings.HasPrefix(p[0], "~"):
		r.Back, ok = positive(p[0][1:])
		if p[0] == "~0" {
			ok = true
		}
	default:
		r.Serial, ok = positive(p[0])
	}
	*parts = p[1:]
	return ok
}

// part parses an event number or a range of log lines. It returns false if the text is neither of them.
func (r *Ref) part(s string) bool {
	from, isLine := strings.CutPrefix(s, "L")
	if !isLine {
		var ok bool
		r.Event, ok = positive(s)
		return ok
	}
	from, to, isRange := strings.Cut(from, "-")
	var ok bool
	if r.From, ok = positive(from); !ok {
		return false
	}
	r.To = r.From
	if isRange {
		r.To, ok = positive(strings.TrimPrefix(to, "L"))
	}
	return ok && r.To >= r.From
}

func positive(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0 && s[0] != '+'
}

// IsSourceName reports whether s can be the name of a source. Such a name has at most 100 bytes. It consists of
// letters, digits and the characters ._/+- and has at least one letter or underscore. All characters outside of ASCII
// count as letters.
func IsSourceName(s string) bool {
	if s == "" || len(s) > 100 || strings.HasPrefix(s, "~") {
		return false
	}
	letter := false
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80:
			letter = true
		case c >= '0' && c <= '9' || strings.IndexByte("._/+-", c) >= 0:
		default:
			return false
		}
	}
	return letter
}

// IsRepoName reports whether s has the form owner/name. The name may have slashes.
func IsRepoName(s string) bool {
	owner, name, ok := strings.Cut(s, "/")
	return ok && owner != "" && name != "" && !strings.ContainsAny(s, "@: \t") && !strings.Contains(name, "//")
}

// NameSource converts a step's name to a name that IsSourceName accepts: "Build & test" becomes Build-test. It returns
// "" for "".
func NameSource(given string) string {
	if given == "" || IsSourceName(given) && given != "latest" {
		return given
	}
	name := SourceName(strings.Join(strings.Fields(given), "-"))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	return name
}

// SourceName converts any text, such as a program's path, to a name that IsSourceName accepts.
func SourceName(s string) string {
	s = strings.TrimSuffix(s[strings.LastIndexAny(s, `/\`)+1:], ".exe")
	var b strings.Builder
	for _, c := range []byte(s) {
		if c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' ||
			c == '-' || c == '+' {
			b.WriteByte(c)
		} else {
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), "-.")
	if len(name) > 100 {
		name = name[:100]
	}
	if !IsSourceName(name) || name == "latest" {
		return "run"
	}
	return name
}
