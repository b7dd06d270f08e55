package facts

import "context"

// These are names for tests.
const (
	MaxFiles = maxFiles
	MaxBytes = maxBytes
)

// ParseManifest is parseManifest.
var ParseManifest = parseManifest

// ObjectReader finds the keys of objects.
type ObjectReader struct{ r *objectReader }

func NewObjectReader(objects Objects) ObjectReader {
	return ObjectReader{&objectReader{objects: objects}}
}

func (o ObjectReader) Key(ctx context.Context, digest string) (string, error) {
	return o.r.key(ctx, digest)
}

// Waiting returns for how many keys the next question will be.
func (o ObjectReader) Waiting() int {
	o.r.mu.Lock()
	defer o.r.mu.Unlock()
	return len(o.r.wanted)
}
