// Package formats reads contracts that are not JSON Schema: OpenAPI, Protocol Buffers and GraphQL. It says what a
// change of a contract means for its users. It reads only the files that it is given: references to other files and
// addresses are never followed. docs/realm.md has the rules. The build for jobs knows the formats, but cannot compare
// them.
package formats

import (
	"errors"
	"path"
	"strings"
)

// Format is the language of a contract.
type Format string

// These are the formats.
const (
	JSONSchema Format = "jsonschema"
	OpenAPI    Format = "openapi"
	Protobuf   Format = "protobuf"
	GraphQL    Format = "graphql"
)

// Of returns the format that a file has by its name, JSONSchema if the name does not say.
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

// Known reports whether a format is one of these.
func Known(f Format) bool { return f == JSONSchema || f.IsText() || f == OpenAPI }

// IsText reports whether a format is a language of its own, not JSON.
func (f Format) IsText() bool { return f == Protobuf || f == GraphQL }

// Level says what a change means for those who use a contract.
type Level int

// These are the levels.
const (
	Harmless  Level = iota
	Dangerous       // programs work, but may behave otherwise
	Breaking        // programs that worked fail
)

// Change is a difference between two states of a contract.
type Change struct {
	Level Level
	Rule  string // such as field-removed
	Text  string // a sentence without its end
}

// ErrUnsupported is the error of a build that cannot read a format.
var ErrUnsupported = errors.New("this build of blq does not compare contracts in this format: the service and " +
	"the blq for people do")

// These bound documents.
const (
	maxTokens  = 400_000
	maxDepth   = 64 // of messages in messages
	maxImports = 200
	maxChanges = 200     // of a level
	maxParts   = 64      // of a name in Protocol Buffers
	maxPairs   = 50_000  // of schemas that are compared
	maxWork    = 500_000 // properties, alternatives and texts of those
)

// Texts returns the text of a file of Protocol Buffers and the texts of the files that it imports, if they exist: at
// their path, or at a path that ends with it. The text of the file comes first.
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

// find returns the file that an import means, "" for none. If several file names end with it, the first in the alphabet
// counts.
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

// imports returns the names of the files that a file of Protocol Buffers imports.
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

// Canonical returns a text without comments and space, so that equal texts mean the same. A text that cannot be read is
// returned as it is.
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
