package api

import (
	"fmt"

	"github.com/blq-ci/blq/store"
)

// Facts is the body of POST /v1/facts: a commit has the facts of a manifest. The answer is a FactsState.
type Facts struct {
	Repo     string         `json:"repo,omitempty"` // owner/name; a token's claims overrule it
	Commit   string         `json:"git_commit"`     // full hash
	Kind     store.FactKind `json:"kind"`
	Manifest string         `json:"manifest"`             // SHA-256 of the manifest, which is an object, too
	Branch   string         `json:"git_branch,omitempty"` // the branch whose head is the commit
	Tag      string         `json:"git_tag,omitempty"`    // of the commit
	PR       int            `json:"pr_number,omitempty"`  // the pull request whose head is the commit
	Fork     bool           `json:"fork,omitempty"`       // the code of a fork told the facts
	// Ancestors are the first-parent ancestors of the commit, nearest first.
	Ancestors []string `json:"ancestors,omitempty"`
}

// FactsState says which facts of a commit the service has. It does not store them while objects are missing.
type FactsState struct {
	Repo      string         `json:"repo"`
	Commit    string         `json:"git_commit"`
	Kind      store.FactKind `json:"kind"`
	Manifest  string         `json:"manifest"`
	Stored    bool           `json:"stored"`
	Untrusted bool           `json:"untrusted,omitempty"` // they are those of a fork
	Files     int            `json:"files"`
	Bytes     int64          `json:"bytes"`
	Missing   []string       `json:"missing,omitempty"` // digests of objects that have to be sent first; perhaps not all
}

// ParamRepo is the query parameter of PUT /v1/facts/objects and PUT /v1/facts/objects/{digest} that names the
// repository.
const ParamRepo = "repo"

// These are the limits of facts; the limits of sets are in package facts.
const (
	MaxAncestors = 200
	MaxMissing   = 20_000   // digests in an answer
	MaxObject    = 32 << 20 // bytes of a file or a manifest

	MaxObjects     = 5000     // objects of a request
	MaxObjectsBody = 8 << 20  // bytes of their request, as sent
	MaxObjectsText = 16 << 20 // likewise, decompressed
)

// ObjectLine returns the line that precedes an object in the body of PUT /v1/facts/objects. The digest is its SHA-256
// in hexadecimal; size bytes follow, and then the line of the next object.
func ObjectLine(digest string, size int) string { return fmt.Sprintf("%s %d\n", digest, size) }
