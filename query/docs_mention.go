package query

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/store"
)

// Mention is a block of documentation that contains a word from an error. The word is a file, an error code, a test, or
// a name in the message.
type Mention struct {
	Ref     string `json:"ref" jsonschema:"citation of the block, pinned to a commit"`
	Heading string `json:"heading,omitempty" jsonschema:"headings of the block"`
	Word    string `json:"word" jsonschema:"of the error, that the block has"`
	// Distance is the number of commits from the commit of the documents to the commit of the run. It is 0 if the
	// commit of the run has documents of its own.
	Distance int `json:"distance,omitempty" jsonschema:"commits from the documents to the run"`

	URL string `json:"-"` // page for people
}

// These limits bound the mentions in an answer.
const (
	maxMentions     = 3
	maxMentionBytes = 600 // JSON of all mentions
	maxHeadings     = 80  // characters of a mention's headings
)

// These limits bound the work for mentions. An existing index is used, whatever its size. A new index is built only for
// at most maxQuickFiles documents with at most maxQuickBytes together, which takes less than 200 ms.
const (
	maxQuickBytes = 2 << 20
	maxQuickFiles = 2000
	mentionTime   = 2 * time.Second
)

// keptIndexes is implemented by an Indexes that can return an existing index without building one.
type keptIndexes interface {
	// Kept returns the existing index of a repository's documents, or nil if there is no index yet.
	Kept(ctx context.Context, repo string, set facts.Set) *docs.Index
}

// mentions returns blocks of documentation that contain words from the errors of a run. It reads the documentation of
// the run's commit, or of an ancestor if the commit has none, and external documentation. A block must contain the word
// literally. If the search takes too long, mentions returns no blocks, because the answer is useful without them.
func (a *Asker) mentions(ctx context.Context, r store.Run, errors ...store.Event) []Mention {
	words := wordsOfErrors(errors)
	if len(words) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, mentionTime)
	defer cancel()
	s, ok := a.shelf(ctx, r)
	if !ok {
		return nil
	}
	var list []Mention
	for _, w := range words {
		m, found := s.mention(ctx, w, list)
		if !found {
			continue
		}
		if list = append(list, m); len(list) == maxMentions {
			break
		}
	}
	if ctx.Err() != nil {
		return nil // the time is over; return all mentions or none
	}
	for len(list) > 0 {
		if text, err := json.Marshal(list); err == nil && len(text) < maxMentionBytes {
			break
		}
		list = list[:len(list)-1]
	}
	return list
}

// MentionEach returns one block of documentation for each error of a run: the best block that contains a word from the
// error. It searches the same documentation as mentions. The Mention of an error is zero if there is no such block, or
// if an earlier error has the same block. If the search takes too long, all Mentions are zero.
func (a *Asker) MentionEach(ctx context.Context, r store.Run, errors []store.Event) []Mention {
	list := make([]Mention, len(errors))
	ctx, cancel := context.WithTimeout(ctx, mentionTime)
	defer cancel()
	s, ok := a.shelf(ctx, r)
	for i := 0; ok && i < len(errors); i++ {
		for _, w := range wordsOfErrors(errors[i : i+1]) {
			if m, found := s.mention(ctx, w, nil); found {
				if !slices.ContainsFunc(list, func(o Mention) bool { return o.Ref == m.Ref }) {
					list[i] = m
				}
				break
			}
		}
	}
	if ctx.Err() != nil {
		return make([]Mention, len(errors)) // the time is over; return all mentions or none
	}
	return list
}

// shelf holds the documentation in which words from errors are searched.
type shelf struct {
	*library
	own, others []*docs.Source
}

// shelf returns the documentation of a run's commit. It returns false if there is no documentation.
func (a *Asker) shelf(ctx context.Context, r store.Run) (shelf, bool) {
	if a.Docs == nil || !a.Docs.Local && r.Git.Commit == "" {
		return shelf{}, false
	}
	l, err := a.library(DocsAt{Repo: r.Repo, At: r.Git.Commit})
	if err != nil {
		return shelf{}, false
	}
	l.quick = true
	own, others := l.quickSources(ctx)
	return shelf{l, own, others}, len(own)+len(others) > 0
}

