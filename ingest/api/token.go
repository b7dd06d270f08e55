package api

import "time"

// UploadToken is the answer to POST /v1/token: what a CI job gets for the OIDC
// token that it showed as its bearer token. The job sends its runs with it, and
// exchanges another OIDC token when this one has expired.
type UploadToken struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
	Repo      string    `json:"repo"` // owner/name that it is good for
}
