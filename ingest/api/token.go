package api

import "time"

// UploadToken is the answer to POST /v1/token. A CI job gets it for the OIDC token in its Authorization header,
// and sends its runs with it. When it expires, the job shows another OIDC token.
type UploadToken struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
	Repo      string    `json:"repo"` // owner/name of the repository that it is for
}
