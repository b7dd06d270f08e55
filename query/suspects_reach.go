package query

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/store"
)

// reached is a changed symbol that the code of an error uses.
type reached struct {
	file   string
	symbol string   // "" for what stands outside of symbols
	over   []string // names of the symbols on the way
}

// why says how a file uses the symbol.
func (r *reached) why(by string) string {
	what := r.symbol
	if what == "" {
		what = r.file
	}
	what = "changes " + what + ", which " + by + " uses"
	if n := len(r.over); n > 0 {
		what += " over " + strings.Join(r.over[max(0, n-3):], ", ")
	}
	return what
}

// These bound the search for what the code of an error uses.
const (
	maxReachSteps   = 6
	maxReachSymbols = 2000
	maxReachFiles   = 300
)

// reach follows the names that the code of an error uses to the symbols that changed: from the symbol around the error
// to those that it names in files that it imports, and so on. It compares names only, so it may see more than there is.
type reach struct {
	*inspector
	texts   map[string][]string // lines of files
	within  map[string][]int    // by line of a file, the innermost symbol around it
	seen    map[string]bool     // symbols, by file and name
	changed []map[string][]string
	found   []*reached // by change
}

// reachedText is a part of a file, with how it was reached.
type reachedText struct {
	file, body string
	over       []string
}

// reach returns the changed symbol that each change has and the code of an error uses, nil for none.
func (i *inspector) reach(ctx context.Context, e store.Event) []*reached {
	r := &reach{inspector: i, texts: map[string][]string{}, within: map[string][]int{}, seen: map[string]bool{},
		found: make([]*reached, len(i.steps))}
	if i.names == nil {
		for at := range i.steps {
			i.names = append(i.names, i.changedNames(ctx, &i.steps[at]))
		}
	}
	r.changed = i.names
	queue := r.start(ctx, e)
	for at := 0; at < len(queue) && at < maxReachSymbols && ctx.Err() == nil; at++ {
		queue = append(queue, r.follow(ctx, queue[at])...)
	}
	return r.found
}

// changedNames returns the names of the symbols that a change alters, by their files.
func (i *inspector) changedNames(ctx context.Context, c *change) map[string][]string {
	names := map[string][]string{}
	for _, f := range c.files[:min(len(c.files), maxComparedFiles)] {
		if !isCode(f) || ctx.Err() != nil {
			continue
		}
		after, _ := i.read(ctx, c.head, f) // an error says that it is not there: it was added or removed
		before, _ := i.read(ctx, c.before, f)
		names[f] = changedSymbols(f, before, after)
	}
	return names
}

// start returns the code of an error: the symbol around its line or that of its test, else the file.
func (r *reach) start(ctx context.Context, e store.Event) []reachedText {
	lines := r.lines(ctx, e.File)
	f := r.head.Index.File(e.File)
	if f == nil || lines == nil {
		return nil
	}
	for _, s := range f.Symbols {
		if e.Line >= s.Line && e.Line <= s.End && s.End > s.Line && s.Kind != code.Class {
			return []reachedText{{e.File, between(lines, s.Line, s.End), nil}}
		}
	}
	test := e.Test[strings.LastIndexAny(e.Test, "/.:> ")+1:]
	for _, s := range f.Symbols {
		if test != "" && s.Name == test {
			return []reachedText{{e.File, between(lines, s.Line, s.End), nil}}
		}
	}
	return []reachedText{{e.File, strings.Join(lines, ""), nil}}
}

// lines returns the lines of a file at the commit of the run, nil for none.
func (r *reach) lines(ctx context.Context, file string) []string {
	if lines, known := r.texts[file]; known {
		return lines
	}
	if len(r.texts) == maxReachFiles {
		return nil
	}
	var lines []string
	if text, err := r.read(ctx, r.head.sources, file); err == nil {
		lines = strings.SplitAfter(string(text), "\n")
	}
	r.texts[file] = lines
	return lines
}

func between(lines []string, from, to int) string {
	from, to = min(max(0, from-1), len(lines)), min(to, len(lines))
	if from >= to {
		return ""
	}
	return strings.Join(lines[from:to], "")
}

