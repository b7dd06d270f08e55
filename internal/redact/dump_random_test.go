package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Text of numbers, single characters and marks stays unchanged, however it is cut into writes.
func TestRandomDumpsStay(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 4))
	words := strings.Split("0|1|7|10|32|104|117|255|256|0x68|0x7|68|6875|68756e74|0150|150|0o150|0b1101000|01101000|a|h|"+
		"x|'h'|\"h\"|7568|00000000|00000010:|hunter|\\x68|#12|ab|é|日|2026-01-02|03:04:05", "|")
	gaps := strings.Split("~ ~ ~ ~, ~,~;~:~\n~\n~\r\n~\t~  ~ | ~|~-~', '~\x1b[0m~\\n~\x00~  |", "~")
	red := New(Options{Values: []string{"hunter2x-Value", "s3cr3t", "0123456789abcdef0123"}, Shapes: true})
	for range 300 {
		var b strings.Builder
		for range r.IntN(400) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString(gaps[r.IntN(len(gaps))])
		}
		text := b.String()
		if got := whole(red, text); got != text {
			t.Fatalf("%q became %q", text, got)
		}
		if got := inPieces(red, text, r); got != text {
			t.Fatalf("%q in pieces became %q", text, got)
		}
	}
}

// In a random sequence of special texts, the redactor keeps the number of lines. No sequence makes the redactor panic.
func TestRandomBytesKeepTheirLines(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 15))
	pieces := strings.Split("-----BEGIN RSA PRIVATE KEY-----~-----END RSA PRIVATE KEY-----~Private-Lines: 3~"+
		"AKIAIOSFODNN7EXAMPLE~password: |~password:~  ~\n~\r\n~\r~\b~\x1b]0;x~\a~\x1b[31m~\x1b[~\x1b~%41~"+
		"\\x4~&#x~\xff~\xc3~\u200b~é~日~h u n t~104, 117~68 75~"+
		"0000010 ~MIIEowIBAAKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gun~"+
		"token=~\"~'~,~:~<password>~<~>~\x00~\xfe\xff~"+
		"s3cr3t~::add-mask::~::stop-commands::x~curl -u a:b ~echo x | sudo -S~data:~kind: Secret", "~")
	for range 400 {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		text := b.String() + "\n"
		red := New(Options{Values: []string{"s3cr3t-Value"}, Shapes: true})
		failed := 0
		s := red.Stream(func(text []byte) { failed -= strings.Count(string(text), "\n") })
		failed += strings.Count(text, "\n")
		for rest := text; rest != ""; {
			n := min(len(rest), 1+r.IntN(30))
			s.text = append(s.kept[:len(s.text):len(s.text)], rest[:n]...)
			s.advance(false)
			s.kept = append([]byte(nil), s.text...)
			s.text = s.kept
			rest = rest[n:]
		}
		s.advance(true)
		if failed != 0 {
			t.Fatalf("%q lost %d lines", text, failed)
		}
	}
}

// Text that cannot be searched is hidden.
func TestTextThatCannotBeSearchedIsHidden(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	red := New(Options{Values: []string{"s3cr3t-Value"}, Shapes: true})
	s := red.Stream(func(text []byte) { out.Write(text) })
	red.set.Store(&set{shapes: allShapes()}) // without a filter, the search panics
	_, _ = s.Write([]byte("a line\ns3cr3t-Value\n"))
	if s.Close(); out.String() != "***\n***\n" {
		t.Errorf("%q", out.String())
	}
}
