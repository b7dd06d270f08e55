package graph

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Rule is a rule of the architecture.
type Rule struct {
	Name        string
	Description string
	Severity    string // error or warn
	Type        string // deny, require, cycle, forbid_import, forbid, layer or cardinality

	line int
	// The fields from and to select nodes. In rules of the types cardinality and require, the field from selects the
	// checked nodes. In rules of the type require, the field to selects the nodes that the checked nodes need.
	from, to    matcher
	edges       []string
	maxDepth    int
	globs       [2]string // patterns for files and imports
	layers      []layer
	allowSkip   bool
	maxSymbols  int // -1 for no limit, as in the next two fields
	maxFiles    int
	minCoverage float64
}

// layer is a layer of the architecture, with the tag of its nodes.
type layer struct{ name, tag string }

// matcher selects nodes.
type matcher struct {
	ref, kind, tag string
	exclude        []string
}

func (m matcher) matches(n *Node) bool {
	return !slices.Contains(m.exclude, n.Ref) && (m.ref == "" || m.ref == n.Ref) && (m.kind == "" || m.kind == n.Kind) &&
		(m.tag == "" || slices.Contains(n.Tags, m.tag))
}

// Rules may always name these kinds of nodes and edges. Other kinds must occur in the graph.
var (
	nodeKinds = []string{"domain", "feature", "service", "entity", "adr", "component"}
	edgeKinds = []string{"part_of", "depends_on", "uses", "implements", "touches_entity", "touches_code"}
)

// maxRules is the max number of rules.
const maxRules = 1000

// ruleReader reads rules.yml.
type ruleReader struct {
	document
	nodeKinds, edgeKinds map[string]bool
}

// loadRules reads the rules, and adds the tags of the rules file to nodes. An invalid rule is reported as a problem
// and left out.
func (g *Graph) loadRules(content []byte) []Rule {
	if content == nil {
		return nil
	}
	r := &ruleReader{document{file: RulesFile}, map[string]bool{}, map[string]bool{}}
	for _, k := range nodeKinds {
		r.nodeKinds[k] = true
	}
	for _, k := range edgeKinds {
		r.edgeKinds[k] = true
	}
	for _, n := range g.Nodes {
		r.nodeKinds[n.Kind] = true
	}
	for _, e := range g.Edges {
		r.edgeKinds[e.Kind] = true
	}
	rules := r.rules(g, content)
	g.Problems = append(g.Problems, r.problems...)
	return rules
}

func (r *ruleReader) rules(g *Graph, content []byte) []Rule {
	root, err := r.parse(content)
	if err != nil {
		r.problem(nil, "%s", err)
		return nil
	}
	r.keys(root, []string{"version", "tags", "rules"})
	switch v := r.text(root, "version"); v {
	case "1", "2", "3":
	case "":
		r.problem(root, "version is missing: write version: 3")
		return nil
	default:
		r.problem(get(root, "version"), "version %q is not read: write 1, 2 or 3", v)
		return nil
	}
	r.tags(g, get(root, "tags"))
	var rules []Rule
	names := map[string]bool{}
	for _, n := range r.items(root, "rules") {
		name := strings.TrimSpace(r.text(n, "name"))
		switch {
		case name == "":
			r.problem(n, "a rule needs a name")
			continue
		case names[name]:
			r.problem(n, "there is another rule %q", name)
			continue
		case len(rules) == maxRules:
			r.problem(n, "there are more than %d rules; the others are not read", maxRules)
			return rules
		}
		names[name] = true
		if rule, ok := r.rule(n, name); ok {
			r.known(g, n, rule)
			rules = append(rules, rule)
		}
	}
	return rules
}

// tags adds tags to nodes.
func (r *ruleReader) tags(g *Graph, tags *yaml.Node) {
	if tags == nil {
		return
	}
	if tags.Kind != yaml.MappingNode {
		r.problem(tags, "tags has to be a mapping from tags to lists of nodes")
		return
	}
	r.keys(tags, nil)
	for i := 0; i+1 < len(tags.Content); i += 2 {
		tag := tags.Content[i].Value
		for _, ref := range r.texts(tags, tag) {
			n := g.node(ref)
			if n == nil {
				r.problem(tags.Content[i+1], "tag %s names %q, which is not a node", tag, ref)
			} else if !slices.Contains(n.Tags, tag) {
				n.Tags = append(slices.Clip(n.Tags), tag)
			}
		}
	}
}

