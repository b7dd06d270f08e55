package redact

import "testing"

// BenchmarkTables builds the table of shapes, as each program does once.
func BenchmarkTables(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newAllShapes()
	}
}
