package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/store"
)

// Docs provides an asker with the data and services for questions about documentation.
type Docs struct {
	// Facts finds the documents and the source files of a repository.
	Facts facts.Source
	// Sources stores the sources of external documentation. Blobs stores their texts.
	Sources store.Sources
	Blobs   DocBlobs
	// Attestations stores attestations about documents and code; nil means that attestations cannot be stored. By is
	// the author of new attestations.
	Attestations store.Attestations
	By           string
	// Indexes returns indexes; nil means that each question builds its own index.
	Indexes Indexes
	// Fetcher fetches external documentation; nil means that no documentation can be fetched.
	Fetcher *source.Fetcher
	// Room reserves space for data that a repository is about to store. The function done releases the space. Room may
	// be nil.
	Room func(ctx context.Context, repo string, bytes int64) (done func(), err error)
	// Logs checks whether the caller may read logs; nil means that every caller may.
	Logs func(ctx context.Context) error
	// Link returns the URL of lines of a file at a commit, or "" if they have no URL. Link may be nil.
	Link func(repo, commit, path string, r docs.Range) string
	// Home holds pairs of a directory and its replacement, longest directory first. Answers show the replacement, so
	// that they do not reveal the directories of the user.
	Home [][2]string
	// Local is true if there is only one repository, which has no name.
	Local bool
}

// DocBlobs stores the texts of external documentation.
type DocBlobs interface {
	Get(ctx context.Context, key string) ([]byte, error)
	Put(ctx context.Context, key string, data []byte) error
	Delete(ctx context.Context, key string) error
}

// Indexes builds and keeps indexes of documents.
type Indexes interface {
	// Index returns the index of a repository's documents. Repositories do not share indexes. With shared indexes, the
	// time of a call would reveal which documents other repositories have.
	Index(ctx context.Context, repo string, set facts.Set) (*docs.Index, error)
}

// DocsAt names the repository and the commit of the documentation.
type DocsAt struct {
	Repo string `json:"repo,omitempty" jsonschema:"owner/name" hosted:"true"`
	At   string `json:"at,omitempty" jsonschema:"commit, PR#12, run"`
}

// Resolved names the version of a repository's documents that an answer is about.
type Resolved struct {
	Commit       string `json:"commit,omitempty" jsonschema:"that was asked for" schema:"unlisted"`
	ResolvedFrom string `json:"resolved_from,omitempty" jsonschema:"ancestor whose facts they are" schema:"unlisted"`
	Distance     int    `json:"distance,omitempty" jsonschema:"commits between" schema:"unlisted"`
	Dirty        bool   `json:"dirty,omitempty" jsonschema:"with uncommitted changes" schema:"unlisted"`
	Untrusted    bool   `json:"untrusted,omitempty" jsonschema:"from a fork" schema:"unlisted"`
}

// pinLength is the number of digits of a commit or digest in a reference. The other digits are left out.
const pinLength = 10

// library answers one question about the documentation of a repository.
type library struct {
	*Docs
	asker *Asker
	repo  string
	at    string
	// resolved is set after the first read of the repository's documents.
	resolved Resolved
	quick    bool // use only indexes that exist or can be built quickly
	opened   map[string]*docs.Source
	indexes  map[*docs.Source]*docs.Index
}

// library returns the documentation of a repository. NotFound: the repository has no documentation, or the caller may
// not see the repository. Invalid: the caller may see several repositories, and the question names none.
func (a *Asker) library(at DocsAt) (*library, error) {
	if a.Docs == nil {
		return nil, store.Hint(store.Errorf(store.NotFound, "there is no documentation here"),
			"ask where the repository is, or a server that has its facts")
	}
	l := &library{Docs: a.Docs, asker: a, repo: at.Repo, at: at.At, opened: map[string]*docs.Source{},
		indexes: map[*docs.Source]*docs.Index{}}
	switch names := a.Scope.Names(); {
	case a.Docs.Local:
		l.repo = ""
	case at.Repo != "" && !a.Scope.Has(at.Repo):
		return nil, store.Errorf(store.NotFound, "there is no repository %.100s", at.Repo)
	case at.Repo == "" && !a.Scope.All() && len(names) == 1:
		l.repo = names[0]
	case at.Repo == "":
		return nil,
			store.Hint(store.Errorf(store.Invalid, "the documentation of which repository?"), "name it: repo=\"owner/name\"")
	}
	return l, nil
}

