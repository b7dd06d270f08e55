package query

import (
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
)

// The function steps returns a number close to the size of the compiled program, without a compilation.
func TestStepsAreAboutWhatIsCompiled(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a", "abc|def|x", "(a+)*b?", "[a-z]{3,17}", "(?:ab){5,}", "x{0,9}",
		"(?i)error.*fail$", `\b\w{5,9}\b.*\d+$`, "((a{10}){10}b){5}", "(?:(a|b){4}c*){30}", "a{1000}", ""} {
		parsed, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		program, err := syntax.Compile(parsed.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		if n, made := steps(parsed), len(program.Inst); n < made*7/10-3 || n > made*12/10+3 {
			t.Errorf("%s: %d steps, the program has %d", text, n, made)
		}
	}
}

func TestLargePatternsAreNotCompiled(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 900)
	for text, code := range map[string]store.Code{
		"a{1000}": "", "(ab){1000}b{900}": "", "(abcdef){1000}": store.TooLarge, "(" + long + "){1000}": store.TooLarge,
		long + strings.Repeat("y", 101): store.TooLarge, strings.Repeat("a{1000}", 100): store.TooLarge,
		"((((.abcdefgh){9}){9})?){1,9}": store.TooLarge, "a{1001}": store.Invalid, "(": store.Invalid,
	} {
		re, err := pattern(text)
		if got := store.CodeOf(err); got != code || (re == nil) != (code != "") {
			t.Errorf("%.50s: %v", text, err)
		}
	}
}
