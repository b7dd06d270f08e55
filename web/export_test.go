package web

// Spans and Seconds export functions for tests.
var (
	Spans   = spans
	Seconds = seconds
)
