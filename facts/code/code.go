// Package code reads the symbols and imports of source files. It also finds the files of the repository that the
// imports name. An Index holds the symbols and imports of all source files of a set.
//
// The scanners are written by hand. All of them use the same lexer. They also read code that a compiler would refuse.
// The package may import facts.
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

// Symbol is a name that a file defines outside of function bodies. Fields are not symbols.
type Symbol struct {
	Name   string
	Kind   Kind
	Parent string // the enclosing types, joined with dots; the receiver for methods in Go and Rust
	Line   int    // first line of its declaration, without annotations and decorators
	End    int    // last line
}

// Import is a mention of another file or package.
type Import struct {
	Path string // path or name as the source file writes it
	Line int
	// Names are the names that a Python import takes from the module. Other scanners put hints for the resolver into
	// Names. The comment of each scanner describes these hints.
	Names []string
	// Targets are the imported files and directories of the repository. Directories end with a slash. Packages from
	// outside of the repository have no targets.
	Targets []string
}

// Note is an annotation in a comment, such as beadloom:feature=name. It assigns the file to a node of the graph. If a
// file has several notes, the first one with a known node decides.
type Note struct {
	Key  string
	Node string
	Line int
}

// Scan is the result of scanning a file.
type Scan struct {
	Lines    int
	Package  string // the declared package, in Go, Java, Kotlin, Scala, C# and PHP
	Packages []string
	Symbols  []Symbol
	Imports  []Import
	Notes    []Note

	// mentions are paths in Rust that are imports if they lead to a file of the repository. The index adds these
	// imports to the end of Imports; mentioned is their number.
	mentions  []mention
	mentioned int
}

// mention is a path in Rust, such as other::a::f, that is not in a use declaration. Its first word may be the name of a
// crate or module.
type mention struct {
	path    string
	line    int
	modules int // number of inline modules around it
}

// These limits bound the data that is kept of a file. A generated file may have more.
const (
	maxSymbols = 50_000
	maxImports = 20_000
	maxNotes   = 1_000
	maxName    = 500 // bytes
	maxLevel   = 100 // nested types
)
