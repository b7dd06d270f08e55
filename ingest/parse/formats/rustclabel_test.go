package formats

import (
	"strings"
	"testing"
)

// The snippets follow output of rustc 1.95. Some are shortened or changed.
func TestRustcLabels(t *testing.T) {
	for name, test := range map[string]struct{ message, snippet, want string }{
		"beside the carets": {"mismatched types", "  |            ---   ^^^^ expected `i32`, found `&str`\n" +
			"  |            |\n  |            expected due to this\n", "expected `i32`, found `&str`"},
		"of another span": {"arguments to this function are incorrect", "8 |     two(1, \"x\");\n" +
			"  |     ^^^ -  --- expected `i32`, found `&'static str`\n  |         |\n" +
			"  |         expected `&str`, found `{integer}`\n  |\nnote: function defined here\n --> a.rs:2:4\n  |\n" +
			"2 | fn two(a: &str, b: i32) {}\n  |    ^^^ of type `x`\n",
			"expected `&str`, found `{integer}`; expected `i32`, found `&'static str`"},
		"below the carets": {"mismatched types", "  |     ^ - `b` is a string\n  |     |\n" +
			"  |     expected `i32`, found `u8`\n", "expected `i32`, found `u8`"},
		"types of a note": {"mismatched types", "   |            --   ^^^^ expected fn pointer, found closure\n   |\n" +
			"   = note: expected fn pointer `fn(i32) -> i32`\n                 found closure `{closure}`\n",
			"expected fn pointer, found closure; expected fn pointer `fn(i32) -> i32`, found closure `{closure}`"},
		"said already":    {"missing field `name` in initializer of `Item`", "  |     ^^^^ missing `name`\n", ""},
		"without a name":  {"cannot find value `x` in this scope", "  |     ^ not found in this scope\n", ""},
		"advice":          {"unused variable: `a`", "  |   ^ help: prefix it with an underscore: `_a`\n", ""},
		"no type is told": {"mismatched types", "  |     ^ x\n   = note: expected `a`\n   = note: more\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := &rustcLabel{}
			for _, line := range strings.Split(test.snippet, "\n") {
				r.read(line)
			}
			want := test.message
			if test.want != "" {
				want += "\n" + test.want
			}
			if got := r.into(test.message); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
