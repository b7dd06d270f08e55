package code

import (
	"strings"
	"testing"
)

// endings has at least one file ending of each supported language.
var endings = []string{".go", ".py", ".js", ".ts", ".tsx", ".java", ".kt", ".rs", ".c", ".h", ".cpp", ".cs", ".rb",
	".php", ".swift", ".scala"}

// valid checks the properties that every scan must have.
func valid(t *testing.T, file string, src []byte) {
	t.Helper()
	s, ok := ScanFile(file, src)
	if !ok {
		t.Fatalf("%s is not read", file)
	}
	if len(s.Symbols) > maxSymbols || len(s.Imports) > maxImports || len(s.Notes) > maxNotes {
		t.Errorf("%s: %d symbols, %d imports, %d notes", file, len(s.Symbols), len(s.Imports), len(s.Notes))
	}
	for _, y := range s.Symbols {
		if y.Line < 1 || y.End < y.Line || y.End > s.Lines+1 || y.Name == "" || len(y.Name) > maxName+20 {
			t.Errorf("%s: symbol %+v in %d lines", file, y, s.Lines)
			return
		}
	}
	for _, i := range s.Imports {
		if i.Line < 1 || i.Line > s.Lines+1 || i.Path == "" {
			t.Errorf("%s: import %+v in %d lines", file, i, s.Lines)
			return
		}
	}
}

// FuzzScan checks that no source makes a scanner fail or run for long.
func FuzzScan(f *testing.F) {
	for _, c := range scans {
		f.Add([]byte(c.src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, e := range endings {
			valid(t, "a"+e, src)
		}
		valid(t, "a.php", append([]byte("<?php "), src...))
	})
}

// These sources would take forever, or all memory, if time or memory grew faster than the source. Each has at most
// 32 KB.
func TestHostileSources(t *testing.T) {
	const size = 1 << 15
	for _, unit := range hostile {
		for _, e := range endings {
			valid(t, "a"+e, []byte(strings.Repeat(unit, size/len(unit))))
			valid(t, "a"+e, []byte("<?php "+strings.Repeat("a "+unit+";", size/8/(len(unit)+3))))
		}
	}
}

// hostile are texts to repeat. Most of them open something, or seem to open something.
var hostile = []string{
	"(", "{", "[", "<", "}", ")", ">", "\"", "'", "`", "/", "/*", "#", "\\", "${", "`${", "\"${", "\"#{", "\"\\(",
	"<a ", "<a>", "a=<a>{", "class A{", "class A:\n", "def a(", "def a\n ", "fn a<", "const a=(", "const a=<x,",
	"var a=b<c,", "let {a}=b,", "namespace a{", "#if 1\n", "#define a \\\n", "<<A\n", "<<<A\n", "import a.{",
	"use a::{", "use a\\{", "from a import (", "func (", "func a(", "type A[", "typedef (", "struct A:", "operator",
	"template<", "R\"(", "r#\"", "@\"", "$\"{", "%w(", "enum A{a{", "fun <", "@a(", "object:", "extension a{",
	"init(", "trait a{", "impl a for ", "a<b>c(", "=>", "a?/b", "x = /a", "function a(){", "interface a{",
	"class a extends class ", "export default ", "\n", " ", "a", "1", "\x00", "\xff",
}
