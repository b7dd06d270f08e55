package gcs

import "time"

// WithPatience returns the bucket with a max number of attempts, the max time of
// each, and the pause before the second.
func (b *Bucket) WithPatience(attempts int, each, pause time.Duration) *Bucket {
	other := *b
	other.patience = patience{attempts, each, pause}
	return &other
}
