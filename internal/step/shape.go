package step

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// ofLog is the shape of an imported log with an unknown command.
const ofLog = "log"

// Unnamed is the source of a log that comes from a pipe and has no name from the user.
const Unnamed = "stdin"

// IsUnnamed reports whether a run is a log of an unknown step, because it has neither a name from the user nor a file.
// Each such run is a step of its own. So it is not compared with other runs, and other runs are not compared with it.
func IsUnnamed(r store.Run) bool { return r.Source == Unnamed && isLog(r.Command) }

// Fill sets the shape of a run without a shape. It uses the run's command, directory and work tree.
func Fill(r *store.Run) {
	if r.Shape == "" {
		r.Shape = Shape(*r, r.Command, r.Git.Root)
	}
}

// Shape returns a text that distinguishes the step of a run from other steps with the same name. The text is a digest
// of the command line, and of the directory relative to the top of the project. If the top is unknown, Shape uses the
// whole path.
//
// The digest leaves out parts of the command line that cannot change what is checked. Examples are comments, the flags
// -j8 and -v, time and nice, and names of temporary files. line is the command line of the run, or the script that
// contains it.
//
// The command of an imported log is "import FILE" or "capture". All imported logs with a name have the same shape.
func Shape(r store.Run, line, top string) string {
	switch {
	case IsUnnamed(r):
		return digest(ofLog + " " + r.Attempt)
	case isLog(line):
		return digest(ofLog)
	}
	l := Parse(line)
	shape, to := l.text, "."
	guard(func() { shape, to = l.shape(slashed(top)) })
	return digest(Within(join(slashed(r.Cwd), to), top) + "\n" + shape)
}

// isLog reports whether a command belongs to an imported log.
func isLog(command string) bool { return command == "capture" || strings.HasPrefix(command, "import ") }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Within returns a directory relative to the top of a work tree. It returns "." for the top itself. The path of a
// directory outside of the tree is only cleaned. The separators of the result are slashes.
func Within(dir, root string) string {
	dir, root = slashed(dir), slashed(root)
	if root == "" {
		return dir
	}
	if dir == root {
		return "."
	}
	if rel, ok := strings.CutPrefix(dir, strings.TrimSuffix(root, "/")+"/"); ok {
		return rel
	}
	return dir
}

