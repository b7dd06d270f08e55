package formats

import (
	"testing"
)

var compilerShapes = []shape{
	{"go get before modules", "package code.example/a: unrecognized import path \"code.example/a\" (no go-import meta " +
		"tags)\nunrecognized import path \"bufio\": import path does not begin with hostname\n", []string{
		"error go :0:0 [] <> code.example/a: unrecognized import path \"code.example/a\" (no go-import meta tags)",
		"error go :0:0 [] <> unrecognized import path \"bufio\": import path does not begin with hostname"}},
	{"Elixir 1.16, error in a box", "    error: undefined variable \"y\"\n    │\n  3 │   def b(x), do: y + x\n" +
		"    │                 ^\n    │\n    └─ lib/demo.ex:3:17: Demo.b/1\n\n\n" +
		"== Compilation error in file lib/demo.ex ==\n" +
		"** (CompileError) lib/demo.ex: cannot compile module Demo (errors have been logged)\n", []string{
		"error elixir lib/demo.ex:3:17 [] <> undefined variable \"y\"",
		"info elixir :0:0 [] <> (CompileError) lib/demo.ex: cannot compile module Demo (errors have been logged)"}},
	{"Elixir 1.15, error without a box", "error: undefined function a/0 (expected Demo to define such a function)\n" +
		"  lib/demo.ex:3: Demo.b/1\n\n", []string{
		"error elixir lib/demo.ex:3:0 [] <> undefined function a/0 (expected Demo to define such a function)"}},
	{"Elixir 1.16, syntax", "** (SyntaxError) invalid syntax found on lib/demo.ex:3:1:\n" +
		"    error: unexpected reserved word: end\n    │\n  3 │ end\n    │ ^\n    │\n    └─ lib/demo.ex:3:1\n", []string{
		"error elixir lib/demo.ex:3:1 [] <> unexpected reserved word: end"}},
	{"Credo", "┃ [W] ↗ There should be no calls to IO.inspect/1.\n┃       lib/demo.ex:3:5 #(Demo.a)\n", []string{
		"warning credo lib/demo.ex:3:5 [W] <> There should be no calls to IO.inspect/1."}},
	{"erlc before OTP 24", "src/demo.erl:6: variable 'Undef' is unbound\n" +
		"src/demo.erl:5: Warning: variable 'X' is unused\n", []string{
		"error erlang src/demo.erl:6:0 [] <> variable 'Undef' is unbound",
		"warning erlang src/demo.erl:5:0 [] <> variable 'X' is unused"}},
	{"Common Test under rebar3", "%%% demo_SUITE ==> bad: FAILED\n%%% demo_SUITE ==> \nFailure/Error: reason 1\n\n" +
		"%%% demo_SUITE ==> good: OK\n", []string{
		"error common_test :0:0 [] <demo_SUITE.bad> Failure/Error: reason 1"}},
	{"Common Test", "- - - - - - - - - -\ndemo_SUITE:bad failed on line 10\nReason: {badmatch,2}\n" +
		"- - - - - - - - - -\n", []string{
		"error common_test demo_SUITE.erl:10:0 [] <demo_SUITE.bad> {badmatch,2}"}},
	{"GHC 9.6", "src/A.hs:3:5: error: [GHC-88464]\n    Variable not in scope: x\n  |\n3 | f = x\n  |     ^\n\n" +
		"src/A.hs:1:1: warning: [GHC-66111] [-Wunused-imports]\n    The import of ‘Data.List’ is redundant\n", []string{
		"error ghc src/A.hs:3:5 [GHC-88464] <> Variable not in scope: x",
		"warning ghc src/A.hs:1:1 [-Wunused-imports] <> The import of ‘Data.List’ is redundant"}},
	{"GHC 7", "src/A.hs:3:5:\n    Not in scope: `x'\n\nsrc/A.hs:4:1: Warning: Tab character\n\n" +
		"src/A.hs:5:2: parse error on input `='\n", []string{
		"error ghc src/A.hs:3:5 [] <> Not in scope: `x'",
		"warning ghc src/A.hs:4:1 [] <> Tab character",
		"error ghc src/A.hs:5:2 [] <> parse error on input `='"}},
	{"stack", "shop       > [1 of 2] Compiling A\nshop       > src/A.hs:3:5: error:\n" +
		"other      > Configuring other-0.1...\nshop       >     Variable not in scope: x\nshop       >   |\n\n" +
		"Error: [S-7282]\n       Stack failed to execute the build plan.\n", []string{
		"error ghc src/A.hs:3:5 [] <> Variable not in scope: x",
		"info stack :0:0 [S-7282] <> Stack failed to execute the build plan."}},
	{"hspec without places", "Failures:\n\n  1) Math adds FAILED [1]\n\n  To rerun use: --match \"/Math/adds/\"\n\n" +
		"Randomized with seed 1\n", []string{
		"error hspec :0:0 [] <Math, adds> Math/adds"}},
	{"OCaml 4.02", "File \"a.ml\", line 3, characters 15-20:\nError: Unbound value x\n" +
		"File \"b.ml\", line 1, characters 0-3:\nWarning 26: unused variable y.\n", []string{
		"error ocaml a.ml:3:16 [] <> Unbound value x",
		"warning ocaml b.ml:1:1 [26] <> unused variable y."}},
	{"opam", "[ERROR] The compilation of shop.1.0 failed at \"dune build\".\n" +
		"#=== ERROR while compiling shop.1.0 ====#\n# File \"a.ml\", line 3, characters 15-20:\n" +
		"# Error: Unbound value x\n", []string{
		"info opam :0:0 [] <> The compilation of shop.1.0 failed at \"dune build\".",
		"info opam :0:0 [] <> ERROR while compiling shop.1.0",
		"error ocaml a.ml:3:16 [] <> Unbound value x"}},
	{"GHDL", "top.vhd:3:5: no declaration for \"x\"\ntop.vhd:9:1:warning: entity not used\n", []string{
		"error ghdl top.vhd:3:5 [] <> no declaration for \"x\"",
		"warning ghdl top.vhd:9:1 [] <> entity not used"}},
	{"Kotlin on Windows", "e: file:///C:/x/A.kt:3:5 Unresolved reference: x\n", []string{
		"error kotlin C:/x/A.kt:3:5 [] <> Unresolved reference: x"}},
	{"green text", "Compiling lib/error.ex (it's failed)\n  test error handling fails (DemoTest) (0.1ms)\n" +
		"* test 1) test x (0.1ms)\nsome: OK\n[ 2 of 3] Compiling Error ( src/Error.hs, Error.o )\n" +
		"===> Compiling failed_app\n  Passed Shop.Tests.Failed [3 ms]\nBuild succeeded.\n    0 Error(s)\n" +
		"Passed!  - Failed:     0, Passed:     7\nAll 3 tests passed (0.00s)\n", nil},
}

// TestCompilerShapes checks which events are read from the output of versions that cannot be run here. The output is
// written by hand, as the source code of each tool prints it.
func TestCompilerShapes(t *testing.T) {
	testShapes(t, compilerShapes)
}
