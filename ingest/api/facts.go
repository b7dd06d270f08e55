package api

import (
	"fmt"

	"github.com/blq-ci/blq/store"
)

// Facts is the body of POST /v1/facts. It names a commit, and the manifest that lists the facts of the commit. The
// answer is a FactsState.
type Facts struct {
	Repo     string         `json:"repo,omitempty"` // owner/name; the claims of a token replace it
	Commit   string         `json:"git_commit"`     // full hash
	Kind     store.FactKind `json:"kind"`
	Manifest string         `json:"manifest"`             // SHA-256 of the manifest, which is also an object
	Branch   string         `json:"git_branch,omitempty"` // the branch whose head is the commit
	Tag      string         `json:"git_tag,omitempty"`    // a tag of the commit
	PR       int            `json:"pr_number,omitempty"`  // the pull request whose head is the commit
	Fork     bool           `json:"fork,omitempty"`       // the facts come from code of a fork
	// Ancestors are the first-parent ancestors of the commit, nearest first.
	Ancestors []string `json:"ancestors,omitempty"`
}

// FactsState says whether the service has stored one kind of facts of a commit. The service stores no facts while
// objects are missing.
type FactsState struct {
	Repo      string         `json:"repo"`
	Commit    string         `json:"git_commit"`
	Kind      store.FactKind `json:"kind"`
	Manifest  string         `json:"manifest"`
	Stored    bool           `json:"stored"`
	Untrusted bool           `json:"untrusted,omitempty"` // the facts come from a fork
	Files     int            `json:"files"`
	Bytes     int64          `json:"bytes"`
	Missing   []string       `json:"missing,omitempty"` // objects to send first; may be incomplete
}

// ParamRepo is the query parameter that names the repository in PUT /v1/facts/objects and PUT
// /v1/facts/objects/{digest}.
const ParamRepo = "repo"

// These are limits of requests about facts. Package facts has the limits of sets.
const (
	MaxAncestors = 200
	MaxMissing   = 20_000   // digests in an answer
	MaxObject    = 32 << 20 // bytes of a file or a manifest

	MaxObjects     = 5000     // objects in a request
	MaxObjectsBody = 8 << 20  // bytes of a request with several objects, as sent
	MaxObjectsText = 16 << 20 // bytes of a request with several objects, decompressed
)

// ObjectLine returns the line that precedes an object in the body of PUT /v1/facts/objects. digest is the SHA-256 of
// the object in hexadecimal, and size is its number of bytes. The line of the next object follows directly after the
// bytes of the object.
func ObjectLine(digest string, size int) string { return fmt.Sprintf("%s %d\n", digest, size) }
