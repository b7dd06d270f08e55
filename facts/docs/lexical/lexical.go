// Package lexical ranks blocks of text by the words of a query. The ranking is BM25 over weighted fields. An index is
// a byte string that can be read without decoding. Equal blocks give equal bytes, however the index was built. Equal
// indexes give equal scores on every machine. The package imports only the standard library.
package lexical

// Field says where a word of a block of text comes from.
type Field int

// These are the fields in which the index counts the words of a block. Body and Heading both count the heading.
const (
	Body    Field = iota // the text of the block with its heading
	Heading              // the heading of the block
	Above                // the enclosing headings
	Place                // the path and title of the document
	fields
)

// maxTerm is the max number of bytes of an indexed word.
const maxTerm = 100

// maxCount is the max number of occurrences of a word that count in a field other than the body.
const maxCount = 3
