package redact

import (
	"os"
	"strings"
	"testing"
)

// Source code in the output of compilers and test runners stays unchanged, including the text before its lines.
func TestCodeStays(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/code.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
	for _, line := range lines {
		for _, before := range []string{"", " 12 |     ", ">       ", "    "} {
			if text := before + line + "\n"; whole(New(Options{Shapes: true}), text) != text {
				t.Errorf("%q became %q", text, whole(New(Options{Shapes: true}), text))
			}
		}
	}
}

// Secrets in configuration, environments and output are replaced.
func TestLinesThatLeak(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/leaks.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		got := whole(New(Options{Shapes: true}), line+"\n")
		for _, v := range []string{"hunter2x", "Zq8vT3xK", "1f0e9d8c7b6a5948"} {
			if strings.Contains(got, v) {
				t.Errorf("%q became %q", line, got)
			}
		}
	}
}
