package graph

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/store"
)

// Pair is a document that a node names, together with a source file of the node.
type Pair struct {
	Status  string `json:"status" jsonschema:"ok or stale"`
	Node    string `json:"ref_id" jsonschema:"node"`
	Doc     string `json:"doc_path" jsonschema:"document"`
	Code    string `json:"code_path" jsonschema:"source file, empty if the document is missing"`
	Reason  string `json:"reason" jsonschema:"ok, or why it is stale"`
	Details string `json:"details,omitempty" jsonschema:"what has changed"`
	// By and At say who attested that a stale pair still fits, and when.
	By string `json:"attested_by,omitempty" jsonschema:"who said that a stale pair fits"`
	At string `json:"attested_at,omitempty" jsonschema:"when"`
	// DocDigest and CodeDigest are the digests of the document and of the source file, "" for a missing file.
	DocDigest  string `json:"-"`
	CodeDigest string `json:"-"`
}

// These are the statuses of a Pair, and the reasons for a status.
const (
	OK              = "ok"
	stalePair       = "stale"
	hashChanged     = "hash_changed"    // the file has changed since the document was last changed
	symbolsChanged  = "symbols_changed" // the file defines other symbols
	untrackedFiles  = "untracked_files" // the file was added after the document was last changed
	missingModules  = "missing_modules" // no document of the node mentions the file
	missingDocument = "missing_doc"     // the document does not exist
)

// Sync has the documents and the sources that Check compares.
type Sync struct {
	Graph     *Graph
	Index     *code.Index
	Documents *Documents
	Past      facts.Past
	Attested  Attested // attestations of stale pairs; may be nil
}

// Synced is the result of Check.
type Synced struct {
	Pairs []Pair // sorted by node, document and file
	// Unknown holds the documents whose last change is unknown. Pairs has no pairs of these documents.
	Unknown []string
}

// Check compares documents with code.
func (s Sync) Check(ctx context.Context) (Synced, error) {
	c := checker{Sync: s, owners: newOwners(s.Graph, s.Index), changed: map[int][]string{}, was: map[string]code.Scan{},
		unknown: map[string]bool{}}
	c.files = make([][]*code.File, len(s.Graph.Nodes))
	files := s.Index.Files()
	for i := range files {
		if n := c.owners.files[files[i].Path]; n >= 0 {
			c.files[n] = append(c.files[n], &files[i])
		}
	}
	for _, path := range s.Past.Changed() {
		n, known := c.owners.files[path]
		if !known {
			n = s.Graph.owner(path)
		}
		if _, reads := code.ScanFile(path, nil); n >= 0 && reads {
			c.changed[n] = append(c.changed[n], path)
		}
	}
	for n := range s.Graph.Nodes {
		if err := c.node(ctx, n); err != nil {
			return Synced{}, err
		}
	}
	sort.SliceStable(c.pairs, func(i, j int) bool {
		a, b := &c.pairs[i], &c.pairs[j]
		return cmp.Or(strings.Compare(a.Node, b.Node), strings.Compare(a.Doc, b.Doc), strings.Compare(a.Code, b.Code)) < 0
	})
	return Synced{c.pairs, c.unknowns}, nil
}

// Attested returns the attestation of a pair, and reports whether there is an attestation. An attestation says that
// the document and the source file fit each other in their present state.
type Attested func(p Pair) (store.Attestation, bool)

// NewAttested returns a function that looks up a pair in a list of attestations. The last attestation of a pair
// counts.
func NewAttested(list []store.Attestation) Attested {
	type key struct{ node, doc, code, docDigest, codeDigest string }
	said := make(map[key]int, len(list))
	for i, a := range list {
		said[key{a.Node, a.Doc, a.Code, a.DocDigest, a.CodeDigest}] = i
	}
	return func(p Pair) (store.Attestation, bool) {
		i, found := said[key{p.Node, p.Doc, p.Code, p.DocDigest, p.CodeDigest}]
		if !found {
			return store.Attestation{}, false
		}
		return list[i], true
	}
}

// Accept changes the status of a stale pair to OK if the pair is attested, and returns the pair.
func (said Attested) Accept(p Pair) Pair {
	if said == nil || p.Status != stalePair {
		return p
	}
	if a, found := said(p); found {
		p.Status, p.Reason, p.Details = OK, OK, ""
		p.By, p.At = a.By, a.At.UTC().Format(time.RFC3339)
	}
	return p
}

// checker compares documents with code, and collects the pairs.
type checker struct {
	Sync
	owners   *owners
	files    [][]*code.File       // source files by node
	changed  map[int][]string     // changed paths by node
	was      map[string]code.Scan // scans of earlier contents, by file and digest
	pairs    []Pair
	unknown  map[string]bool
	unknowns []string
}