// open returns the documents of a source at a revision. The revision "" means l.at for the repository's own documents,
// and the newest version for an external source.
func (l *library) open(ctx context.Context, alias, rev string) (*docs.Source, error) {
	key := alias + "@" + rev
	if s := l.opened[key]; s != nil {
		return s, nil
	}
	var s *docs.Source
	var err error
	switch {
	case alias == docs.RepositoryAlias:
		s, err = l.own(ctx, rev)
	case source.CheckAlias(alias) != nil:
		return nil, unknownSource(alias)
	default:
		s, err = l.added(ctx, alias, rev)
	}
	if err == nil {
		l.opened[key] = s
	}
	return s, err
}

// own returns the repository's own documents.
func (l *library) own(ctx context.Context, rev string) (*docs.Source, error) {
	found, err := l.facts(ctx, rev, store.FactDocs)
	if err != nil {
		return nil, err
	}
	index, err := l.index(ctx, found.Set)
	if err != nil {
		return nil, err
	}
	if rev == "" {
		l.resolved = Resolved{Commit: found.Commit, ResolvedFrom: found.ResolvedFrom, Distance: found.Distance,
			Dirty: found.Dirty, Untrusted: found.Untrusted}
	}
	link := func(path string, r docs.Range) string { return l.link(found, path, r) }
	s, err := l.source(docs.RepositoryAlias, short(found.Pin()), found.Set, index, link)
	if err == nil && found.Dirty {
		s.Dirty(found.Changed)
	}
	return s, err
}

// source makes a source from documents and their index. It stores the index in l.indexes.
func (l *library) source(alias, rev string, set facts.Set, index *docs.Index, link func(string, docs.Range) string) (
	*docs.Source, error) {
	s, err := docs.NewSource(alias, rev, set, index, link)
	if err == nil {
		l.indexes[s] = index
	}
	return s, err
}

// facts returns the repository's facts of a kind, such as its documents or its manifests, at a revision. The revision
// "" means l.at.
func (l *library) facts(ctx context.Context, rev string, kind store.FactKind) (facts.Found, error) {
	at := l.at
	if rev != "" {
		at = rev
	}
	if l.Facts == nil {
		return facts.Found{}, noFacts()
	}
	return l.Facts.At(ctx, facts.Query{Repo: l.repo, At: at, Kind: kind})
}

// noFacts returns the NotFound error for a question that needs files of the repository, if there are none.
func noFacts() error {
	return store.Hint(store.Errorf(store.NotFound, "no files of the repository are here"),
		"send them with: blq facts push")
}

func (l *library) link(found facts.Found, path string, r docs.Range) string {
	pin := found.PinOf(path)
	if l.Link == nil || pin == "" {
		return ""
	}
	return l.Link(found.Repo, pin, path, r)
}

// added returns a version of an external source. The revision "" means the newest version.
func (l *library) added(ctx context.Context, alias, rev string) (*docs.Source, error) {
	v, err := l.version(ctx, alias, rev)
	if err != nil {
		return nil, err
	}
	set := text{v, l.Blobs}
	index, err := l.index(ctx, set)
	if err != nil {
		return nil, err
	}
	return l.source(alias, short(v.Digest), set, index, func(string, docs.Range) string { return v.FinalURL })
}

