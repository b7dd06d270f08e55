package graph

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/store"
)

// Violation is a place where the architecture breaks a rule.
type Violation struct {
	Rule        string `json:"rule"`
	Severity    string `json:"severity" jsonschema:"error or warn"`
	Type        string `json:"rule_type"`
	File        string `json:"file_path,omitempty"`
	Line        int    `json:"line_number,omitempty"`
	From        string `json:"from_ref_id,omitempty"`
	To          string `json:"to_ref_id,omitempty"`
	Message     string `json:"message"`
	Fingerprint string `json:"fingerprint" jsonschema:"identity at other commits, without lines"`

	// More is the number of further violations of the rule that are not listed. Only the last listed violation of a
	// rule has this number.
	More int `json:"-"`

	plain  string // the message without the rule's description and without More
	reason string // the description of the rule
	cycle  []Edge // the edges of a cycle
}

// AtEdge returns the violation at the first edge of its cycle that has a file and for which the given function returns
// true. If there is no such edge, the violation stays at its place.
func (v Violation) AtEdge(is func(Edge) bool) Violation {
	for _, e := range v.cycle {
		if is(e) && e.File != "" {
			v.File, v.Line = e.File, e.Line
			break
		}
	}
	return v
}

// Reason returns the description of the rule, or "" if there is none.
func (v Violation) Reason() string { return v.reason }

// maxViolations is the max number of listed violations of a rule. The last listed violation has the number of further
// violations.
const maxViolations = 10_000

// Lint returns the violations of rules, sorted by rule, file and line. docs are the documents of the nodes. Only
// rules with min_doc_coverage need docs.
func Lint(g *Graph, x *code.Index, rules []Rule, docs *Documents) []Violation {
	l := linter{graph: g, index: x, documents: docs, owners: newOwners(g, x), dotted: map[string]string{}}
	var all []Violation
	for i := range rules {
		l.rule, l.list, l.more = &rules[i], nil, 0
		switch l.rule.Type {
		case "deny":
			l.deny()
		case "require":
			l.require()
		case "cycle":
			l.cycles()
		case "forbid_import":
			l.imports()
		case "forbid":
			l.forbid()
		case "layer":
			l.layers()
		case "cardinality":
			l.sizes()
		}
		if l.more > 0 && len(l.list) > 0 {
			last := &l.list[len(l.list)-1]
			last.Message, last.More = fmt.Sprintf("%s (and %d more)", last.Message, l.more), l.more
		}
		all = append(all, l.list...)
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.File, b.File), a.Line-b.Line) < 0
	})
	return all
}

// linter finds violations of one rule at a time.
type linter struct {
	graph     *Graph
	index     *code.Index
	documents *Documents
	owners    *owners
	rule      *Rule
	list      []Violation
	more      int               // number of violations that are not listed
	dotted    map[string]string // imports with dots replaced by slashes

	made map[[2]int]string // violations at edges that imports make, by the two nodes of the edge

	// These fields are the state of the search for cycles, by node: the last round that reached the
	// node, the previous node on the path, and the distance.
	reached, before, away []int32
	round                 int32
}

// add appends a violation of the current rule. If the list is full, it only counts the violation.
func (l *linter) add(file string, line int, from, to, format string, args ...any) {
	if len(l.list) == maxViolations {
		l.more++
		return
	}
	v := Violation{Rule: l.rule.Name, Severity: l.rule.Severity, Type: l.rule.Type, File: file, Line: line,
		From: from, To: to, Message: fmt.Sprintf(format, args...)}
	v.reason = l.rule.Description
	v.plain = strings.TrimSuffix(v.Message, l.because())
	v.Fingerprint = store.Fingerprint(v.Event())
	l.list = append(l.list, v)
}

// because returns ": " and the description of the rule, or "" if the rule has no description.
func (l *linter) because() string {
	if l.rule.Description == "" {
		return ""
	}
	return ": " + l.rule.Description
}

// matched reports for each node whether a matcher selects it.
func (l *linter) matched(m matcher) []bool {
	list := make([]bool, len(l.graph.Nodes))
	for i := range list {
		list[i] = m.matches(&l.graph.Nodes[i])
	}
	return list
}

// deny finds forbidden imports between nodes.
func (l *linter) deny() {
	from, to := l.matched(l.rule.from), l.matched(l.rule.to)
	l.between(func(src, dst int) bool {
		return from[src] && to[dst] && !l.excused(src, dst)
	}, func(f *code.File, i *code.Import, src, dst int) {
		a, b := l.graph.Nodes[src].Ref, l.graph.Nodes[dst].Ref
		l.add(f.Path, i.Line, a, b, "%s imports %s of %s, which %s must not%s", f.Path, i.Path, b, a, l.because())
	})
}

// excused reports whether a declared edge allows imports between nodes.
func (l *linter) excused(src, dst int) bool {
	for _, e := range l.graph.out[src] {
		edge := &l.graph.Edges[e]
		if !edge.Derived && edge.Dst == l.graph.Nodes[dst].Ref && slices.Contains(l.rule.edges, edge.Kind) {
			return true
		}
	}
	return false
}