func (c *checker) node(ctx context.Context, n int) error {
	node := &c.Graph.Nodes[n]
	var docs []string
	for _, doc := range node.Docs {
		if doc = docPath(doc); !slices.Contains(docs, doc) {
			docs = append(docs, doc)
		}
	}
	missing := map[string]bool{}
	for _, f := range c.files[n] {
		missing[f.Path] = len(docs) > 0 && isModule(f) && !c.Documents.mention(docs, node.Source, f)
	}
	for i, doc := range docs {
		about, there := c.Documents.files[doc]
		switch {
		case !there:
			c.pairs = append(c.pairs, Pair{Status: stalePair, Node: node.Ref, Doc: doc, Reason: missingDocument,
				Details: "it is not there, or no document that blq reads"})
			continue
		case !c.Past.Knows(doc):
			if !c.unknown[doc] {
				c.unknown[doc] = true
				c.unknowns = append(c.unknowns, doc)
			}
			continue
		}
		if err := c.doc(ctx, n, about, i == 0, missing); err != nil {
			return err
		}
	}
	return nil
}

// doc adds a Pair for a document of a node and each file of the node. It says which files have changed or disappeared
// since the document. A file that no document mentions is reported only with the first document.
func (c *checker) doc(ctx context.Context, n int, doc facts.File, first bool, missing map[string]bool) error {
	changed := c.changed[n]
	isChanged := make(map[string]bool, len(changed))
	for _, path := range changed {
		isChanged[path] = true
	}
	node := c.Graph.Nodes[n].Ref
	for _, f := range c.files[n] {
		p := Pair{Status: OK, Node: node, Doc: doc.Path, Code: f.Path, Reason: OK, DocDigest: doc.Digest,
			CodeDigest: f.Digest}
		if isChanged[f.Path] {
			delete(isChanged, f.Path)
			if err := c.compare(ctx, &p, f); err != nil {
				return err
			}
		}
		if p.Reason == OK && first && missing[f.Path] {
			p.Status, p.Reason, p.Details = stalePair, missingModules, "no document of "+node+" mentions it"
		}
		c.add(p)
	}
	for _, path := range changed {
		if was := c.Past.Was(doc.Path, path); isChanged[path] && !was.Same && was.Existed {
			c.add(Pair{Status: stalePair, Node: node, Doc: doc.Path, Code: path, Reason: hashChanged, Details: "it was removed",
				DocDigest: doc.Digest})
		}
	}
	return nil
}

// add adds a pair. If a stale pair is attested, it is added with the status OK.
func (c *checker) add(p Pair) { c.pairs = append(c.pairs, c.Attested.Accept(p)) }

// compare compares a file with its state at the last change of the pair's document. If they differ, it marks the pair
// as stale.
func (c *checker) compare(ctx context.Context, p *Pair, f *code.File) error {
	was := c.Past.Was(p.Doc, p.Code)
	switch {
	case was.Same || was.Digest != "" && was.Digest == f.Digest:
		return nil
	case !was.Existed:
		p.Status, p.Reason, p.Details = stalePair, untrackedFiles, "it was added since the document was changed"
		return nil
	}
	text, err := was.Read(ctx)
	if err != nil && store.CodeOf(err) != store.NotFound { // a partial clone may lack the file
		return err
	}
	if was.Digest == "" {
		was.Digest = facts.Digest(text)
	}
	if err == nil && was.Digest == f.Digest {
		return nil
	}
	p.Status, p.Reason = stalePair, hashChanged
	if err != nil {
		return nil
	}
	digest := f.Path + "\n" + was.Digest
	before, known := c.was[digest]
	if !known {
		before, _ = code.ScanFile(f.Path, text)
		c.was[digest] = before
	}
	if details := symbolChanges(before.Symbols, f.Symbols); details != "" {
		p.Reason, p.Details = symbolsChanged, details
	}
	return nil
}

// symbolChanges describes new and removed symbols. It returns "" if the symbols are the same.
func symbolChanges(before, now []code.Symbol) string {
	const maxNames = 5
	type key struct {
		parent, name string
		kind         code.Kind
	}
	counts := make(map[key]int, len(now))
	for _, s := range before {
		counts[key{s.Parent, s.Name, s.Kind}]--
	}
	for _, s := range now {
		counts[key{s.Parent, s.Name, s.Kind}]++
	}
	var added, gone []string
	for k, n := range counts {
		if k.parent != "" {
			k.name = k.parent + "." + k.name
		}
		switch {
		case n > 0:
			added = append(added, "+"+k.name)
		case n < 0:
			gone = append(gone, "-"+k.name)
		}
	}
	slices.Sort(added)
	slices.Sort(gone)
	all := slices.Concat(added, gone)
	if len(all) > maxNames {
		return strings.Join(all[:maxNames], ", ") + " and " + strconv.Itoa(len(all)-maxNames) + " more"
	}
	return strings.Join(all, ", ")
}
