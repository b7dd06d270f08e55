package redact

import (
	_ "embed"
	"strings"
	"testing"
)

// knownForms are ways in which a known value is cut in two. {A} and {B} are the parts of the value, and \n is the end
// of a line.
var knownForms = []string{
	// These are cells of tables, diffs, and texts that tools put before each line.
	`| {A} |\n| {B} |`, `| key | {A} |\n|     | {B} |`, `│ {A} │\n│ {B} │`, `│ entry │ {A} │\n│       │ {B} │`,
	`| {A}      |\n| {B} |`, `+{A}\n+{B}`, `-{A}\n-{B}`, `+  {A}\n+  {B}`, `E   {A}\nE   {B}`,
	`E       {A}\nE         {B}`,
	`; {A}\n; {B}`, `-- {A}\n-- {B}`, `! {A}\n! {B}`, `? {A}\n? {B}`, `% {A}\n% {B}`,
	// These are strings that code joins.
	`"{A}" ++ "{B}"`, `"{A}" ~ "{B}"`, `"{A}"."{B}"`, `"{A}".."{B}"`, `'{A}'||'{B}'`, `"{A}"+"{B}"`,
	`'{A}'+'{B}'`, `"{A}"<>"{B}"`, `"{A}"++"{B}"`, `"{A}" ^ "{B}"`, `"{A}" ++\n  "{B}"`,
	`"{A}"\n  ++ "{B}"`, `"{A}" & _\n "{B}"`, "`{A}` + `{B}`", `$"{A}" + $"{B}"`, `f"{A}" f"{B}"`, `u"{A}" u"{B}"`,
	`b"{A}" b"{B}"`, `r"{A}" + r"{B}"`, `@"{A}" + @"{B}"`, `L"{A}" L"{B}"`, `N'{A}' + N'{B}'`,
	// These have characters without width.
	"{A}\u200c{B}", "{A}\u200b{B}", "{A}\ufeff{B}", "{A}\u2060{B}", "{A}\u00ad{B}",
}

// A known value that is cut in two is found, even if the text comes byte by byte.
func TestKnownValuesInTwoParts(t *testing.T) {
	t.Parallel()
	const v = "m8GAF0wAwaIINYNv"
	red := New(Options{Values: []string{v}, Shapes: true})
	for _, form := range knownForms {
		text := strings.NewReplacer("{A}", v[:7], "{B}", v[7:], `\n`, "\n").Replace(form)
		text = "first line\n" + text + "\nlast line\n"
		for _, got := range []string{whole(red, text), byBytes(red, text), inLines(red, text)} {
			if strings.Contains(got, v[:7]) || strings.Contains(got, v[7:]) ||
				!strings.HasPrefix(got, "first line\n") || !strings.HasSuffix(got, "\nlast line\n") ||
				strings.Count(got, "\n") != strings.Count(text, "\n") {
				t.Errorf("%q became %q", text, got)
			}
		}
		if plain := whole(New(Options{Shapes: true}), text); plain != text {
			t.Errorf("without a value, %q became %q", text, plain)
		}
	}
}

// A value is found even if characters in it are escaped for a shell of Windows.
func TestValuesThatWindowsEscapes(t *testing.T) {
	t.Parallel()
	red := New(Options{Values: []string{"Tr0ub4dor&3|x", "pa$$w0rd;x1"}})
	for _, text := range []string{"net use Tr0ub4dor^&3^|x end\n", "tool Tr0ub4dor`&3`|x end\n",
		"tool pa`$`$w0rd`;x1 end\n"} {
		if got := whole(red, text); !strings.HasSuffix(got, " *** end\n") {
			t.Errorf("%q became %q", text, got)
		}
	}
}

//go:embed testdata/ordinary.txt
var ordinaryForms string

// Lines in a form that often has a secret stay unchanged if they have no secret.
func TestFormsWithoutSecretsStay(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	for _, line := range strings.Split(strings.TrimSpace(ordinaryForms), "\n")[1:] {
		text := strings.ReplaceAll(line, `\n`, "\n") + "\n"
		for _, got := range []string{whole(red, text), byBytes(red, text)} {
			if got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}
