package facts

// These are names for tests.
const (
	MaxFiles = maxFiles
	MaxBytes = maxBytes
)

// ParseManifest is parseManifest.
var ParseManifest = parseManifest
