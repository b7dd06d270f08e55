package facts

import "context"

// These names are exported for tests.
const (
	MaxFiles = maxFiles
	MaxBytes = maxBytes
)

var ParseManifest = parseManifest

// ObjectReader finds the keys of objects.
type ObjectReader struct{ r *objectReader }

func NewObjectReader(objects Objects) ObjectReader {
	return ObjectReader{&objectReader{objects: objects}}
}

func (o ObjectReader) Key(ctx context.Context, digest string) (string, error) {
	return o.r.key(ctx, digest)
}

// Waiting returns the number of keys in the next lookup.
func (o ObjectReader) Waiting() int {
	o.r.mu.Lock()
	defer o.r.mu.Unlock()
	return len(o.r.wanted)
}
