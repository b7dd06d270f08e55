package formats

import (
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
)

var javaScriptShapes = []shape{
	{"ng build", "Error: src/app/app.component.ts:8:3 - error TS2322: Type 'string' is not assignable to type " +
		"'number'.\n\n8   n: number = 'x';\n    ~\n\n", []string{
		"error tsc src/app/app.component.ts:8:3 [TS2322] <> Type 'string' is not assignable to type 'number'."}},
	{"ng build, template", "Error: src/app/a.html:3:5 - error NG8001: 'app-x' is not a known element:\n" +
		"1. If 'app-x' is an Angular component, verify that it is part of this module.\n", []string{
		"error tsc src/app/a.html:3:5 [NG8001] <> 'app-x' is not a known element:"}},
	{"ng build on esbuild", "✘ [ERROR] TS2304: Cannot find name 'x'. [plugin angular-compiler]\n\n" +
		"    src/app/a.ts:8:2:\n      8 │   x;\n        ╵   ^\n", []string{
		"error tsc src/app/a.ts:8:3 [TS2304] <> Cannot find name 'x'."}},
	{"ts-loader", "ERROR in /work/src/a.ts\n./src/a.ts 3:6-9\n[tsl] ERROR in /work/src/a.ts(3,7)\n" +
		"      TS2322: Type 'string' is not assignable to type 'number'.\n", []string{
		"error webpack /work/src/a.ts:3:7 [TS2322] <> Type 'string' is not assignable to type 'number'."}},
	{"fork-ts-checker", "ERROR in src/a.ts:3:7\nTS2322: Type 'string' is not assignable to type 'number'.\n" +
		"    1 |\n", []string{
		"error webpack src/a.ts:3:7 [TS2322] <> Type 'string' is not assignable to type 'number'."}},
	{"sass-loader", "ERROR in ./src/a.scss\nModule build failed (from ./node_modules/sass-loader/dist/cjs.js):\n" +
		"SassError: Undefined variable.\n", []string{
		"error webpack src/a.scss:0:0 [] <> Undefined variable."}},
	{"babel-loader", "ERROR in ./src/b.js\nModule build failed (from ./node_modules/babel-loader/lib/index.js):\n" +
		"SyntaxError: /work/src/b.js: Unexpected token (2:10)\n\n  1 | const a = 1;\n> 2 | const x = ;\n", []string{
		"error webpack /work/src/b.js:2:11 [] <> SyntaxError: Unexpected token"}},
	{"next lint", "Failed to compile.\n\n./pages/a.js\n" +
		"1:7  Error: 'x' is assigned a value but never used.  no-unused-vars\n" +
		"2:1  Warning: Unexpected console statement.  no-console\n\ninfo  - Need to disable some ESLint rules?\n", []string{
		"info next :0:0 [] <> Failed to compile",
		"error eslint pages/a.js:1:7 [no-unused-vars] <> 'x' is assigned a value but never used.",
		"warning eslint pages/a.js:2:1 [no-console] <> Unexpected console statement."}},
	{"next types", "Failed to compile.\n\n./lib/a.ts:3:5\nType error: Cannot find name 'x'.\n\n" +
		"  1 | export const a =\n> 3 |     x;\n", []string{
		"info next :0:0 [] <> Failed to compile",
		"error next lib/a.ts:3:5 [] <> Cannot find name 'x'."}},
	{"create-react-app", "Failed to compile.\n\nsrc/App.js\n  Line 3:5:  'x' is not defined  no-undef\n\n" +
		"Search for the keywords to learn more about each error.\n", []string{
		"info next :0:0 [] <> Failed to compile",
		"error eslint src/App.js:3:5 [no-undef] <> 'x' is not defined"}},
	{"cypress", "  (Run Starting)\n\n  login\n    1) shows the form\n\n\n  0 passing (4s)\n  1 failing\n\n  1) login\n" +
		"       shows the form:\n     AssertionError: Timed out retrying after 4000ms: Expected to find element: " +
		"`#form`, but never found it.\n      at Context.eval (webpack:///./cypress/e2e/login.cy.js:4:7)\n\n\n\n" +
		"  (Results)\n", []string{
		"error mocha cypress/e2e/login.cy.js:4:7 [] <login shows the form> AssertionError: Timed out retrying after " +
			"4000ms: Expected to find element: `#form`, but never found it."}},
	{"ts-jest", "FAIL src/a.test.ts\n  ● Test suite failed to run\n\n" +
		"    src/a.ts:3:7 - error TS2322: Type 'string' is not assignable to type 'number'.\n\n" +
		"    3 const n: number = 'x';\n            ~\n", []string{
		"error jest src/a.ts:3:7 [TS2322] <> Type 'string' is not assignable to type 'number'."}},
	{"jest with a project's name", "FAIL unit packages/a/x.test.js (5.123 s)\n  ● adds\n\n    boom\n\n" +
		"      at Object.<anonymous> (packages/a/x.test.js:2:9)\n", []string{
		"error jest packages/a/x.test.js:2:9 [] <adds> boom"}},
	{"yarn 3", "➤ YN0000: ┌ Resolution step\n" +
		"➤ YN0028: │ The lockfile would have been modified by this install, which is explicitly forbidden.\n" +
		"➤ YN0000: Failed with errors in 0s 500ms\n", []string{
		"error yarn :0:0 [YN0028] <> The lockfile would have been modified by this install, which is explicitly forbidden.",
		"info yarn :0:0 [] <> Failed with errors in 0s 500ms"}},
	{"esbuild 0.8", " > src/index.js:2:7: error: Could not resolve \"./nowhere\"\n    2 │ import './nowhere'\n", []string{
		"error esbuild src/index.js:2:7 [] <> Could not resolve \"./nowhere\""}},
	{"karma, old browser", "PhantomJS 2.1.1 (Linux 0.0.0) Calc adds FAILED\n\tExpected 1 to be 2.\n" +
		"\tspec/calc.js:3:20\n\tloaded@http://localhost:9876/context.js:151:17\n" +
		"PhantomJS 2.1.1 (Linux 0.0.0): Executed 1 of 1 (1 FAILED) (0.01 secs / 0 secs)\n", []string{
		"error karma spec/calc.js:3:20 [] <Calc adds> Expected 1 to be 2."}},
	{"green text", "PASS src/error.test.js\n  ✓ error: fails (2 ms)\n✔ not ok is fine (1ms)\nok 3 - Error: handled\n" +
		"0 errors, 0 failing\n  12 passing (1s)\n✨  Done in 2.11s.\nwebpack 5.99.9 compiled with 1 warning in 5 ms\n" +
		"[12:00:00] Finished 'build' after 3 ms\nnot ok 4 - later # TODO\n", nil},
}

