package web

// Spans exports spans.
var Spans = spans