func slashed(dir string) string {
	if len(dir) > 1 && dir[1] == ':' || strings.HasPrefix(dir, `\\`) {
		dir = strings.ReplaceAll(dir, `\`, "/")
	}
	if dir == "" {
		return ""
	}
	return path.Clean(dir)
}

// shape returns the text of the line without the parts that do not distinguish steps. If the line begins with cd, dir
// is the directory to which it changes.
func (l Line) shape(root string) (text, dir string) {
	if l.file == nil {
		text = strings.Join(strings.Fields(l.text), " ")
		if len(text) > maxText { // the search for variable parts would take too long
			return text, "."
		}
		return stable(text, root), "."
	}
	var e edits
	dir = "."
	if from, to, in := leading(l.file, l.text); in != "" {
		e.replace(from, to, "")
		dir = in
	}
	syntax.Walk(l.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment:
			e.replace(int(n.Pos().Offset()), int(n.End().Offset()), "")
		case *syntax.TimeClause:
			if n.Stmt != nil {
				e.replace(int(n.Pos().Offset()), int(n.Stmt.Pos().Offset()), "")
			}
		}
		return true
	})
	for _, c := range callsIn(l.file, l.text) {
		e.call(c, l.text)
	}
	var lines []string
	for line := range strings.Lines(e.apply(l.text)) {
		if line = strings.TrimRight(line, " \t\n;"); line != "" {
			lines = append(lines, line)
		}
	}
	return stable(strings.TrimSpace(strings.Join(lines, "\n")), root), dir
}

// callsIn returns the simple commands of a script, including those in functions. It leaves out commands in
// substitutions, such as $(pwd).
func callsIn(file *syntax.File, text string) []call {
	r := reader{text: text, dir: "."}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word, *syntax.Assign, *syntax.Redirect:
			return false
		case *syntax.CallExpr:
			r.call(n)
			return false
		}
		return true
	})
	return r.calls
}

// leading returns the range of "cd DIR && " at the beginning of a script, and the directory. It returns "" as the
// directory if the script begins with another command, if cd does not apply to all other commands, or if the directory
// is unknown.
func leading(file *syntax.File, text string) (from, to int, dir string) {
	if len(file.Stmts) != 1 || file.Stmts[0].Negated || file.Stmts[0].Background || len(file.Stmts[0].Redirs) > 0 {
		return 0, 0, ""
	}
	s := file.Stmts[0]
	var next *syntax.Stmt
	for {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.AndStmt || b.X.Negated || len(b.X.Redirs) > 0 {
			break
		}
		s, next = b.X, b.Y
	}
	c, ok := s.Cmd.(*syntax.CallExpr)
	if next == nil || !ok || len(c.Args) != 2 || len(c.Assigns) > 0 || valueOf(c.Args[0], text) != "cd" {
		return 0, 0, ""
	}
	dir = valueOf(c.Args[1], text)
	if !isPlain(dir) || strings.HasPrefix(dir, "-") {
		return 0, 0, ""
	}
	return int(s.Pos().Offset()), int(next.Pos().Offset()), dir
}

// edit replaces a part of a text.
type edit struct {
	from, to int
	text     string
}

type edits []edit

func (e *edits) replace(from, to int, text string) { *e = append(*e, edit{from, to, text}) }

// call replaces a simple command by those of its words that distinguish steps.
func (e *edits) call(c call, text string) {
	values := c.values()
	start := startOf(values)
	gone := map[int]bool{}
	for i := range values[:start] {
		gone[i] = true
	}
	for i := range ignored(values[start:]) {
		gone[start+i] = true
	}
	words := starters(values[:start])
	script := scriptAt(values[start:])
	for i, v := range values {
		switch raw := text[c.words[i].from:c.words[i].to]; {
		case gone[i]:
		case isLiteral(raw, v) && script > 0 && i == start+script:
			words = append(words, shellword.Quote(shapeOfScript(v)))
		case isLiteral(raw, v):
			words = append(words, shellword.Quote(v))
		default:
			words = append(words, raw)
		}
	}
	e.replace(c.words[0].from, c.words[len(values)-1].to, strings.Join(words, " "))
}

// startOf returns the position of the command after the programs that only start it. It returns 0 if the words of the
// command are not the last words of the line, as in env -S 'make test', where they are parts of one word.
func startOf(values []string) int {
	rest, _ := unwrapped(values)
	start := len(values) - len(rest)
	if start < 0 || !slices.Equal(values[start:], rest) {
		return 0
	}
	return start
}

// scriptAt returns the position of the word that is a whole script, as after bash -c or su -c. It returns 0 if there is
// no such word.
func scriptAt(words []string) int {
	if len(words) == 0 {
		return 0
	}
	if !isShell(programOf(words[0])) {
		_, at := scriptOf(words)
		return at
	}
	for i, w := range words[1:] {
		if isShort(w) && strings.HasSuffix(w, "c") && i+2 < len(words) && !strings.HasPrefix(words[i+2], "-") {
			return i + 2
		}
	}
	return 0
}

// shapeOfScript returns the text of a script without the parts that do not distinguish steps.
func shapeOfScript(script string) string {
	text, dir := Parse(script).shape("")
	if dir != "." {
		return "cd " + shellword.Quote(dir) + " && " + text
	}
	return text
}

// isLiteral reports whether a word has no expansions, so that its quotes do not matter.
func isLiteral(raw, value string) bool {
	return strings.HasPrefix(raw, "'") && strings.Count(raw, "'") == 2 && strings.HasSuffix(raw, "'") ||
		!strings.ContainsAny(raw, "$`*?[{~<>()!\\'") && !strings.ContainsAny(value, "*?[{~")
}

// apply returns the text with the edits. If edits overlap, only the outer edit is applied.
func (e edits) apply(text string) string {
	sort.SliceStable(e, func(i, j int) bool {
		if e[i].from != e[j].from {
			return e[i].from < e[j].from
		}
		return e[i].to > e[j].to
	})
	var b strings.Builder
	at := 0
	for _, one := range e {
		if one.from < at {
			continue
		}
		b.WriteString(text[at:one.from])
		b.WriteString(one.text)
		at = one.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// starters gets the words before a command, and returns those that distinguish the command's step. These are words such
// as sudo and assignments of variables, but not time, nice and their arguments.
func starters(words []string) []string {
	var kept []string
	free := false // whether the word belongs to a program that does not distinguish steps
	for _, w := range words {
		switch {
		case oneOf(programOf(w), "time nice ionice stdbuf timeout nohup unbuffer chronic"):
			free = true
			continue
		case isAssignment(w):
		default:
			if _, _, ok := wrapper(programOf(w)); ok {
				free = false
			}
		}
		if !free || isAssignment(w) {
			kept = append(kept, shellword.Quote(w))
		}
	}
	return kept
}

// volatile matches parts of a command line that differ from run to run: IDs, digests, temporary names, times. It
// matches a number with 12 digits only if the number is a time such as 202401311530. Other numbers with 12 digits are
// often AWS account IDs, which do not change.
var volatile = lazyregexp.New(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b` +
	`|\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b|\btmp\.[A-Za-z0-9]{6,}|/tmp/tmp[a-z0-9_]{8}\b|\bblq-[0-9]{5,}` +
	`|\b(?:[0-9]{9,11}|[0-9]{13,}|20[2-9][0-9][01][0-9][0-3][0-9][0-2][0-9][0-5][0-9])\b`)

// stable replaces the parts that differ from run to run, and the path of the work tree.
func stable(text, root string) string {
	if len(root) > 1 {
		text = strings.ReplaceAll(text, root+"/", "./")
	}
	return volatile.ReplaceAllString(text, "<id>")
}
