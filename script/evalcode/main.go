// Command evalcode measures how well facts/code reads source files. It compares the symbols and imports from
// facts/code with the symbols and imports from the languages' own parsers.
//
//	evalcode [-v] [-lenient] [FACTS] < PATHS
//
// FACTS has the results of another parser. Each line is an object for one file, with file, symbols ([name, kind, line])
// and imports ([path, line]). Without FACTS the files must be in Go, and go/parser is used.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/blq-ci/blq/facts/code"
)

// expected has the symbols and imports that another parser finds in a file.
type expected struct {
	File    string   `json:"file"`
	Symbols [][3]any `json:"symbols"`
	Imports [][2]any `json:"imports"`
}

// score counts results: those that both parsers found, those that facts/code missed, and those that only facts/code
// found (wrong).
type score struct{ both, missed, wrong int }

var (
	verbose = flag.Int("v", 0, "print that many differences")
	lenient = flag.Bool("lenient", false, "compare no lines")
)

func main() {
	flag.Parse()
	var symbols, imports score
	var bytes int64
	var spent time.Duration
	files, shown := 0, 0
	for e := range all() {
		text, err := os.ReadFile(e.File)
		if err != nil {
			continue
		}
		began := time.Now()
		scan, ok := code.ScanFile(e.File, text)
		spent += time.Since(began)
		if !ok {
			continue
		}
		files++
		bytes += int64(len(text))
		var have, want []string
		for _, s := range scan.Symbols {
			have = append(have, key(s.Name, string(s.Kind), s.Line))
		}
		for _, s := range e.Symbols {
			want = append(want, key(s[0], s[1], s[2]))
		}
		shown = symbols.compare(e.File, "symbol", have, want, shown)
		have, want = nil, nil
		for _, i := range scan.Imports {
			have = append(have, key(i.Path, "", i.Line))
		}
		for _, i := range e.Imports {
			want = append(want, key(i[0], "", i[1]))
		}
		shown = imports.compare(e.File, "import", have, want, shown)
	}
	fmt.Printf("%d files, %.1f MB, %.1f MB/s\nsymbols %s\nimports %s\n", files, float64(bytes)/1e6,
		float64(bytes)/1e6/spent.Seconds(), symbols, imports)
}

func key(name, kind, line any) string {
	if *lenient {
		return fmt.Sprintf("%v %v", name, kind)
	}
	return fmt.Sprintf("%v %v %v", name, kind, line)
}

// compare compares two multisets of symbols or imports.
func (s *score) compare(file, what string, have, want []string, shown int) int {
	slices.Sort(have)
	slices.Sort(want)
	for len(have) > 0 || len(want) > 0 {
		switch {
		case len(want) == 0 || len(have) > 0 && have[0] < want[0]:
			s.wrong++
			if shown++; shown <= *verbose {
				fmt.Printf("%s: wrong %s %s\n", file, what, have[0])
			}
			have = have[1:]
		case len(have) == 0 || want[0] < have[0]:
			s.missed++
			if shown++; shown <= *verbose {
				fmt.Printf("%s: missed %s %s\n", file, what, want[0])
			}
			want = want[1:]
		default:
			s.both++
			have, want = have[1:], want[1:]
		}
	}
	return shown
}

func (s score) String() string {
	return fmt.Sprintf("recall %.4f precision %.4f (%d)", float64(s.both)/float64(max(1, s.both+s.missed)),
		float64(s.both)/float64(max(1, s.both+s.wrong)), s.both+s.missed)
}

// all yields the results of another parser.
func all() func(yield func(expected) bool) {
	return func(yield func(expected) bool) {
		if flag.NArg() == 0 {
			for paths := bufio.NewScanner(os.Stdin); paths.Scan(); {
				if e, ok := golang(paths.Text()); ok && !yield(e) {
					return
				}
			}
			return
		}
		f, err := os.Open(flag.Arg(0))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		defer f.Close()
		for d := json.NewDecoder(f); d.More(); {
			var e expected
			if err := d.Decode(&e); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			if !yield(e) {
				return
			}
		}
	}
}

// golang parses a file with go/parser.
func golang(path string) (e expected, ok bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return e, false
	}
	e.File = path
	add := func(name, kind string, at token.Pos) {
		if name != "_" {
			e.Symbols = append(e.Symbols, [3]any{name, kind, fset.Position(at).Line})
		}
	}
	for _, i := range f.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		e.Imports = append(e.Imports, [2]any{p, fset.Position(i.Pos()).Line})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			kind := "function"
			if d.Recv != nil {
				kind = "method"
			}
			add(d.Name.Name, kind, d.Pos())
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					kind := "type"
					switch s.Type.(type) {
					case *ast.StructType:
						kind = "struct"
					case *ast.InterfaceType:
						kind = "interface"
					}
					if s.Assign.IsValid() {
						kind = "type"
					}
					add(s.Name.Name, kind, s.Pos())
				case *ast.ValueSpec:
					for _, n := range s.Names {
						add(n.Name, d.Tok.String(), n.Pos())
					}
				}
			}
		}
	}
	return e, true
}