// known reports a problem if a rule names a node that does not exist, because such a rule checks nothing.
func (r *ruleReader) known(g *Graph, at *yaml.Node, rule Rule) {
	for _, m := range []matcher{rule.from, rule.to} {
		if m.ref != "" && g.node(m.ref) == nil {
			r.problem(at, "rule %q names %q, which is not a node", rule.Name, m.ref)
		}
	}
}

// forms maps keys of rules to their readers. Each rule has exactly one of these keys. The key decides the type of the
// rule.
var forms = []struct {
	key  string
	keys []string // keys below the key
	read func(r *ruleReader, rule *Rule, block, whole *yaml.Node) bool
}{
	{"deny", []string{"from", "to", "unless_edge"}, (*ruleReader).deny},
	{"require", []string{"for", "has_edge_to", "edge_kind"}, (*ruleReader).require},
	{"forbid_cycles", []string{"edge_kind", "max_depth"}, (*ruleReader).cycles},
	{"forbid_import", []string{"from", "to"}, (*ruleReader).imports},
	{"forbid", []string{"from", "to", "edge_kind"}, (*ruleReader).forbid},
	{"layers", nil, (*ruleReader).layers},
	{"check", []string{"for", "max_symbols", "max_files", "min_doc_coverage"}, (*ruleReader).check},
}

// These are the valid keys of rules and of matchers.
var (
	ruleKeys = []string{"name", "description", "severity", "enforce", "allow_skip", "edge_kind", "deny", "require",
		"forbid_cycles", "forbid_import", "forbid", "layers", "check"}
	matcherKeys = []string{"ref_id", "kind", "tag", "exclude"}
)

// rule reads a rule, and reports whether it is valid. A rule with a mistake is not valid.
func (r *ruleReader) rule(n *yaml.Node, name string) (Rule, bool) {
	before := r.mistakes
	r.keys(n, ruleKeys)
	rule := Rule{Name: name, Description: r.text(n, "description"), Severity: r.text(n, "severity"), line: n.Line,
		allowSkip: true, maxSymbols: -1, maxFiles: -1, minCoverage: -1, maxDepth: 10}
	found, ok := 0, false
	for _, f := range forms {
		block := get(n, f.key)
		if block == nil {
			continue
		}
		if found++; found > 1 {
			break
		}
		rule.Type = f.key
		if f.key != "layers" && block.Kind != yaml.MappingNode {
			r.problem(block, "rule %q: %s has to be a mapping", name, f.key)
			return rule, false
		}
		r.keys(block, f.keys)
		ok = f.read(r, &rule, block, n)
	}
	if found != 1 {
		r.problem(n, "rule %q has to have exactly one of deny, require, forbid_cycles, forbid_import, forbid, layers "+
			"and check", name)
		return rule, false
	}
	switch rule.Severity {
	case "":
		if rule.Severity = "error"; rule.Type == "cardinality" {
			rule.Severity = "warn"
		}
	case "error", "warn":
	default:
		r.problem(get(n, "severity"), "rule %q: severity is %q, and has to be error or warn", name, rule.Severity)
		return rule, false
	}
	return rule, ok && r.mistakes == before
}

// match reads a matcher, and reports whether it is valid.
func (r *ruleReader) match(m *matcher, block *yaml.Node, key string, empty bool) bool {
	v := get(block, key)
	if v == nil || v.Kind != yaml.MappingNode {
		r.problem(block, "%s is missing, or no mapping", key)
		return false
	}
	r.keys(v, matcherKeys)
	*m = matcher{r.text(v, "ref_id"), r.text(v, "kind"), r.text(v, "tag"), r.texts(v, "exclude")}
	if m.ref == "" && m.kind == "" && m.tag == "" && !empty {
		r.problem(v, "%s needs a ref_id, a kind or a tag", key)
		return false
	}
	if m.kind != "" && !r.nodeKinds[m.kind] {
		r.problem(v, "%s: %q is not a kind of nodes; there is %s", key, m.kind, strings.Join(nodeKinds, ", "))
		return false
	}
	return true
}

// kinds reads the kinds of edges, and reports whether the kinds are valid.
func (r *ruleReader) kinds(rule *Rule, block *yaml.Node, key string) bool {
	v := get(block, key)
	rule.edges = r.texts(block, key)
	if v != nil && len(rule.edges) == 0 && key != "unless_edge" {
		r.problem(v, "rule %q: %s names no kind of edges", rule.Name, key)
		return false
	}
	for _, k := range rule.edges {
		if !r.edgeKinds[k] {
			r.problem(v, "rule %q: %q is not a kind of edges; there is %s", rule.Name, k, strings.Join(edgeKinds, ", "))
			return false
		}
	}
	return true
}

