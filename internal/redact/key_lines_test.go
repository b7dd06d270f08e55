package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// keyFrom returns a private key whose base64 begins with head.
func keyFrom(label, head string) string {
	body := head + strings.Repeat("u1SU7Lf5LPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0", 6)
	return "-----BEGIN " + label + "-----\n" + inColumns(body, 64) + "-----END " + label + "-----\n"
}

// inColumns returns a text in lines of the given length.
func inColumns(text string, width int) string {
	var b strings.Builder
	for len(text) > width {
		b.WriteString(text[:width] + "\n")
		text = text[width:]
	}
	return b.String() + text + "\n"
}

var headsOfKeys = map[string]string{
	"PRIVATE KEY": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "RSA PRIVATE KEY": "MIIEpAIBAAKCAQEA",
	"EC PRIVATE KEY": "MHcCAQEEI", "OPENSSH PRIVATE KEY": "b3BlbnNzaC1rZXktdjEA",
	"ENCRYPTED PRIVATE KEY": "MIIFLTBXBgkqhkiG9w0BBQ0wSjAp",
}

// hidesKey checks that a text has no long part of a key after its secrets were replaced. The text comes at once, line
// by line, and byte by byte.
func hidesKey(t *testing.T, name, text string) {
	t.Helper()
	red := New(Options{Shapes: true})
	text = "make: a line before\n" + text + "make: *** [all] Error 1 in the end\n"
	for _, got := range []string{whole(red, text), inLines(red, text), byBytes(red, text)} {
		if strings.Contains(got, "u1SU7Lf5LP") || strings.Contains(got, "HCozMxH2Mo") || strings.Contains(got,
			"onLRnrq") ||
			strings.Count(got, "\n") != strings.Count(text, "\n") ||
			!strings.HasPrefix(got, "make: a line before\n") || !strings.HasSuffix(got,
			"make: *** [all] Error 1 in the end\n") {
			t.Errorf("%s: it became %s", name, got)
		}
	}
}

// A log has its own text before and after each line of a key, also the last line, which is short.
func TestLinesOfKeysBehindOtherText(t *testing.T) {
	t.Parallel()
	for label, head := range headsOfKeys {
		for _, form := range []string{"INFO: %s", "[pod/x] INFO: %s", "│ %-70s │",
			"Jan  2 03:04:05 host app[123]: %s",
			"2026-01-02T03:04:05.678901Z 00O %s", "key.pem:7:%s"} {
			var b strings.Builder
			for line := range strings.Lines(keyFrom(label, head)) {
				fmt.Fprintf(&b, form+"\n", strings.TrimSpace(line))
			}
			hidesKey(t, label+" "+form, b.String())
		}
	}
}

// A form has + in place of blanks, and HTML has references in place of +.
func TestKeysInFormsAndPages(t *testing.T) {
	t.Parallel()
	for label, head := range headsOfKeys {
		text := keyFrom(label, head)
		hidesKey(t, label+" in a form", "key="+strings.NewReplacer("\n", "%0A", " ", "+", "/",
			"%2F").Replace(text)+"\n")
		hidesKey(t, label+" in HTML", strings.ReplaceAll(strings.ReplaceAll(text, "Mo4lg", "Mo+lg"), "+", "&#43;"))
	}
}

// The base64 of a key is secret if its first and its last line are missing, and if it is encoded once more. It may be
// wrapped at any length.
func TestKeysWithoutFirstLine(t *testing.T) {
	t.Parallel()
	for label, head := range headsOfKeys {
		text := keyFrom(label, head)
		lines := strings.SplitAfter(text, "\n")
		body := strings.Join(lines[1:len(lines)-2], "")
		encoded := base64.StdEncoding.EncodeToString([]byte(text))
		bytes := hex.EncodeToString([]byte(text))
		for name, text := range map[string]string{
			"body": body, "one line": strings.ReplaceAll(body, "\n", "") + "\n", "indented": "  " +
				strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n  ") + "\n",
			"40 columns": inColumns(strings.ReplaceAll(body, "\n", ""), 40),
		} {
			hidesKey(t, label+" "+name, text)
		}
		red := New(Options{Shapes: true})
		for _, text := range []string{encoded + "\n", inColumns(encoded, 76), "tls.key: " + encoded + "\n",
			bytes + "\n",
			base64.StdEncoding.EncodeToString([]byte(encoded)) + "\n", inColumns(bytes, 60)} {
			for _, got := range []string{whole(red, text), inLines(red, text), byBytes(red, text)} {
				if len(strings.ReplaceAll(got, "***\n", "")) > 80 || strings.Count(got, "\n") != strings.Count(text,
					"\n") {
					t.Errorf("%s: %.60s became %s", label, text, got)
				}
			}
		}
	}
}

// Certificates and public keys are no secrets in any of these forms.
func TestPublicLinesStay(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	for label, head := range map[string]string{"CERTIFICATE": "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa",
		"PUBLIC KEY": "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA"} {
		text := keyFrom(label, head)
		encoded := base64.StdEncoding.EncodeToString([]byte(text))
		for _, text := range []string{text, "INFO: " + strings.ReplaceAll(text, "\n", "\nINFO: ") + "\n",
			inColumns(encoded, 76),
			"key=" + strings.NewReplacer("\n", "%0A", " ", "+").Replace(text) + "\n"} {
			for _, got := range []string{whole(red, text), inLines(red, text)} {
				if got != text {
					t.Errorf("%q became %q", text, got)
				}
			}
		}
	}
}