// require finds nodes that lack a required edge.
func (l *linter) require() {
	need, to := l.matched(l.rule.from), l.matched(l.rule.to)
	for n := range l.graph.Nodes {
		if !need[n] || slices.ContainsFunc(l.graph.out[n], func(e int) bool {
			dst := l.graph.ends[e][1]
			return dst >= 0 && to[dst] && (l.rule.edges == nil || slices.Contains(l.rule.edges, l.graph.Edges[e].Kind))
		}) {
			continue
		}
		node := &l.graph.Nodes[n]
		l.add(node.File, node.Line, node.Ref, "", "%s (%s) lacks the edge that it needs%s", node.Ref, node.Kind, l.because())
	}
}

// imports finds forbidden imports. It compares one pattern of a rule with the path of the importing file. It compares
// the other pattern with the import as it is written, and with the paths of the imported files. If the language
// separates the names in an import by dots, it also compares the pattern with the import with slashes for dots. In
// Python, it also compares the pattern with imported modules (see importsModule).
func (l *linter) imports() {
	for _, f := range l.index.Files() {
		if !glob(l.rule.globs[0], f.Path) {
			continue
		}
		for _, i := range f.Imports {
			if l.imported(f.Language, &i) {
				l.add(f.Path, i.Line, "", "", "%s imports %s, which it must not%s", f.Path, i.Path, l.because())
			}
		}
	}
}

func (l *linter) imported(language code.Language, i *code.Import) bool {
	to := l.rule.globs[1]
	if glob(to, i.Path) {
		return true
	}
	switch language {
	case code.Python, code.Java, code.Kotlin, code.Scala, code.CSharp:
		slashes, known := l.dotted[i.Path]
		if !known {
			slashes = strings.ReplaceAll(i.Path, ".", "/")
			l.dotted[i.Path] = slashes
		}
		if glob(to, slashes) || language == code.Python && l.importsModule(i, slashes) {
			return true
		}
	}
	return slices.ContainsFunc(i.Targets, func(t string) bool { return glob(to, t) })
}

// importsModule reports whether the rule forbids a module that an import such as "from a.b import c" imports: a.b.c.
// The parameter slashes is the path of the import with slashes for dots, such as a/b.
func (l *linter) importsModule(i *code.Import, slashes string) bool {
	return slices.ContainsFunc(i.Targets, func(file string) bool {
		module := strings.TrimSuffix(strings.TrimSuffix(file, ".py"), "/__init__")
		name := module[strings.LastIndexByte(module, '/')+1:]
		return strings.HasSuffix("/"+module, "/"+slashes+"/"+name) && glob(l.rule.globs[1], i.Path+"."+name)
	})
}

// sizes finds nodes with too many symbols or files, and nodes whose documents mention too few of their files.
func (l *linter) sizes() {
	files := l.index.Files()
	symbols := make([]int, len(files)+1) // number of symbols in the files before each file
	for i, f := range files {
		symbols[i+1] = symbols[i] + len(f.Symbols)
	}
	at := func(path string) int {
		i, _ := slices.BinarySearchFunc(files, path, func(f code.File, path string) int {
			return strings.Compare(f.Path, path)
		})
		return i
	}
	for n := range l.graph.Nodes {
		node := &l.graph.Nodes[n]
		if node.Source == "" || !l.rule.from.matches(node) {
			continue
		}
		source := sourceKey(node.Source)
		first, end := at(source+"/"), at(source+"0") // '0' is the byte after '/'
		if source == "" {
			first, end = 0, len(files)
		} else if l.index.File(source) != nil {
			first, end = at(source), at(source)+1
		}
		if count := symbols[end] - symbols[first]; l.rule.maxSymbols >= 0 && count > l.rule.maxSymbols {
			l.add(node.File, node.Line, node.Ref, "", "%s has more symbols than %d%s", node.Ref, l.rule.maxSymbols, l.because())
		}
		if count := end - first; l.rule.maxFiles >= 0 && count > l.rule.maxFiles {
			l.add(node.File, node.Line, node.Ref, "", "%s has more files than %d%s", node.Ref, l.rule.maxFiles, l.because())
		}
		if l.covered(node, files[first:end]) < l.rule.minCoverage {
			l.add(node.File, node.Line, node.Ref, "", "the documents of %s mention less than %g of its files%s", node.Ref,
				l.rule.minCoverage, l.because())
		}
	}
}

// covered returns the share of a node's modules (see isModule) that the documents of the node mention. It returns 1 if
// the node has no modules, or if the rule requires no share.
func (l *linter) covered(node *Node, files []code.File) float64 {
	all, mentioned := 0, 0
	for i := range files {
		if l.rule.minCoverage < 0 || !isModule(&files[i]) {
			continue
		}
		if all++; l.documents != nil && l.documents.mention(node.Docs, node.Source, &files[i]) {
			mentioned++
		}
	}
	if all == 0 {
		return 1
	}
	return float64(mentioned) / float64(all)
}
