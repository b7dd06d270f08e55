package web

// Spans returns a line as it is shown.
var Spans = spans
