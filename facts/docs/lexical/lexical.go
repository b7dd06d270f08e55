// Package lexical ranks blocks of text by the words of a query, with BM25 over weighted fields. An index is a string of
// bytes that is the same however it was built, and is read without being decoded first. Equal indexes give equal scores
// on every machine. It imports only the standard library.
package lexical

// Field is a part of a block.
type Field int

// These are the fields.
const (
	Body    Field = iota // the block's text with its heading
	Heading              // its own heading
	Above                // the headings above it
	Place                // the path and title of its document
	fields
)

// maxTerm is the max number of bytes of a word that is indexed.
const maxTerm = 100

// maxCount is the max number of times that a word counts in fields other than the body.
const maxCount = 3
