package formats

import (
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
)

var guardedLines = []struct{ line, tool string }{
	{"src/a.js:3: something is wrong [error/rule]", "eslint"},
	{"src/a.js:3: something is wrong [error]", "eslint"},
	{"src/a.js: line 3, col 5, Hint - something is wrong (rule)", "eslint"},
	{"AndroidManifest.xml:3: Error: something is wrong [not a rule]", "android-lint"},
	{"AndroidManifest.xml:3: Error: something is wrong [word]", "android-lint"},
	{"src/a.c:3: D001 something is wrong", "doc8"},
	{"src/a.yml:3:5: something is wrong [expression]", "actionlint"},
	{".github/workflows/a.yml:3:5: something is wrong [Expression]", "actionlint"},
	{".github/workflows/a.yml:3: something is wrong [expression]", "actionlint"},
	{"a.xml:3: parser info : something is wrong", "xmllint"},
	{"[src/a.c:3:5] something is wrong .proto:", "protolint"},
	{"[a.proto:3] something is wrong .proto:", "protolint"},
	{"a.haml:3 [I] LineLength: something is wrong", "haml-lint"},
	{"a.slim:3 [I] LineLength: something is wrong", "slim-lint"},
	{"a.scss:3 [I] LineLength: something is wrong", "scss-lint"},
	{"Note: something is wrong in a.less on line 3, column 5:", "less"},
	{`File "build/a.log", line 3:` + "\nError: something is wrong", "ocaml"},
	{"a.py:3:test_add:FAIL", "unity"},
	{"a.py:3:test_add:FAIL: something is wrong", "unity"},
	{"src/a.build:3: ERROR: meson.build: something is wrong", "meson"},
	{"src/a.cpp(12): error C20650: something is wrong", "msvc"},
	{"src/a.cpp(12): error CS2065: error C2065: something is wrong", "msvc"},
	{"main.obj : error CS2065: error C2065: something is wrong", "msvc"},
	{"src/a.c:5.1-4: error: something is wrong in b.y: ", "bison"},
	{"src/a.c: error: something is wrong in b.y: ", "bison"},
	{"a.y:5.1-4: hint: something is wrong", "bison"},
	{"src/a.c:3: something is wrong in b.go: (errcheck)", "golangci-lint"},
	{"src/a.c:3:5: something is wrong in b.go: x", "go"},
	{"  a.go:3:5: something is wrong (errcheck)", "golangci-lint"},
	{"a.go:3: something is wrong", "go"},
	{"src/a.c:3:5: F401 'os' imported but unused in b.py:3", "flake8"},
	{"src/a.c:3:5: 'os' imported but unused in b.py:3", "flake8"},
	{"stdin:3:5: something is wrong", "flake8"},
	{"stdin:3:5: word something is wrong", "flake8"},
	{"src/a.ts(3,5): error T2304: something is wrong, error TS1", "tsc"},
	{"error T2304: something is wrong, error TS1", "tsc"},
	{"ERROR: a.ts:3 - something is wrong", "tslint"},
	{"NOTE: a.ts:3:5 - something is wrong", "tslint"},
	{"a.c[3, 5]: something is wrong in b.ts[3, 5]", "tslint"},
	{"a.md:3 MD0013/line-length something is wrong", "markdownlint"},
	{"a.md: 3: MD0013/line-length something is wrong", "markdownlint"},
	{"3. NOTE in src/A.java (at line 3). ERROR in x", "ecj"},
	{"  e: a.kt:3:5 something is wrong", "kotlin"},
	{"e: a.c:3:5 something is wrong", "kotlin"},
	{"i: a.kt:3:5 something is wrong", "kotlin"},
	{"  e: a.kt: (3, 5): something is wrong in b.kt:3", "kotlin"},
	{"i: a.kt: (3, 5): something is wrong in b.kt:3", "kotlin"},
	{"  e: Could not do it with a.kt:3", "kotlin"},
	{"i: Could not do it with a.kt:3", "kotlin"},
	{"  a.kt:3:5: error: something is wrong", "kotlin"},
	{"a.c:3:5: error: something is wrong in b.kt:3", "kotlin"},
	{"a.c: 3: something is wrong in b.groovy: 3", "groovy"},
	{"src/a.kt:3: Lint error > [some/rule] something is wrong", "ktlint"},
	{"word/word - something is wrong at src/a.kt:3:5", "detekt"},
	{"Rule - something is wrong at src/a.c:3:5 in b.kt:3", "detekt"},
	{"src/a.kt:3:5: something is wrong (Word)", "ktlint"},
	{"src/a.c:3:5: something in b.kt:3 is wrong (no-rule)", "ktlint"},
	{"src/a.kt:3: something is wrong (no-rule)", "ktlint"},
	{"src/a.kt:3:5: something is wrong [word]", "detekt"},
	{"src/a.c:3:5: something in b.kt:3 is wrong [Rule]", "detekt"},
	{"a.c:3:5: (W211) something is wrong in b.lua:3", "luacheck"},
	{"a.lua:3: (W211) something is wrong", "luacheck"},
	{"a.c:3:5: something is wrong in b.lua:3", "luacheck"},
	{"a.cs(3,5): info CS0168: something is wrong, warning CS1", "csc"},
	{"CSC : info CS0168: something is wrong, warning CS1", "csc"},
	{"info CS0168: something is wrong, warning CS1", "csc"},
	{"  %Error: a.v:3:5: something is wrong", "verilator"},
	{"%Error2: a.v:3:5: something is wrong", "verilator"},
	{"error • something is wrong • lib/a.c:3:5 • code", "dart"},
	{"note • something is wrong • lib/a.dart:3:5 • code", "dart"},
	{"error - lib/a.c:3:5 - something is wrong in .dart:3 - code", "dart"},
	{"note - lib/a.dart:3:5 - something is wrong - code", "dart"},
	{"  lib/a.dart:3:5: Error: something is wrong", "dart"},
	{"lib/a.c:3:5: Error: something is wrong in b.dart:3", "dart"},
	{"lib/a.dart:3:5: note: something is wrong", "dart"},
	{"src/a.sh:3:5: note: something is wrong [SC20860]", "shellcheck"},
	{"Dockerfile:3 DL30080 warning: something is wrong", "hadolint"},
	{"a.c - ERROR: something is wrong on line 3 (check: rule)", "puppet-lint"},
	{"  error file=a.scala message=something is wrong line=3 column=5", "scalastyle"},
	{"error2 file=a.scala message=something is wrong line=3 column=5", "scalastyle"},
	{"a.yml:3: [word] something is wrong", "ansible-lint"},
	{"a.c:3: [E301] something is wrong in b.yml:3", "ansible-lint"},
	{"a.yml:3: no-such-rule: something is wrong", "ansible-lint"},
	{"a.c:3: no-free-form: something is wrong in b.yml:3", "ansible-lint"},
}

// A line that lacks something that a tool always prints is not taken for a line of the tool.
func TestGuards(t *testing.T) {
	for _, tt := range guardedLines {
		for _, e := range parse.Bytes([]byte(tt.line+"\n"), nil, all) {
			if e.Tool == tt.tool {
				t.Errorf("%q is taken for %s's: %+v", tt.line, tt.tool, e)
			}
		}
	}
}
