package api

import "time"

// UploadToken is the answer to POST /v1/token. A CI job sends an OIDC token in the Authorization header, and gets
// an UploadToken to send its runs with. When the UploadToken expires, the job gets a new UploadToken in the same
// way.
type UploadToken struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
	Repo      string    `json:"repo"` // owner/name of the repository that the token is for
}
