package api

import "time"

// UploadToken is the answer to POST /v1/token. A CI job sends an OIDC token in the Authorization header. It gets an
// UploadToken, with which it sends its runs. When the UploadToken expires, the job gets another one in the same way.
type UploadToken struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
	Repo      string    `json:"repo"` // owner/name of the repository for which the token is valid
}
