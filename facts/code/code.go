// Package code reads the symbols and imports of source files, and finds the files of the repository that the imports
// name. An Index has them for all source files of a set. Scanners are written by hand, one file for each language, on
// one lexer; they read what a compiler would refuse, too. The package may import facts and store.
package code

// Kind is the kind of a symbol.
type Kind string

// These are the kinds of symbols.
const (
	Class     Kind = "class"
	Struct    Kind = "struct"
	Interface Kind = "interface" // also protocols
	Trait     Kind = "trait"     // also mixins
	Enum      Kind = "enum"
	Type      Kind = "type" // aliases and other types
	Object    Kind = "object"
	Module    Kind = "module" // also namespaces
	Extension Kind = "extension"
	Function  Kind = "function"
	Method    Kind = "method" // also constructors and accessors
	Const     Kind = "const"
	Var       Kind = "var"
	Macro     Kind = "macro"
)

// Symbol is a name that a file defines, outside of the bodies of functions. A field is not a symbol.
type Symbol struct {
	Name   string
	Kind   Kind
	Parent string // the types around it, with dots between them; of a method in Go and Rust the receiver
	Line   int    // first line of its declaration, without annotations and decorators
	End    int    // last line
}

// Import is a mention of another file or package.
type Import struct {
	Path string // as the language writes it
	Line int
	// Names are what Python takes from the module, or how another language means the path: see the scanners.
	Names []string
	// Targets are the files of the repository that are imported, and the directories, which end with a slash. Packages
	// from elsewhere have none.
	Targets []string
}

// Note is an annotation in a comment that gives the lines below it to a node of the graph: beadloom:feature=name.
type Note struct {
	Key  string
	Node string
	Line int
}

// Scan is the result of scanning a file.
type Scan struct {
	Lines    int
	Package  string // that the file says it is in; of Go, Java, Kotlin, Scala, C# and PHP
	Packages []string
	Symbols  []Symbol
	Imports  []Import
	Notes    []Note
}

// These bound how much is kept of a file; a generated file may have more.
const (
	maxSymbols = 50_000
	maxImports = 20_000
	maxNotes   = 1_000
	maxName    = 500 // bytes
	maxLevel   = 100 // of types in types
)
