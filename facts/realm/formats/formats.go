// Package formats reads contracts in OpenAPI, Protocol Buffers and GraphQL. It classifies the changes of a contract by
// their effect on users. It reads only the given files. It does not follow references to further files or to addresses.
// docs/realm.md has the rules. A build with the tag job knows the formats, but cannot read or compare contracts.
package formats

import (
	"errors"
	"path"
	"strings"
)

// Format is the language of a contract.
type Format string

// These are the formats of contracts.
const (
	JSONSchema Format = "jsonschema"
	OpenAPI    Format = "openapi"
	Protobuf   Format = "protobuf"
	GraphQL    Format = "graphql"
)

// Of returns the format of a file by its name, or JSONSchema if the name does not show the format.
func Of(file string) Format {
	switch strings.ToLower(path.Ext(file)) {
	case ".proto":
		return Protobuf
	case ".graphql", ".graphqls", ".gql":
		return GraphQL
	}
	if name := strings.ToLower(path.Base(file)); strings.Contains(name, "openapi") || strings.Contains(name, "swagger") {
		return OpenAPI
	}
	return JSONSchema
}

// Known reports whether a format is supported.
func Known(f Format) bool { return f == JSONSchema || f.IsText() || f == OpenAPI }

// IsText reports whether a format is not JSON.
func (f Format) IsText() bool { return f == Protobuf || f == GraphQL }

// Level is the effect of a change on the users of a contract.
type Level int

// These are the levels.
const (
	Harmless  Level = iota
	Dangerous       // programs still work, but may behave differently
	Breaking        // working programs fail
)

// Change is a difference between two states of a contract.
type Change struct {
	Level Level
	Rule  string // name of the rule, such as field-removed
	Text  string // a sentence without a full stop
}

// ErrUnsupported is the error of a build that cannot compare a format.
var ErrUnsupported = errors.New("this build of blq does not compare contracts in this format: the service and " +
	"the blq for people do")

// These limit documents and comparisons.
const (
	maxTokens  = 400_000
	maxDepth   = 64 // depth of nested messages
	maxImports = 200
	maxChanges = 200     // changes of one level
	maxParts   = 64      // parts of a Protocol Buffers name
	maxPairs   = 50_000  // compared pairs of schemas
	maxWork    = 500_000 // properties, alternatives and texts in the compared schemas
)

// Texts returns the text of a Protocol Buffers file, followed by the texts of the files that it imports, directly or
// indirectly. It also returns the names of these files. An import is looked up by its path, or else by a longer path
// that ends with the path of the import. Missing files are left out, and so are files after the first maxImports.
func Texts(name string, files map[string][]byte) (texts [][]byte, names []string) {
	queue, seen := []string{name}, map[string]bool{name: true}
	for len(queue) > 0 && len(texts) < maxImports {
		text, there := files[queue[0]]
		if there {
			texts, names = append(texts, text), append(names, queue[0])
			for _, i := range imports(text) {
				if at := find(i, files); at != "" && !seen[at] {
					seen[at] = true
					queue = append(queue, at)
				}
			}
		}
		queue = queue[1:]
	}
	return texts, names
}

// find returns the file for an import, or "" if there is none. If several paths end with the name, the first of these
// paths in alphabetical order is used.
func find(name string, files map[string][]byte) string {
	if _, there := files[name]; there {
		return name
	}
	best := ""
	for file := range files {
		if strings.HasSuffix(file, "/"+name) && (best == "" || file < best) {
			best = file
		}
	}
	return best
}

// imports returns the names of the files that a Protocol Buffers file imports.
func imports(text []byte) (names []string) {
	tokens, err := scan(string(text), Protobuf)
	if err != nil {
		return nil
	}
	for i := 0; i+1 < len(tokens); i++ {
		if tokens[i].text != "import" || tokens[i].kind != word || i > 0 && tokens[i-1].text != ";" {
			continue
		}
		next := tokens[i+1]
		if next.kind == word && i+2 < len(tokens) {
			next = tokens[i+2]
		}
		if next.kind == quoted {
			names = append(names, next.text)
		}
	}
	return names
}

// Canonical returns a text without comments and spaces. Texts with equal canonical forms mean the same. A text that
// cannot be read is returned unchanged.
func Canonical(f Format, text []byte) string {
	tokens, err := scan(string(text), f)
	if err != nil {
		return string(text)
	}
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte(t.kind)
		b.WriteString(t.text)
		b.WriteByte('\n')
	}
	return b.String()
}
