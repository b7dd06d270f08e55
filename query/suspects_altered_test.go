package query

import (
	"strings"
	"testing"
)

func TestAlterations(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file, before, after string
		symbol              string
		how                 alteration
		code                bool
	}{
		"a comment": {"a.go", "package a\nfunc F() int {\n\treturn 1\n}\n",
			"package a\n\n// F is one.\nfunc F() int {\n\treturn 1 // one\n}\n", "F", unaltered, false},
		"a new file":   {"a.go", "", "package a\nfunc F() {}\n", "", unaltered, true},
		"blanks":       {"a.js", "function f(){return 1}\n", "function f() {\n  return 1\n}\n", "f", unaltered, false},
		"a doc string": {"a.py", "def f():\n    return 1\n", "def f():\n    \"\"\"One.\"\"\"\n    return 1\n", "f", unaltered, false},
		"an import":    {"a.go", "package a\nfunc F() {}\n", "package a\nimport \"fmt\"\nfunc F() {}\n", "F", unaltered, false},
		"a constant":   {"a.rs", "const N: i64 = 1;\n", "const N: i64 = 2;\n", "N", altered, true},
		"a value with a name": {"a.go", "package a\nfunc F(a int) int {\n\treturn a*2 + 1\n}\n",
			"package a\nfunc F(a int) int {\n\tdouble := a*2\n\treturn double + 1\n}\n", "F", reworded, true},
		"a name is gone": {"A.java", "class A {\n int f() {\n  int x = g();\n  return x;\n }\n}\n",
			"class A {\n int f() {\n  return g();\n }\n}\n", "f", reworded, true},
		"a value with a name twice": {"a.js", "function f(a) {\n  return a * 2 + 1\n}\n",
			"function f(a) {\n  const d = a * 2\n  return d + d\n}\n", "f", altered, true},
		"brackets are gone": {"a.go", "package a\nfunc F(a int) int {\n\treturn (a + 1) * 2\n}\n",
			"package a\nfunc F(a int) int {\n\tx := a + 1\n\treturn a + 1 * 2\n}\n", "F", altered, true},
		"another name": {"a.rs", "fn f(v: V) -> i64 { v.iter().map(|w| w.n).sum() }\n", "fn f(v: V) -> i64 { v.iter().map(|one| one.n).sum() }\n", "f", reworded, true},
		"another variable": {"a.go", "package a\nfunc F(a int) int {\n\tsum := a * 2\n\treturn g(sum)\n}\n",
			"package a\nfunc F(a int) int {\n\ttotal := a * 2\n\treturn g(total)\n}\n", "F", reworded, true},
		"another $variable": {"a.php", "<?php\nfunction f($a) {\n  $sum = $a * 2;\n  return g($sum);\n}\n",
			"<?php\nfunction f($a) {\n  $total = $a * 2;\n  return g($total);\n}\n", "f", reworded, true},
		"another variable and value": {"a.py", "def f(a):\n    x = a * 2\n    return g(x)\n",
			"def f(a):\n    y = a * 3\n    return g(y)\n", "f", altered, true},
		"names exchanged":  {"a.py", "def f(a, b):\n    return g(a, b)\n", "def f(a, b):\n    return g(b, a)\n", "f", altered, true},
		"another call":     {"a.py", "def f(a):\n    return g(a)\n", "def f(a):\n    return h(a)\n", "f", altered, true},
		"another member":   {"a.py", "def f(a):\n    return a.x\n", "def f(a):\n    return a.y\n", "f", altered, true},
		"a condition":      {"a.go", "package a\nfunc F() {\n\tg()\n}\n", "package a\nfunc F() {\n\tif false {\n\t\tg()\n\t}\n}\n", "F", extended, true},
		"an operator":      {"a.c", "int f(int a) { return a < 1; }\n", "int f(int a) { return a > 1; }\n", "f", altered, true},
		"a macro":          {"a.c", "#define N 1\n", "#define N 2\n", "N", altered, true},
		"a method":         {"a.py", "class A:\n    x = 1\n", "class A:\n    x = 1\n\n    def f(self):\n        pass\n", "f", addition, true},
		"with its class":   {"A.java", "class A {\n}\n", "class A {\n @Override\n public String toString() {\n  return \"\";\n }\n}\n", "A", unaltered, true},
		"a function":       {"a.py", "x = 1\n", "x = 1\n\n\ndef f():\n    pass\n", "f", unaltered, true},
		"a function less":  {"a.py", "def f():\n    pass\n", "", "f", altered, true},
		"outside":          {"a.js", "start(1)\n", "start(2)\n", "", altered, true},
		"another language": {"a.txt", "1\n", "2\n", "", unaltered, true},
	} {
		got := compareSymbols(tt.file, []byte(tt.before), []byte(tt.after))
		if got.symbols[tt.symbol] != tt.how || got.code != tt.code {
			t.Errorf("%s: %v (code: %t), want %d (%t)", name, got.symbols, got.code, tt.how, tt.code)
		}
	}
}

func TestNamesOfCrates(t *testing.T) {
	t.Parallel()
	for manifest, want := range map[string]string{
		"[package]\nname = \"shop-pricing\" # prices\nversion = \"1.0.0\"\n\n[dependencies]\nname = \"x\"\n": "shop_pricing",
		"[lib]\nname = 'prices'\n[package]\nname = \"shop-pricing\"\n":                                       "prices",
		"[workspace]\nmembers = [\"crates/*\"]\n":                                                            "",
	} {
		if got := crateName(strings.SplitAfter(manifest, "\n")); got != want {
			t.Errorf("%q is called %q, want %q", manifest, got, want)
		}
	}
}
