package redact

import (
	_ "embed"
	"strings"
	"testing"
)

//go:embed testdata/forms.txt
var foundForms string

// Each form of a secret is hidden, even if the text comes byte by byte.
func TestFoundFormsHideTheirSecrets(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	for _, line := range strings.Split(strings.TrimSpace(foundForms), "\n")[1:] {
		for _, v := range []string{"hunter2x", "Tr0ub4dor&3x"} {
			text := strings.NewReplacer("{S}", v, `\n`, "\n").Replace(line) + "\nlast line\n"
			for _, got := range []string{whole(red, text), byBytes(red, text)} {
				if strings.Contains(got, v) || !strings.HasSuffix(got, "\nlast line\n") {
					t.Errorf("%q became %q", text, got)
				}
			}
		}
	}
}

func byBytes(red *Redactor, text string) string {
	var out strings.Builder
	s := red.Stream(func(text []byte) { out.Write(text) })
	for i := range len(text) {
		_, _ = s.Write([]byte(text[i : i+1]))
	}
	s.Close()
	return out.String()
}

// A known value with zero bytes is replaced, although Ascii85 writes four zero bytes as one letter.
func TestValuesWithZeroBytes(t *testing.T) {
	t.Parallel()
	const v = "begin\x00\x00\x00\x00\x00\x00\x00\x00end of it"
	red := New(Options{Values: []string{v}})
	if got := red.String("x " + v + " y"); got != "x "+Mask+" y" {
		t.Errorf("got %q", got)
	}
}

// A known value is hidden in all forms that code, pages and terminals show. Examples are nested escapes, escaped
// controls, escaped characters without width, other blanks, and nested encodings.
func TestValuesBehindEscapesOfEscapes(t *testing.T) {
	t.Parallel()
	const v = "s3cr3t-Value/42"
	red := New(Options{Values: []string{v}, Shapes: true})
	for _, between := range []string{"\x1b\x1b[0m", "\x1b[3\x001m", "\x1b[31;\a1m", "&shy;", "&#8203;", "&ZeroWidthSpace;",
		`\u200b`, `\u001b[0m`, `\u001b[31m\u001b[1m`, `\e[0m`, `\033[0m`, `\x1b[31m`, "%00", `\0`, `\x00`, "%e2%80%8b",
		"%1b[0m", `\xe2\x80\x8b`, `\342\200\213`} {
		text := "first " + v[:7] + between + v[7:] + " end\n"
		for _, got := range []string{whole(red, text), byBytes(red, text)} {
			if want := "first *** end\n"; got != want {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	for _, text := range []string{
		"s\u20033\u2003c\u2003r\u20033\u2003t\u2003-\u2003V\u2003a\u2003l\u2003u\u2003e\u2003/\u20034\u20032",
		"ecpm6shjegmlcobceliiud1i", "omzwg4rtoqwvmylmovss6nbs", "ECPM6SHJEGMLCOBCELIIUD1I",
		"NzMzMzYzNzIzMzc0MmQ1NjYxNmM3NTY1MmYzNDMy", "637a4e6a636a4e304c565a686248566c4c7a5179",
		"AHMAMwBjAHIAMwB0AC0AVgBhAGwAdQBlAC8ANAAy",
		"Chr$(115) & Chr$(51) & Chr$(99) & Chr$(114) & Chr$(51) & Chr$(116) & Chr$(45) & Chr$(86) & Chr$(97) & Chr$(108) & " +
			"Chr$(117) & Chr$(101) & Chr$(47) & Chr$(52) & Chr$(50)",
	} {
		if whole(red, "log: "+text+" end\n") == "log: "+text+" end\n" {
			t.Errorf("%q stays", text)
		}
	}
	text := "x = \"s3cr\"\n  \"3t-Value/42\";\nend\n"
	if got := inLines(red, text); strings.Contains(got, "s3cr") || strings.Contains(got, "Value") {
		t.Errorf("line by line, %q became %q", text, got)
	}
}

const (
	webTokenHeader = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
	webTokenClaims = "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ"
	webTokenSign   = "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
)

// The parts of a JWT may be on separate lines, and a JWT may be wrapped.
func TestWebTokensOnSeveralLines(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	token := webTokenHeader + "." + webTokenClaims + "." + webTokenSign
	for _, text := range []string{
		webTokenHeader + "\n" + webTokenClaims + "\n" + webTokenSign + "\n",
		webTokenHeader + ".\n" + webTokenClaims + ".\n" + webTokenSign + "\n",
		"\"" + webTokenHeader + "\",\n\"" + webTokenClaims + "\",\n\"" + webTokenSign + "\"\n",
		token[:60] + "\n" + token[60:120] + "\n" + token[120:] + "\n",
	} {
		for _, got := range []string{whole(red, text+"last line\n"), byBytes(red, text+"last line\n")} {
			if strings.Contains(got, "sw5c") || strings.Contains(got, "SflK") || !strings.HasSuffix(got, "\nlast line\n") {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	for _, text := range []string{webTokenHeader + "\nverified\n", "eyJhbGVydCI6MX0\nnothing_that_is_a_token_is_here\n"} {
		if got := byBytes(red, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

//go:embed testdata/exact.txt
var exactForms string

// Secrets with a form of their own are hidden where programs print them.
func TestExactFormsHideTheirSecrets(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	for _, line := range strings.Split(strings.TrimSpace(exactForms), "\n")[1:] {
		before, rest, _ := strings.Cut(line, "{=")
		secret, behind, ok := strings.Cut(rest, "=}")
		text := strings.ReplaceAll(before+secret+behind, `\n`, "\n") + "\nlast line\n"
		for _, got := range []string{whole(red, text), byBytes(red, text)} {
			if !ok || strings.Contains(got, secret) || !strings.HasSuffix(got, "\nlast line\n") {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

// Secrets are found in traces of git, although git escapes the characters ! and '. The trace is from git 2.39:
// GIT_TRACE=1 git ls-remote "https://bob:$PW@127.0.0.1:1/x"
func TestTracesOfGit(t *testing.T) {
	t.Parallel()
	const trace = "09:43:48.5 git.c:460  trace: built-in: git ls-remote 'https://bob:{S}@127.0.0.1:1/x'\n"
	for v, quoted := range map[string]string{"pa!ssw0rd-x": `pa'\!'ssw0rd-x`, "pa!ss'w0rd": `pa'\!'ss'\''w0rd`,
		"!!p-ssw0rd!": `'\!''\!'p-ssw0rd'\!'`} {
		text := strings.ReplaceAll(trace, "{S}", quoted)
		for name, red := range map[string]*Redactor{
			"known": New(Options{Values: []string{v}, Shapes: true}), "unknown": New(Options{Shapes: true}),
		} {
			for _, got := range []string{whole(red, text), byBytes(red, text)} {
				if strings.Contains(got, v[len(v)-4:]) || strings.Contains(got, "ss") {
					t.Errorf("%s: %q became %q", name, text, got)
				}
			}
		}
	}
}
