package store

import (
	"context"
	"time"
)

// SourceVersion is a fetched version of an external document. Searches use the newest version of a source. Earlier
// versions stay stored, so that readers can follow citations.
type SourceVersion struct {
	Repo         string // repository of the source
	Alias        string // name of the source, unique within the repository
	Digest       string // SHA-256 of the text, hexadecimal
	Key          string // key of the text in Blobs, never reused
	Bytes        int64  // size of the text
	Lines        int
	Headings     int
	Title        string
	URL          string // requested URL
	FinalURL     string // URL of the text, after redirects
	ETag         string // header of the response
	LastModified string
	FetchedAt    time.Time
	CheckedAt    time.Time     // when the text was last known to be current
	Took         time.Duration // time for fetching and indexing
}

// These limits bound the sources of a repository.
const (
	MaxSources        = 200 // max sources
	MaxSourceVersions = 100 // max versions of each source; older versions are removed
)

// Sources stores the external documentation of repositories.
type Sources interface {
	// Sources returns the newest version of each source of a repository, by alias.
	Sources(ctx context.Context, sc Scope, repo string) ([]SourceVersion, error)

	// SourceVersions returns the versions of a source, newest first. NotFound: there is no such source.
	SourceVersions(ctx context.Context, sc Scope, repo, alias string) ([]SourceVersion, error)

	// AddSourceVersion adds a version as the newest version of its source. The text must already be in Blobs. If fresh
	// is true, the source must be new. If an earlier version has the same text, the earlier version becomes the newest
	// version and keeps its key. In that case the caller's copy of the text is not needed. Invalid: see
	// SourceVersion.Checked. Conflict: fresh is true, and a source with the alias exists. TooLarge: the source is new,
	// and the repository has MaxSources sources.
	AddSourceVersion(ctx context.Context, v SourceVersion, fresh bool) (SourceVersion, error)

	// RemoveSource removes a source and all of its versions, and returns the number of versions. The texts of the
	// versions become garbage. NotFound: there is no such source.
	RemoveSource(ctx context.Context, repo, alias string) (int, error)
}

// Checked returns the version in the form that engines store. Invalid: the alias, key or time is missing, or the digest
// or size is not valid.
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

// SourceSQL lists the columns of the table doc_sources except id, fetched_at and checked_at, in SQL for all engines.
const SourceSQL = `repo, alias, digest, key, size, lines, headings, title, url, final_url, etag, last_modified, took`

// Columns returns pointers for scanning the columns of SourceSQL. Took is in nanoseconds.
func (v *SourceVersion) Columns() []any {
	return []any{&v.Repo, &v.Alias, &v.Digest, &v.Key, &v.Bytes, &v.Lines, &v.Headings, &v.Title, &v.URL, &v.FinalURL,
		&v.ETag, &v.LastModified, &v.Took}
}

// NoSource returns the NotFound error for a source that a repository does not have.
func NoSource(alias string) error {
	return Next(Errorf(NotFound, "there is no source %.80s", alias), NewCall("list-sources", "lists what there is"))
}

// SourceTaken returns the Conflict error for an alias that another source has.
func SourceTaken(alias string) error {
	return Next(Errorf(Conflict, "there is a source %s already", alias),
		NewCall("source-add", "fetches it again; earlier versions stay citable", "alias", alias, "force", true))
}

// TooManySources returns the TooLarge error for a repository with MaxSources sources.
func TooManySources() error {
	return Next(Errorf(TooLarge, "there are %d sources, as many as may be", MaxSources),
		NewCall("docs_remove", "removes one", "source", "old-docs"))
}
