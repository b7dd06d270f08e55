// Package docs answers questions about the documentation of a commit. It cuts documents into blocks under headings,
// searches the blocks, and reads the lines that citations name. The package does not access a store, the network or
// the command line.
package docs
