package redact

import (
	"bytes"
	"strings"
	"testing"
)

const putty = `PuTTY-User-Key-File-3: ssh-ed25519
Encryption: none
Comment: ed25519-key-20261122
Public-Lines: 2
AAAAC3NzaC1lZDI1NTE5AAAAIPpDvDAsI4FnNsBCnQrTyXdG5QK9S5cnYmYHCiV3
oXVT
Private-Lines: 2
AAAAIHq0yR9vqV8fMdGwfPgsMBYTYKMbZxnO8GkcRyuxS0rOAAAAIHq0yR9vqV8f
MdGw
Private-MAC: 6a6d8f1f4f27a2b2c9d26b7e8b9d5e1c7f3a4b5c6d7e8f901234567890abcdef
`

// The private lines of a PuTTY key are removed, whether the key has line ends or is on one line with \n.
func TestPuttyKeys(t *testing.T) {
	t.Parallel()
	for _, text := range []string{putty, strings.ReplaceAll(putty, "\n", "\r\n"), `"` +
		strings.ReplaceAll(putty, "\n", `\n`) + `"` + "\n"} {
		for _, got := range []string{whole(New(Options{Shapes: true}), text), inLines(New(Options{Shapes: true}), text)} {
			if strings.Contains(got, "AAAAIHq") || strings.Contains(got, "MdGw") || !strings.Contains(got, "oXVT") ||
				!strings.Contains(got, "Private-MAC: ") {
				t.Errorf("it became %q", got)
			}
		}
	}
}

