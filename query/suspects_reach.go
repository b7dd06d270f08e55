package query

import (
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/store"
)

// reached is a changed symbol that the code of an error uses.
type reached struct {
	file   string
	symbol string // "" for code outside symbols
	how    alteration
	over   []string // names of the symbols between the error's code and the changed symbol
}

// why returns a text about the alteration of the symbol. user is the file that uses the symbol.
func (r *reached) why(user string) string {
	what := r.symbol
	if what == "" {
		what = r.file
	}
	what = r.how.verb() + " " + what + ", which " + user + " uses"
	if n := len(r.over); n > 0 {
		what += " over " + strings.Join(r.over[max(0, n-3):], ", ")
	}
	return what
}

// verb returns a verb that describes the alteration.
func (a alteration) verb() string {
	switch a {
	case reworded:
		return "rewords"
	case addition:
		return "adds"
	case extended:
		return "adds to"
	}
	return "changes"
}

// These limits bound the search for symbols that the code of an error uses.
const (
	maxReachSteps   = 6
	maxReachSymbols = 2000
	maxReachFiles   = 300
)

// reach follows names from the code of an error to changed symbols. It begins with the symbol around the error. It
// continues with the symbols in imported files that this code names, then with the symbols that their code names, and
// so on. It compares only names, so it may also find symbols that the code does not use.
type reach struct {
	*inspector
	within map[string][]int // innermost symbol of each line, by file
	seen   map[string]bool  // visited symbols, by file and name
	found  []*reached       // reached symbols, by change
	open   []string         // files with types whose values the code may hold
	isOpen map[string]bool
}

// reachedText is a part of a file that the search has reached. It has the names of the symbols through which the
// search came to this part.
type reachedText struct {
	file, body string
	over       []string
}

// reach returns a list with an item for each change: the changed symbol that the code of an error uses, or nil if it
// uses none.
func (i *inspector) reach(ctx context.Context, e store.Event) []*reached {
	i.compare(ctx, e.File)
	r := &reach{inspector: i, within: map[string][]int{}, seen: map[string]bool{}, isOpen: map[string]bool{},
		found: make([]*reached, len(i.steps))}
	queue := r.start(ctx, e)
	for at := 0; at < len(queue) && at < maxReachSymbols && ctx.Err() == nil; at++ {
		queue = append(queue, r.follow(ctx, queue[at])...)
	}
	return r.found
}

// around returns the name of the symbol around an error. If there is none, it returns the name of the symbol of the
// error's test. ok is false if there is neither.
func (i *inspector) around(ctx context.Context, e store.Event) (ok bool, name string) {
	if s := i.symbolOf(ctx, e); s != nil {
		return true, s.Name
	}
	return false, ""
}

// symbolOf returns the symbol around the line of an error, but no class or module. If there is none, it returns the
// symbol with the name of the error's test, or nil.
func (i *inspector) symbolOf(ctx context.Context, e store.Event) *code.Symbol {
	f := i.head.Index.File(e.File)
	if f == nil || i.lines(ctx, e.File) == nil {
		return nil
	}
	for at, s := range f.Symbols {
		if e.Line >= s.Line && e.Line <= s.End && s.End > s.Line && s.Kind != code.Class && s.Kind != code.Module {
			return &f.Symbols[at]
		}
	}
	test := e.Test[strings.LastIndexAny(e.Test, "/.:> ")+1:]
	for at, s := range f.Symbols {
		if test != "" && s.Name == test {
			return &f.Symbols[at]
		}
	}
	return nil
}

// start returns the code of an error: the symbol around the error's line, or the symbol of the error's test. If there
// is no such symbol, it returns the whole file.
func (r *reach) start(ctx context.Context, e store.Event) []reachedText {
	lines := r.lines(ctx, e.File)
	if r.head.Index.File(e.File) == nil || lines == nil {
		return nil
	}
	if s := r.symbolOf(ctx, e); s != nil {
		return []reachedText{{e.File, between(lines, s.Line, s.End), nil}}
	}
	return []reachedText{{e.File, strings.Join(lines, ""), nil}}
}

