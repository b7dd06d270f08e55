package redact

import (
	"strings"
	"testing"
)

// Logs hide the passwords that clients send to mail servers in base64, the session keys of password managers, and
// tokens in URLs.
func TestSessionsHideTheirSecrets(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	const v = "AGJvYgBIdW50ZXIyWGs5dlpxOHZUM3hL"
	for _, form := range []string{
		"C: AUTH PLAIN {S}", `send: 'AUTH PLAIN {S}\r\n'`, "S: 334 UGFzc3dvcmQ6\nC: {S}", "334 UGFzc3dvcmQ6\r\n{S}",
		`export BW_SESSION="{S}AAAAAAAAAAAA=="`, "OP_SESSION_my={S}", "bw list items --session {S}",
		"fatal: unable to access 'https://wIoALtLinxN1Ekia7Z{S}@github.com/a/b.git/'",
	} {
		text := strings.ReplaceAll(form, "{S}", v) + "\nlast line\n"
		for _, got := range []string{whole(red, text), byBytes(red, text)} {
			if strings.Contains(got, v) || !strings.HasSuffix(got, "\nlast line\n") {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}