// follow notes the changed symbols that a text names, and returns the texts of all symbols that it names.
func (r *reach) follow(ctx context.Context, t reachedText) []reachedText {
	words := map[string]bool{}
	identifiers([]byte(t.body), func(word string) { words[word] = true })
	var next []reachedText
	for _, file := range r.accessible(t.file) {
		r.note(file, words, t.over)
		f := r.head.Index.File(file)
		if f == nil || len(t.over) == maxReachSteps {
			continue
		}
		for at, s := range f.Symbols {
			if key := file + "\n" + s.Parent + "\n" + s.Name; words[s.Name] && !r.seen[key] {
				r.seen[key] = true
				next = append(next, reachedText{file, r.own(ctx, f, at), append(slices.Clip(t.over), s.Name)})
			}
		}
	}
	return next
}

// own returns the lines of a symbol without those of the symbols in it, except of those that are called with it.
func (r *reach) own(ctx context.Context, f *code.File, symbol int) string {
	lines := r.lines(ctx, f.Path)
	within, known := r.within[f.Path]
	if !known {
		within = make([]int, len(lines))
		for at, s := range f.Symbols { // an inner symbol follows its outer one
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

// isImplicit reports whether a method is called without its name where its type is used.
func isImplicit(method, class string) bool {
	return strings.HasPrefix(method, "__") || method == "constructor" || method == "initialize" || method == "init" ||
		method == class
}

// note notes which changes alter what a text names in a file.
func (r *reach) note(file string, words map[string]bool, over []string) {
	for at, changed := range r.changed {
		if r.found[at] != nil {
			continue
		}
		for _, name := range changed[file] {
			if words[name] || name == "" {
				r.found[at] = &reached{file, name, over}
				break
			}
		}
	}
}

// accessible returns the files whose symbols a file can name: itself, those that it imports, and those of its package.
func (r *reach) accessible(file string) []string {
	f := r.head.Index.File(file)
	if f == nil {
		return nil
	}
	list := []string{file}
	add := func(files ...string) {
		for _, t := range files {
			if !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	if f.Package != "" {
		add(r.head.InFolder(path.Dir(file))...)
	}
	for _, im := range f.Imports {
		for _, t := range im.Targets {
			if dir, is := strings.CutSuffix(t, "/"); is {
				add(r.head.InFolder(dir)...)
				continue
			}
			add(t)
			if passesOn(t) {
				if through := r.head.Index.File(t); through != nil {
					for _, other := range through.Imports {
						add(other.Targets...)
					}
				}
			}
		}
	}
	return list
}

// passesOn reports whether a file usually passes on what it imports.
func passesOn(file string) bool {
	base := path.Base(file)
	stem, _, _ := strings.Cut(base, ".")
	return base == "__init__.py" || stem == "index" || base == "mod.rs" || base == "lib.rs"
}

// changedSymbols returns the names of the symbols whose lines differ in two versions of a file, sorted; "" stands for
// what is outside of symbols. Symbols that are only in the later version count if they are in a type, where they may
// replace others: nothing else can use them without a change of its own.
func changedSymbols(file string, before, after []byte) []string {
	was, is := symbolTexts(file, before), symbolTexts(file, after)
	var names []string
	for key, text := range is {
		old, known := was[key]
		if old != text && (known || !strings.HasPrefix(key, " ") || key == " ") {
			names = append(names, key[strings.LastIndexByte(key, ' ')+1:])
		}
	}
	for key := range was {
		if _, still := is[key]; !still {
			names = append(names, key[strings.LastIndexByte(key, ' ')+1:])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// symbolTexts returns the lines of the symbols of a file, by their parents and names, and under a blank the other lines
// that are neither empty, comments nor imports. A symbol that has others in it has only the lines outside of these.
func symbolTexts(file string, text []byte) map[string]string {
	scan, _ := code.ScanFile(file, text)
	lines := strings.SplitAfter(string(text), "\n")
	owner := make([]string, len(lines))
	for _, s := range scan.Symbols {
		for n := max(0, s.Line-1); n < min(s.End, len(lines)); n++ {
			owner[n] = s.Parent + " " + s.Name // an inner symbol follows its outer one
		}
	}
	for _, im := range scan.Imports {
		if n := im.Line - 1; n >= 0 && n < len(lines) && owner[n] == "" {
			lines[n] = ""
		}
	}
	texts := map[string]string{}
	for n, line := range lines {
		plain := strings.TrimSpace(line)
		if plain == "" {
			continue
		}
		key := owner[n]
		if key == "" {
			if key = " "; strings.HasPrefix(plain, "//") || strings.HasPrefix(plain, "#") ||
				strings.HasPrefix(plain, "*") || strings.HasPrefix(plain, "/*") || plain == ")" {
				continue
			}
		}
		texts[key] += line
	}
	return texts
}