// lines returns the lines of a file at the run's commit. It returns nil if the file cannot be read, or if maxReachFiles
// files have been read.
func (i *inspector) lines(ctx context.Context, file string) []string {
	if lines, known := i.texts[file]; known {
		return lines
	}
	if len(i.texts) == maxReachFiles {
		return nil
	}
	var lines []string
	if text, err := i.read(ctx, i.head.sources, file); err == nil {
		lines = strings.SplitAfter(string(text), "\n")
	}
	i.texts[file] = lines
	return lines
}

// accessible returns the files whose symbols a file can name.
func (i *inspector) accessible(ctx context.Context, file string) []string {
	return i.near.accessible(file, func(f string) []string { return i.lines(ctx, f) })
}

func between(lines []string, from, to int) string {
	from, to = min(max(0, from-1), len(lines)), min(to, len(lines))
	if from >= to {
		return ""
	}
	return strings.Join(lines[from:to], "")
}

// follow records the changed symbols that a text names. It returns the texts of all named symbols that were not visited
// before. If the text uses a value from other code, it may also name the members of this value.
func (r *reach) follow(ctx context.Context, t reachedText) []reachedText {
	words := map[string]bool{}
	identifiers([]byte(t.body), func(word string) { words[word] = true })
	files := r.accessible(ctx, t.file)
	direct := map[string]bool{}
	var next []reachedText
	for _, file := range files {
		direct[file] = true
		next = append(next, r.name(ctx, t, file, words)...)
	}
	members := map[string]bool{}
	for word := range words {
		if strings.Contains(t.body, "."+word) || strings.Contains(t.body, "->"+word) {
			members[word] = true
		}
	}
	for _, file := range r.open {
		if !direct[file] && len(members) > 0 {
			next = append(next, r.name(ctx, t, file, members)...)
		}
	}
	for _, file := range files {
		if !r.isOpen[file] && len(r.open) < maxReachFiles {
			r.isOpen[file] = true
			r.open = append(r.open, file)
		}
	}
	return next
}

// name finds the symbols of a file by name: the symbol's name must be in the map words. It records the found symbols
// that were changed, and returns the texts of the found symbols that were not visited before.
func (r *reach) name(ctx context.Context, t reachedText, file string, words map[string]bool) (next []reachedText) {
	r.note(file, words, t.over)
	f := r.head.Index.File(file)
	if f == nil || len(t.over) == maxReachSteps {
		return nil
	}
	for at, s := range f.Symbols {
		if key := file + "\n" + s.Parent + "\n" + s.Name; words[s.Name] && !r.seen[key] {
			r.seen[key] = true
			next = append(next, reachedText{file, r.own(ctx, f, at), append(slices.Clip(t.over), s.Name)})
		}
	}
	return next
}

// own returns the lines of a symbol without the lines of its inner symbols. It includes inner symbols that run when
// the symbol is used, such as constructors.
func (r *reach) own(ctx context.Context, f *code.File, symbol int) string {
	lines := r.lines(ctx, f.Path)
	within, known := r.within[f.Path]
	if !known {
		within = make([]int, len(lines))
		for at, s := range f.Symbols { // an inner symbol comes after its outer symbol
			for n := max(0, s.Line-1); n < min(s.End, len(lines)); n++ {
				within[n] = at + 1
			}
		}
		r.within[f.Path] = within
	}
	var b strings.Builder
	s := f.Symbols[symbol]
	for n := max(0, s.Line-1); n < min(s.End, len(lines)); n++ {
		if inner := within[n] - 1; inner == symbol || isImplicit(f.Symbols[inner].Name, s.Name) {
			b.WriteString(lines[n])
		}
	}
	return b.String()
}

// isImplicit reports whether a use of a type calls a method of the type without naming the method.
func isImplicit(method, class string) bool {
	return strings.HasPrefix(method, "__") || method == "constructor" || method == "initialize" || method == "init" ||
		method == class
}

// note records altered symbols of a file whose names are in the map words. It also records altered code outside of
// symbols. For each change of the file, it keeps only the symbol that was altered most. If two symbols are equally
// altered, it keeps the symbol that is nearer to the error.
func (r *reach) note(file string, words map[string]bool, over []string) {
	for _, at := range r.altering[file] {
		for name, how := range r.steps[at].of[file].symbols {
			have := r.found[at]
			if !words[name] && name != "" || have != nil && (how < have.how || how == have.how &&
				(have.file != file || len(have.over) < len(over) || have.symbol <= name)) {
				continue
			}
			r.found[at] = &reached{file, name, how, over}
		}
	}
}
