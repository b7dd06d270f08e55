package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// Every next step in the source uses parameters that its tool has, with values of their types. Its command line is
// valid.
func TestCallsInTheSourceAreValid(t *testing.T) {
	t.Parallel()
	tools := readTools(t)
	found := 0
	inSource(t, func(at sourcePlace, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		if strings.HasPrefix(at.path, "../../mcp/lq_") {
			return // a call of a tool of lq, which only agents make; the tests of mcp check these
		}
		name, first := nameOf(call.Fun), 0
		prompt := strings.HasPrefix(at.path, "../../mcp/prompt")
		switch {
		case name == "NewCall", prompt && name == "use":
		case prompt && name == "sentence":
			first = 1
		default:
			return
		}
		tool, ok := literal(call.Args[first]).(string)
		if !ok {
			if !call.Ellipsis.IsValid() && nameOf(call.Args[first]) != "tool" {
				t.Errorf("%s: the tool of a call is to be written out", at)
			}
			return
		}
		first++
		if name == "NewCall" {
			first++ // skip the explanation
		}
		args := call.Args[first:]
		if call.Ellipsis.IsValid() {
			args = nil // the arguments are built elsewhere
		}
		found++
		checkCall(t, tools, at.String(), tool, args)
	})
	if found < 120 {
		t.Errorf("%d calls are in the source: that cannot be all", found)
	}
}

func checkCall(t *testing.T, tools map[string]map[string]string, file, tool string, args []ast.Expr) {
	t.Helper()
	if len(args)%2 != 0 {
		t.Errorf("%s: %s has a name without a value", file, tool)
		return
	}
	var example []any
	for i := 0; i < len(args); i += 2 {
		name, _ := literal(args[i]).(string)
		kind, known := tools[tool][name]
		switch {
		case name == "":
			t.Errorf("%s: a parameter of %s is to be written out", file, tool)
		case tools[tool] != nil && !known && name != "repo" && name != "remote":
			// Only hosted tools and the command line have the parameters repo and remote.
			t.Errorf("%s: %s has no parameter %q", file, tool, name)
		}
		value := literal(args[i+1])
		if given := kindOf(value); value != nil && known && given != kind {
			t.Errorf("%s: %s of %s is of type %s, not %s", file, name, tool, kind, given)
		}
		if value == nil {
			value = exampleOf(kind)
		}
		example = append(example, name, value)
	}
	line := cmdline.Words(store.NewCall(tool, "", example...))
	words, _ := shellword.Split(line)
	if strings.HasPrefix(line, `blq query "`) {
		words = []string{"blq", "query", "SQL"}
	}
	root := newRoot(&app{getenv: os.Getenv})
	command, rest, err := root.Find(words[1:])
	if err != nil || command == root || command.HasSubCommands() && tool != "commands" {
		t.Errorf("%s: %s: %v", file, line, err)
	} else if err := command.ParseFlags(rest); err != nil {
		t.Errorf("%s: %s: %v", file, line, err)
	}
}

// Hints are sentences. The source writes a command line with store.NewCall or store.Shell, and without an explanation
// after a #.
func TestHintsAreNoCommandLines(t *testing.T) {
	t.Parallel()
	comment := regexp.MustCompile(`^(blq|ls|mv|export|unset) .*   # `)
	found := 0
	inSource(t, func(at sourcePlace, n ast.Node) {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, _ := literal(n).(string); comment.MatchString(text) && !strings.Contains(text, "\n") {
				t.Errorf("%s: %q is a command line: use store.NewCall or store.Shell", at, text)
			}
		case *ast.CallExpr:
			if nameOf(n.Fun) != "Hint" || len(n.Args) < 2 {
				return
			}
			found++
			text, _ := literal(n.Args[1]).(string)
			if word, _, _ := strings.Cut(text, " "); word == "blq" || word == "ls" || word == "export" || word == "unset" {
				t.Errorf("%s: %q is a command line: use store.NewCall or store.Shell", at, text)
			}
		}
	})
	if found < 30 {
		t.Errorf("%d sentences are in the source: that cannot be all", found)
	}
}

// sourcePlace is where a node of the source is.
type sourcePlace struct {
	path string
	pos  token.Pos
	set  *token.FileSet
}

func (p sourcePlace) String() string { return p.set.Position(p.pos).String() }

// sourceFiles parses the Go files of this repository once for all tests. It leaves out test files.
var sourceFiles = sync.OnceValues(func() (files map[string]*ast.File, err error) {
	files = map[string]*ast.File{}
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files[path], err = parser.ParseFile(sourcePositions, path, nil, parser.SkipObjectResolution)
		return err
	})
	return files, err
})

var sourcePositions = token.NewFileSet()

// inSource calls f for each node of the source, except in tests.
func inSource(t *testing.T, f func(at sourcePlace, n ast.Node)) {
	t.Helper()
	files, err := sourceFiles()
	if err != nil {
		t.Fatal(err)
	}
	for path, file := range files {
		for n := range ast.Preorder(file) {
			f(sourcePlace{path, n.Pos(), sourcePositions}, n)
		}
	}
}

func nameOf(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// literal returns the value of an integer, of a string or of true. It returns nil for other names, and for calls.
func literal(e ast.Expr) any {
	switch e := e.(type) {
	case *ast.BasicLit:
		if n, err := strconv.Atoi(e.Value); err == nil {
			return n
		}
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.Ident:
		if e.Name == "true" {
			return true
		}
	}
	return nil
}

func kindOf(value any) string {
	switch value.(type) {
	case int:
		return "integer"
	case bool:
		return "boolean"
	}
	return "string"
}

func exampleOf(kind string) any {
	switch kind {
	case "integer":
		return 1
	case "array":
		return []string{"x"}
	case "object":
		return map[string]string{"x": "y"}
	}
	return "1" // flags of all types accept it
}

// readTools returns the types of the parameters of each tool.
func readTools(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../mcp/testdata/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Tools []struct {
			Name   string `json:"name"`
			Schema struct {
				Properties map[string]struct{ Type any } `json:"properties"`
			} `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	tools := map[string]map[string]string{}
	for _, tool := range list.Tools {
		tools[tool.Name] = map[string]string{}
		for name, p := range tool.Schema.Properties {
			kind, ok := p.Type.(string)
			if !ok {
				kind = "string" // or a number that is a reference
			}
			tools[tool.Name][name] = kind
		}
	}
	return tools
}