// version returns a version of a source. rev holds the first digits of the version's digest; "" means the newest
// version.
func (l *library) version(ctx context.Context, alias, rev string) (store.SourceVersion, error) {
	versions, err := l.versions(ctx, alias)
	if err != nil {
		return store.SourceVersion{}, err
	}
	if rev == "" {
		return versions[0], nil
	}
	i := slices.IndexFunc(versions, func(v store.SourceVersion) bool { return strings.HasPrefix(v.Digest, rev) })
	if i < 0 || len(rev) < minRevision {
		return store.SourceVersion{}, store.Next(store.Errorf(store.NotFound, "%s has no version %.80s", alias, rev),
			store.NewCall("run-command", "lists its versions", "command", "history", "source", alias))
	}
	return versions[i], nil
}

// minRevision is the min number of digits in a revision.
const minRevision = 4

// versions returns the versions of a source, newest first.
func (l *library) versions(ctx context.Context, alias string) ([]store.SourceVersion, error) {
	if l.Sources == nil {
		return nil, unknownSource(alias)
	}
	versions, err := l.Sources.SourceVersions(ctx, l.asker.Scope, l.repo, alias)
	if store.CodeOf(err) == store.NotFound {
		return nil, unknownSource(alias)
	}
	return versions, err
}

// unknownSource returns the NotFound error for an alias. The error does not reveal whether other repositories have a
// source with the alias.
func unknownSource(alias string) error {
	if e, known := source.Find(alias); known {
		return store.Next(store.Errorf(store.NotFound, "the source %s was not added yet", e.Alias),
			store.NewCall("source-add", "fetches "+e.URL, "alias", e.Alias))
	}
	if !source.IsAlias(alias) {
		return store.Next(store.Errorf(store.NotFound, "there is no such source"),
			store.NewCall("list-sources", "lists what there is"))
	}
	return store.NoSource(alias)
}

// index returns the index of documents.
func (l *library) index(ctx context.Context, set facts.Set) (*docs.Index, error) {
	if l.quick {
		return l.indexed(ctx, set)
	}
	if l.Indexes == nil {
		return docs.Build(ctx, set, nil)
	}
	return l.Indexes.Index(ctx, l.repo, set)
}

// short cuts a commit or digest to the number of digits that references have.
func short(hash string) string { return hash[:min(len(hash), pinLength)] }

// text is the only document of an external source.
type text struct {
	store.SourceVersion
	blobs DocBlobs
}

// name returns a file name for the text. The extension of the name determines the format of the text.
func (t text) name() string {
	name := t.FinalURL[strings.LastIndexByte(t.FinalURL, '/')+1:]
	name, _, _ = strings.Cut(name, "?")
	if !strings.Contains(name, ".") {
		return "llms.txt"
	}
	return name
}

// Files implements facts.Set.
func (t text) Files() []facts.File {
	return []facts.File{{Path: t.name(), Digest: t.SourceVersion.Digest, Size: t.Bytes}}
}

// Read implements facts.Set.
func (t text) Read(ctx context.Context, _ facts.File) ([]byte, error) {
	b, err := t.blobs.Get(ctx, t.Key)
	if err == nil && facts.Digest(b) != t.SourceVersion.Digest {
		err = store.Next(store.Errorf(store.Failed, "the text of %s is damaged", t.Alias),
			store.NewCall("source-add", "fetches it again", "alias", t.Alias, "force", true))
	}
	return b, err
}

// Digest implements facts.Set.
func (t text) Digest() string {
	return facts.Digest(fmt.Appendf(nil, "%s\n%s", t.name(), t.SourceVersion.Digest))
}

// docsError converts an error with a docs.Code to an error with the matching store.Code. It returns other errors
// unchanged.
func docsError(err error) error {
	code, coded := docs.CodeOf(err)
	if err == nil || !coded {
		return err
	}
	to := map[docs.Code]store.Code{docs.NoSource: store.NotFound, docs.BadCitation: store.Malformed,
		docs.BadIndex:  store.Failed,
		docs.BadParams: store.Invalid}[code]
	return store.Next(store.Errorf(to, "%s", err.Error()), store.NextOf(err))
}
