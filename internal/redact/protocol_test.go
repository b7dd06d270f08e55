package redact

import (
	"strings"
	"testing"
)

// Passwords are found in logs of protocols that encode or count them.
func TestPasswordsInProtocols(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	for _, tt := range []struct{ text, secret string }{
		{"*2\r\n$4\r\nAUTH\r\n$8\r\nhunter2x\r\n", "hunter2x"},
		{"*3\r\n$4\r\nAUTH\r\n$3\r\nbob\r\n$6\r\nhunter\r\n", "hunter"},
		{`"*2\r\n$4\r\nAUTH\r\n$8\r\nhunter2x\r\n"` + "\n", "hunter2x"},
		{"*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n$8\r\nhunter2x\r\n", "hunter2x"},
		{"$11\r\nrequirepass\r\n$8\r\nhunter2x\r\n", "hunter2x"},
		{"USER bob\r\nPASS hunter\r\n+OK\r\n", "hunter"},
		{"send: 'AUTH LOGIN Ym9i\\r\\n'\nreply: b'334 UGFzc3dvcmQ6\\r\\n'\nsend: 'aHVudGVyMng=\\r\\n'\n", "aHVudGVyMng="},
		{"SERVER -> CLIENT: 334 UGFzc3dvcmQ6\nCLIENT -> SERVER: aHVudGVyMng=\n", "aHVudGVyMng="},
		{"a001 AUTHENTICATE PLAIN AGJvYgBodW50ZXIyeA==\n", "AGJvYgBodW50ZXIyeA=="},
		{"A2 AUTHENTICATE PLAIN\n+\nAGJvYgBodW50ZXIyeA==\n", "AGJvYgBodW50ZXIyeA=="},
		{"AUTH PLAIN\n334 \nAGJvYgBodW50ZXIyeA==\n", "AGJvYgBodW50ZXIyeA=="},
		{"APOP bob 1f0e9d8c7b6a59481f0e9d8c7b6a5948\n", "1f0e9d8c7b6a59481f0e9d8c7b6a5948"},
	} {
		text := "first line\n" + tt.text + "last line\n"
		for _, got := range []string{whole(red, text), byBytes(red, text)} {
			if strings.Contains(got, tt.secret) || !strings.HasSuffix(got, "\nlast line\n") {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	for _, text := range []string{"334 UGFzc3dvcmQ6\n235 2.7.0 Accepted\n", "AUTH PLAIN\n535 Error\nAGJvYgBo\n"} {
		if got := byBytes(red, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