// The last lines of a private key are secret even without its first line.
func TestEndsOfKeys(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(strings.TrimSuffix(key, "\n"), "\n")
	for n := 4; n < len(lines)-1; n++ {
		text := "Generating the key\n" + strings.Join(lines[n:], "") + "\ndone\n"
		want := "Generating the key\n" + strings.Repeat("***\n", len(lines)-1-n) + "-----END RSA PRIVATE KEY-----\ndone\n"
		if got := whole(New(Options{Shapes: true}), text); got != want {
			t.Errorf("%q became %q", text, got)
		}
		if got := inLines(New(Options{Shapes: true}), text); got != want {
			t.Errorf("line by line, %q became %q", text, got)
		}
	}
	for _, text := range []string{
		"done\n-----END RSA PRIVATE KEY-----\n", "Generating\n-----END PRIVATE KEY-----\n",
		strings.ReplaceAll(strings.Join(lines[4:], ""), "RSA PRIVATE KEY", "CERTIFICATE") + "\n",
		"the files:\n" + strings.Repeat("0123456789abcdef", 4) + "\nEND of them\n",
	} {
		if got := inLines(New(Options{Shapes: true}), text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A diff, a log viewer or a mail puts marks before the lines of a key.
func TestKeysBehindMarks(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(strings.TrimSuffix(key, "\n"), "\n")
	for _, mark := range []string{"+", "-", " ", "    ", "> ", "< ", "+    ", "-  ", "2026-11-29T08:00:00.123Z ", "12:30:01 ",
		"web-1  | ", "[build] "} {
		for _, from := range []int{0, 4} {
			text := "Keys\n" + mark + strings.Join(lines[from:], mark) + "\ndone\n"
			red := New(Options{Shapes: true})
			want := whole(red, text)
			for _, line := range lines[3 : len(lines)-1] {
				if strings.Contains(want, strings.TrimSpace(line)) {
					t.Errorf("%q became %q", text, want)
					break
				}
			}
			for _, got := range []string{inLines(red, text), byBytes(red, text)} {
				if got != want || !strings.HasPrefix(got, "Keys\n") || !strings.HasSuffix(got, "\ndone\n") {
					t.Errorf("%q became %q, in pieces %q", text, want, got)
				}
			}
		}
	}
}

// The AWS CLI can print access keys without the names of the values, in several formats.
func TestAccessKeysWithoutNames(t *testing.T) {
	t.Parallel()
	const id, secret = "ASIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYzEXAMPLEKE"
	token := strings.Repeat("FwoGZXIvYXdzEJr/", 20) + "=="
	for _, text := range []string{
		"CREDENTIALS\t" + id + "\t2026-11-22T15:00:00+00:00\t" + secret + "\t" + token +
			"\nASSUMEDROLEUSER\tarn:aws:sts::1\n",
		"ACCESSKEY\t" + id + "\t2026-11-22T15:00:00Z\t" + secret + "\tActive\tbob\n",
		id + "\t" + secret + "\t" + token + "\n", id + "\n" + secret + "\n" + token + "\n",
		"[\n    \"" + id + "\",\n    \"" + secret + "\",\n    \"" + token + "\"\n]\n",
		"|  " + id + "  |  " + secret + "  |\n",
		id + ":" + secret + "\n",
	} {
		for _, got := range []string{whole(New(Options{Shapes: true}), text), inLines(New(Options{Shapes: true}), text)} {
			if strings.Contains(got, "bPxRfi") || strings.Contains(got, "FwoG") || strings.Contains(got, "FODNN7") {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	text := "AKIAIOSFODNN7EXAMPL pushed 1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d at " +
		"/usr/lib/x86_64-linux-gnu/Abcdefghij\n"
	if got := whole(New(Options{Shapes: true}), text); got != text {
		t.Errorf("%q became %q", text, got)
	}
}

// YAML values may be on the lines below their names.
func TestValuesBelowTheirNames(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"password: |\n  hunter2x\nuser: bob\n", "password: >-\n  hunter2x\nuser: bob\n",
		"  password: |+\n      hunter2x\n  user: bob\n",
		"password: |2-\n    hunter2x\nuser: bob\n", "client_secret: >  # the secret\n  hunter2x\n\n  hunter3x\nuser: bob\n",
		"password: |\n  correct hunter2x\n  hunter3x staple\nuser: bob\n", "password:\n  hunter2x\nuser: bob\n",
		"password:\r\n    hunter2x\r\nuser: bob\r\n", "- password:\n    \"hunter2x\"\n  user: bob\n",
		"passphrase: |\n  hunter\n  hunter\nuser: bob\n",
	} {
		for _, got := range []string{whole(New(Options{Shapes: true}), text), inLines(New(Options{Shapes: true}), text)} {
			if strings.Contains(got, "hunter") || !strings.Contains(got, "user: bob") {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	for _, text := range []string{
		"password:\n  description: of the user\n", "password:\n  - hunter2x\n", "password:\nhunter2x was here\n",
		"tokens:\n  a1b2c3: 4\n", "password: |\nuser2x: bob\n", "auth:\n  enabled\n", "secrets:\n  inherit\n",
		"Password:\n  must have 8 characters\n",
	} {
		if got := inLines(New(Options{Shapes: true}), text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A terminal does not show a control string. A secret that has a long control string inside is still hidden.
func TestLongStringsWithinSecrets(t *testing.T) {
	t.Parallel()
	const v = "s3cr3t-Value/42"
	for _, n := range []int{5 << 10, 50 << 10} {
		text := "begin s3cr3t-\x1b]1337;File=inline=1:" + strings.Repeat("QUJD", n/4) + "\aValue/42 end\n"
		red := New(Options{Values: []string{v}})
		if got := whole(red, text); strings.Contains(got, "s3cr") || strings.Contains(got, "Value") ||
			!strings.HasSuffix(got, " end\n") {
			t.Errorf("a string of %d bytes: it begins %.40q", n, got)
		}
		var out bytes.Buffer
		s := red.Stream(func(text []byte) { out.Write(text) })
		for rest := []byte(text); len(rest) > 0; rest = rest[min(len(rest), 8<<10):] {
			_, _ = s.Write(rest[:min(len(rest), 8<<10)])
		}
		if s.Close(); strings.Contains(out.String(), "s3cr") || strings.Contains(out.String(), "Value") {
			t.Errorf("a string of %d bytes in pieces: it begins %.40q", n, out.String())
		}
	}
	text := "title \x1b]0;" + strings.Repeat("a line of the log\n", 1000)
	if got := whole(New(Options{Values: []string{v}}), text); got != text {
		t.Errorf("a string without an end became %.100q", got)
	}
}
