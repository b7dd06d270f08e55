//go:build job

package formats

// Read fails with ErrUnsupported. Jobs ask the service instead.
func Read(Format, []byte, ...[]byte) (*Document, error) { return nil, ErrUnsupported }

// Document is a contract that was read.
type Document struct{}

// Changes returns nothing.
func Changes(_, _ *Document, _ string) []Change { return nil }
