package gcs

import "time"

// WithPatience returns a copy of the bucket with a max number of attempts, a max time of each attempt, and the pause
// before the second attempt.
func (b *Bucket) WithPatience(attempts int, each, pause time.Duration) *Bucket {
	other := *b
	other.patience = patience{attempts, each, pause}
	return &other
}