func (r *ruleReader) deny(rule *Rule, block, _ *yaml.Node) bool {
	if v := get(block, "unless_edge"); v != nil && v.Kind != yaml.SequenceNode {
		r.problem(v, "rule %q: unless_edge has to be a list", rule.Name)
		return false
	}
	return r.match(&rule.from, block, "from", false) && r.match(&rule.to, block, "to", false) &&
		r.kinds(rule, block, "unless_edge")
}

func (r *ruleReader) require(rule *Rule, block, _ *yaml.Node) bool {
	return r.match(&rule.from, block, "for", false) && r.match(&rule.to, block, "has_edge_to", true) &&
		r.kinds(rule, block, "edge_kind")
}

func (r *ruleReader) cycles(rule *Rule, block, _ *yaml.Node) bool {
	rule.Type = "cycle"
	if get(block, "edge_kind") == nil {
		r.problem(block, "rule %q: forbid_cycles needs an edge_kind", rule.Name)
		return false
	}
	return r.kinds(rule, block, "edge_kind") && r.count(&rule.maxDepth, block, "max_depth")
}

// count reads an optional number, and reports whether it is valid. A number must not be negative.
func (r *ruleReader) count(n *int, block *yaml.Node, key string) bool {
	v := get(block, key)
	if v == nil {
		return true
	}
	value, err := strconv.Atoi(v.Value)
	if err != nil || value < 0 {
		r.problem(v, "%s has to be a number that is not negative", key)
		return false
	}
	*n = value
	return true
}

func (r *ruleReader) imports(rule *Rule, block, _ *yaml.Node) bool {
	rule.globs = [2]string{strings.TrimSpace(r.text(block, "from")), strings.TrimSpace(r.text(block, "to"))}
	if rule.globs[0] == "" || rule.globs[1] == "" {
		r.problem(block, "rule %q: forbid_import needs the patterns from and to", rule.Name)
		return false
	}
	return true
}

func (r *ruleReader) forbid(rule *Rule, block, _ *yaml.Node) bool {
	return r.match(&rule.from, block, "from", false) && r.match(&rule.to, block, "to", false) &&
		r.kinds(rule, block, "edge_kind")
}

func (r *ruleReader) layers(rule *Rule, block, whole *yaml.Node) bool {
	rule.Type = "layer"
	if block.Kind != yaml.SequenceNode || len(block.Content) < 2 {
		r.problem(block, "rule %q: layers has to be a list of at least two layers", rule.Name)
		return false
	}
	for _, l := range block.Content {
		r.keys(l, []string{"name", "tag"})
		name, tag := r.text(l, "name"), r.text(l, "tag")
		if strings.TrimSpace(name) == "" || strings.TrimSpace(tag) == "" {
			r.problem(l, "rule %q: a layer needs a name and a tag", rule.Name)
			return false
		}
		rule.layers = append(rule.layers, layer{name, tag})
	}
	if enforce := r.text(whole, "enforce"); enforce != "top-down" {
		r.problem(whole, "rule %q: enforce is %q, and has to be top-down", rule.Name, enforce)
		return false
	}
	if v := get(whole, "allow_skip"); v != nil {
		rule.allowSkip = v.Value == "true"
		if v.Tag != "!!bool" {
			r.problem(v, "rule %q: allow_skip has to be true or false", rule.Name)
			return false
		}
	}
	if !r.kinds(rule, whole, "edge_kind") {
		return false
	}
	if rule.edges == nil {
		rule.edges = []string{"uses"}
	}
	return true
}

func (r *ruleReader) check(rule *Rule, block, _ *yaml.Node) bool {
	rule.Type = "cardinality"
	if !r.match(&rule.from, block, "for", false) || !r.count(&rule.maxSymbols, block, "max_symbols") ||
		!r.count(&rule.maxFiles, block, "max_files") {
		return false
	}
	if v := get(block, "min_doc_coverage"); v != nil {
		share, err := strconv.ParseFloat(v.Value, 64)
		if err != nil || !(share >= 0 && share <= 1) { // this form refuses NaN, too
			r.problem(v, "rule %q: min_doc_coverage has to be from 0 to 1", rule.Name)
			return false
		}
		rule.minCoverage = share
	}
	if rule.maxSymbols < 0 && rule.maxFiles < 0 && rule.minCoverage < 0 {
		r.problem(block, "rule %q: check needs max_symbols, max_files or min_doc_coverage", rule.Name)
		return false
	}
	return true
}
