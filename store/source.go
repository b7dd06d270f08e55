package store

import (
	"context"
	"time"
)

// SourceVersion is a document from outside of a repository, as it was when it was fetched. The newest version of a
// source is what is searched; earlier ones are kept, so that what cites them can be read.
type SourceVersion struct {
	Repo         string // that the source was added to; others do not have it
	Alias        string // its name, unique within the repository
	Digest       string // SHA-256 of the text, hexadecimal
	Key          string // of the text in Blobs, never used for another one
	Bytes        int64  // of the text
	Lines        int
	Headings     int
	Title        string
	URL          string // that was asked for
	FinalURL     string // that the text came from
	ETag         string // of the answer, as LastModified
	LastModified string
	FetchedAt    time.Time
	CheckedAt    time.Time     // when the text was last known to be current
	Took         time.Duration // to fetch and to index it
}

// These bound what a repository has of sources.
const (
	MaxSources        = 200 // sources
	MaxSourceVersions = 100 // versions of each; older ones are removed
)

// Sources keeps the documentation from outside of repositories.
type Sources interface {
	// Sources returns the newest version of each source of a repository, by alias.
	Sources(ctx context.Context, sc Scope, repo string) ([]SourceVersion, error)

	// SourceVersions returns the versions of a source, newest first. NotFound: there is no such source.
	SourceVersions(ctx context.Context, sc Scope, repo, alias string) ([]SourceVersion, error)

	// AddSourceVersion adds a version, whose text is in Blobs already, as the newest of its source. With fresh the
	// source must be a new one. If the source has had the same text before, that version becomes the newest; it keeps
	// its key, and the caller's copy is not needed. Invalid: see SourceVersion.Checked. Conflict: there is a source
	// with that alias, and fresh is set. TooLarge: the repository has MaxSources.
	AddSourceVersion(ctx context.Context, v SourceVersion, fresh bool) (SourceVersion, error)

	// RemoveSource removes a source with all of its versions, and returns their number. Their texts become garbage.
	// NotFound: there is no such source.
	RemoveSource(ctx context.Context, repo, alias string) (int, error)
}

// Checked returns the version as engines store it. Invalid: it has no alias, digest, key or time.
func (v SourceVersion) Checked() (SourceVersion, error) {
	if v.Alias == "" || !IsDigest(v.Digest) || v.Key == "" || v.Bytes < 0 || v.FetchedAt.IsZero() {
		return v,
			Errorf(Invalid, "source %.80q with the digest %.80q, the key %q and %d bytes", v.Alias, v.Digest, v.Key, v.Bytes)
	}
	v.FetchedAt = v.FetchedAt.UTC().Truncate(time.Microsecond)
	if v.CheckedAt.Before(v.FetchedAt) {
		v.CheckedAt = v.FetchedAt
	}
	v.CheckedAt, v.Took = v.CheckedAt.UTC().Truncate(time.Microsecond), v.Took.Truncate(time.Microsecond)
	return v, nil
}

// SourceSQL are the columns of a version in the table doc_sources, in the SQL of all engines, except for times.
const SourceSQL = `repo, alias, digest, key, size, lines, headings, title, url, final_url, etag, last_modified, took`

// Columns returns where the columns of SourceSQL are scanned to. Took is in nanoseconds.
func (v *SourceVersion) Columns() []any {
	return []any{&v.Repo, &v.Alias, &v.Digest, &v.Key, &v.Bytes, &v.Lines, &v.Headings, &v.Title, &v.URL, &v.FinalURL,
		&v.ETag, &v.LastModified, &v.Took}
}

// NoSource returns the NotFound of a source that a repository does not have.
func NoSource(alias string) error {
	return Next(Errorf(NotFound, "there is no source %.80s", alias), NewCall("list-sources", "lists what there is"))
}

// SourceTaken returns the Conflict of an alias that a source already has.
func SourceTaken(alias string) error {
	return Next(Errorf(Conflict, "there is a source %s already", alias),
		NewCall("source-add", "fetches it again; earlier versions stay citable", "alias", alias, "force", true))
}

// TooManySources returns the TooLarge of a repository that has MaxSources.
func TooManySources() error {
	return Next(Errorf(TooLarge, "there are %d sources, as many as may be", MaxSources),
		NewCall("docs_remove", "removes one", "source", "old-docs"))
}
