package docs

import "encoding/binary"

// Sign writes the correct checksum into an index.
func Sign(b []byte) []byte {
	binary.LittleEndian.PutUint32(b[len(version):], checksum(b))
	return b
}
