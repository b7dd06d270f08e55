package redact

import "testing"

// BenchmarkTables makes the table of the shapes, as each program does once.
func BenchmarkTables(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newAllShapes()
	}
}