// quickSources returns the documents that can be searched without delay: the repository's own documents, and external
// documents. It leaves out the repository's documents if code of a fork sent them.
func (l *library) quickSources(ctx context.Context) (own, others []*docs.Source) {
	aliases, err := l.aliases(ctx, everySource)
	if err != nil {
		return nil, nil
	}
	for _, alias := range aliases {
		s, err := l.open(ctx, alias, "")
		switch {
		case err != nil: // skip documentation that cannot be read
		case alias != docs.RepositoryAlias:
			others = append(others, s)
		case !l.resolved.Untrusted:
			own = append(own, s)
		}
	}
	return own, others
}

// mention returns the best block that contains a word and is not in the list yet. It returns false if there is no such
// block.
func (s shelf) mention(ctx context.Context, w errorWord, list []Mention) (Mention, bool) {
	from := s.own
	if w.kind == wordCode || w.kind == wordName { // external documentation does not know the project's files and tests
		from = append(slices.Clip(from), s.others...)
	}
	for _, documents := range from {
		blocks, err := blocksWith(ctx, documents, w)
		if err != nil || len(blocks) > maxBlocksWith {
			continue
		}
		for _, h := range blocks {
			m := Mention{Ref: s.quoted(h.Ref), Heading: clip(s.quoted(lastHeadings(h.HeadingPath)), maxHeadings),
				Word: Clean(w.text), URL: h.SourceURL}
			if slices.ContainsFunc(list, func(o Mention) bool { return o.Ref == m.Ref }) {
				continue
			}
			if isOwn(h.Alias) {
				m.Distance = s.resolved.Distance
			}
			return m, true
		}
	}
	return Mention{}, false
}

// isOwn reports whether a document is the repository's own.
func isOwn(alias string) bool {
	return alias == docs.RepositoryAlias || strings.HasPrefix(alias, docs.RepositoryAlias+"/")
}

// maxBlocksWith is the max number of blocks with a word among the first ten hits. A word in more blocks is too common
// to be useful.
const maxBlocksWith = 8

// blocksWith returns the blocks that contain the word w literally, best first.
func blocksWith(ctx context.Context, s *docs.Source, w errorWord) ([]docs.Hit, error) {
	hits, err := s.Search(ctx, docs.Query{Text: w.text})
	if err != nil {
		return nil, err
	}
	var list []docs.Hit
	for _, h := range hits {
		c, err := docs.ParseCitation(h.Ref)
		if err != nil {
			return nil, err
		}
		if h.Alias == docs.RepositoryAlias+"/"+w.file {
			continue // the document is the file with the error
		}
		snippets, err := s.Snippets(ctx, c, docs.Context{})
		if err != nil {
			return nil, err
		}
		document, _ := strings.CutPrefix(h.Alias, docs.RepositoryAlias+"/")
		if w.in(document, snippets[0].Content) {
			list = append(list, h)
		}
	}
	return list, nil
}

// lastHeadings returns the last two headings of a path of headings.
func lastHeadings(path []string) string { return strings.Join(path[max(0, len(path)-2):], " > ") }

// maxMentioned is the max number of error groups whose words are searched.
const maxMentioned = 3

// toMention returns the errors to fix first. Documentation is searched for words from these errors.
func (t *Triage) toMention() []store.Event {
	groups := t.New
	for _, other := range [][]ErrorGroup{t.Errors, t.Known} {
		if len(groups) == 0 {
			groups = other
		}
	}
	var list []store.Event
	for _, g := range groups[:min(len(groups), maxMentioned)] {
		file, _, _ := strings.Cut(g.Sample.Location, ":")
		list = append(list, store.Event{File: file, Message: g.Sample.Message, Code: g.Sample.Code, Test: g.Sample.Test})
	}
	return list
}

// indexed returns the index of documents. If there is no index yet, it builds one only if that takes little time.
// Unavailable: building the index takes too long.
func (l *library) indexed(ctx context.Context, set facts.Set) (*docs.Index, error) {
	if kept, ok := l.Indexes.(keptIndexes); ok {
		if x := kept.Kept(ctx, l.repo, set); x != nil {
			return x, nil
		}
	}
	var size int64
	for _, f := range set.Files() {
		size += f.Size
	}
	if size > maxQuickBytes || len(set.Files()) > maxQuickFiles {
		return nil, store.Errorf(store.Unavailable, "the documents are not indexed yet")
	}
	if l.Indexes == nil {
		return docs.Build(ctx, set, nil)
	}
	return l.Indexes.Index(ctx, l.repo, set)
}