// No golden shows these texts, because the tools need a browser, a network or an account. The texts are written by
// hand, because the tools were not run.
func TestJavaScriptShapes(t *testing.T) {
	testShapes(t, javaScriptShapes)
}

func TestJSFrame(t *testing.T) {
	tests := []struct {
		line string
		want parse.Place
	}{
		{"    at Object.<anonymous> (/w/a.test.js:2:9)", parse.Place{File: "/w/a.test.js", Line: 2, Column: 9}},
		{"    at /w/a.js:2:9", parse.Place{File: "/w/a.js", Line: 2, Column: 9}},
		{"    at async Promise.all (index 0)", parse.Place{}},
		{"    at async file:///w/a.mjs:2:9", parse.Place{File: "/w/a.mjs", Line: 2, Column: 9}},
		{"    at Context.eval (webpack:///./src/a.js:2:9)", parse.Place{File: "src/a.js", Line: 2, Column: 9}},
		{"    at Context.eval (webpack://app/./src/a.js:2:9)", parse.Place{File: "src/a.js", Line: 2, Column: 9}},
		{"    at UserContext.<anonymous> (http://localhost:9876/base/spec/a.js?123abc:2:9)",
			parse.Place{File: "spec/a.js", Line: 2, Column: 9}},
		{" ❯ div src/calc.js:1:51", parse.Place{File: "src/calc.js", Line: 1, Column: 51}},
		{"run@spec/a.js:2:9", parse.Place{File: "spec/a.js", Line: 2, Column: 9}},
		{"\tat com.example.Main.main(Main.java:3)", parse.Place{}},
		{"at New-Block, /w/Pester.psm1: line 243", parse.Place{}},
	}
	for _, tt := range tests {
		if got, _ := jsFrame(tt.line); got != tt.want {
			t.Errorf("jsFrame(%q) = %v, want %v", tt.line, got, tt.want)
		}
	}
}
