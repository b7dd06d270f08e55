// Package docs answers questions about the documentation of a commit: it cuts documents into blocks under headings,
// searches them, and reads the lines that citations name. It is a library without store, network and command line.
package docs
