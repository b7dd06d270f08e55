package redact

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// inPieces writes s to a stream, cut at random positions, and returns the output.
func inPieces(red *Redactor, s string, r *rand.Rand) string {
	var out bytes.Buffer
	st := red.Stream(func(text []byte) { out.Write(text) })
	for len(s) > 0 {
		n := min(len(s), r.IntN(9))
		_, _ = st.Write([]byte(s[:n]))
		s = s[n:]
	}
	st.Close()
	return out.String()
}

func whole(red *Redactor, s string) string {
	var out bytes.Buffer
	st := red.Stream(func(text []byte) { out.Write(text) })
	_, _ = st.Write([]byte(s))
	st.Close()
	return out.String()
}

// again returns a fresh copy of a Redactor. Creating a Redactor from its values takes longer than redacting most texts.
func again(r *Redactor) *Redactor {
	n := &Redactor{known: maps.Clone(r.known), has: maps.Clone(r.has), values: slices.Clone(r.values), added: r.added}
	n.set.Store(r.set.Load())
	return n
}

// publicKey is the text of a public key. Its base64 begins in another way than that of key, because only a private key
// begins with a version.
var publicKey = strings.NewReplacer("PRIVATE", "PUBLIC", "MIIEowIBAAKCAQEA", "MIIBCgKCAQEA").Replace(key)

const key = `-----BEGIN RSA PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED

MIIEowIBAAKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gun
VTLw7onLRnrq0/IzW7yWR7QkrmBL7jTKEn5u+qKhbwKfBstIs+bMY2Zkp18gnTxK
LxoS2tFczGkPLPgizskuemMghRniWaoLcyehkd3qqGElvW/VDL5AaWTg0nLVkjRo
9z+40RQzuVaE8AkAFmxZzow==
-----END RSA PRIVATE KEY-----
`

func TestTexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"value", "a s3cr3t-Value b\n", "a *** b\n"},
		{"value in a word", "xs3cr3t-Valuex\n", "x***x\n"},
		{"twice beside each other", "s3cr3t-Values3cr3t-Value\n", "***\n"},
		{"values that overlap", "s3cr3t-Value-and-more\n", "***\n"},
		{"lines of a value", "first line of it\n second of it, and text\n", "***\n ***, and text\n"},
		{"CRLF stays", "s3cr3t-Value\r\nb\r\n", "***\r\nb\r\n"},
		{"no line end", "s3cr3t-Value", "***"},
		{"half a value", "s3cr3t-Val", "s3cr3t-Val"},
		{"a value that a line end splits", "s3cr3t-Val\nue", "***\n***"},
		{"ordinary text", "0 errors, see https://example.com:8080/x?y=1 <a@b.c>\n",
			"0 errors, see https://example.com:8080/x?y=1 <a@b.c>\n"},
		{"mask", "before masked\n::add-mask::masked\nmasked\n", "before masked\n::add-mask::***\n***\n"},
		{"mask in base64", "::add-mask::masked\nbWFza2Vk\n", "::add-mask::***\n***\n"},
		{"mask of several lines", "::add-mask::line-a%0Aline-b\nline-a line-b\n", "::add-mask::***\n*** ***\n"},
		{"mask with properties and CRLF", "  ::add-mask x=y::masked\r\nmasked\r\n", "  ::add-mask x=y::***\r\n***\r\n"},
		{"old mask", "##[add-mask]masked\nmasked\n", "##[add-mask]***\n***\n"},
		{"mask at the end", "::add-mask::masked", "::add-mask::***"},
		{"mask of nothing", "::add-mask::\nx\n", "::add-mask::\nx\n"},
		{"private key", "a\n" + key + "b\n",
			"a\n-----BEGIN RSA PRIVATE KEY-----\n***\n\n***\n***\n***\n***\n-----END RSA PRIVATE KEY-----\nb\n"},
		{"private key on one line", strings.ReplaceAll(key, "\n", `\n`) + "\n",
			"-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----\\n\n"},
		{"private key cut off", key[:200] + "\nmake: *** [all] Error 1 in the end\n",
			"-----BEGIN RSA PRIVATE KEY-----\n***\n\n***\n***\n***\nmake: *** [all] Error 1 in the end\n"},
		{"words of a private key", "grep -q 'BEGIN PRIVATE KEY-----' a b c\nand so on it goes\n",
			"grep -q 'BEGIN PRIVATE KEY-----' a b c\nand so on it goes\n"},
		{"public key", publicKey, publicKey},
		{"password in a URL", "git clone https://bob:hunter22@host/x\n", "git clone https://bob:***@host/x\n"},
		{"header", "> Authorization: Bearer abcdefghijklmnop\n", "> Authorization: Bearer ***\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(len(tt.in))))
			red := New(
				Options{Values: []string{"s3cr3t-Value", "Value-and-more", "first line of it\nsecond of it\n"}, Shapes: true})
			if got := whole(again(red), tt.in); got != tt.want {
				t.Errorf("%q became\n%q, want\n%q", tt.in, got, tt.want)
			}
			for range 50 {
				if got := inPieces(again(red), tt.in, r); got != tt.want {
					t.Fatalf("%q in pieces became\n%q, want\n%q", tt.in, got, tt.want)
				}
			}
		})
	}
}

func TestLinesStayOutsideOfShapes(t *testing.T) {
	t.Parallel()
	red := New(Options{})
	in := "ghp_123456789012345678901234567890123456 https://bob:hunter22@host\n"
	if got := whole(red, in); got != in {
		t.Errorf("without shapes %q became %q", in, got)
	}
}

func TestStringHearsNoCommands(t *testing.T) {
	t.Parallel()
	red := New(Options{Values: []string{"s3cr3t-Value"}})
	if got := red.String("echo ::add-mask::ordinary s3cr3t-Value"); got != "echo ::add-mask::ordinary ***" {
		t.Errorf("got %q", got)
	}
	if got := red.String("ordinary"); got != "ordinary" {
		t.Errorf("a command line masked a value: %q", got)
	}
}

func TestBlankKeepsTheLength(t *testing.T) {
	t.Parallel()
	red := New(Options{Values: []string{"s3cr3t-Value"}})
	if got := string(
		red.Blank([]byte("a s3cr3t-Value\ns3cr3t-\r\nValue b\n"))); got != "a ************\n*******\r\n***** b\n" {
		t.Errorf("got %q", got)
	}
}

func TestWhoLearnsOfValues(t *testing.T) {
	t.Parallel()
	red := New(Options{Values: []string{"first-1"}})
	var got []string
	red.Learned(func(values []string) { got = append(got, values...) })
	red.Add("second-2", "first-1")
	_ = whole(red, "::add-mask::third-3\n::add-mask::third-3\n")
	if strings.Join(got, " ") != "first-1 second-2 third-3" || red.Values() != 3 {
		t.Errorf("learned %q", got)
	}
}

func TestLongValuesAreHiddenInPieces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 9))
	var b strings.Builder
	for b.Len() < 10_000 {
		b.WriteString(secret(r))
	}
	v := b.String()
	if got := inPieces(New(Options{Values: []string{v}}), "a "+v+" b\n", r); got != "a *** b\n" {
		t.Errorf("became %.100q", got)
	}
}

// A stream holds back little, whatever was written before.
func TestLittleIsHeld(t *testing.T) {
	t.Parallel()
	red := New(Options{Values: []string{strings.Repeat("a", 500)}, Shapes: true})
	n := 0
	s := red.Stream(func(text []byte) { n += len(text) })
	for range 1000 {
		_, _ = s.Write(bytes.Repeat([]byte("a"), 1000))
		if len(s.text) > longestNeedle {
			t.Fatalf("%d bytes are held", len(s.text))
		}
	}
	s.Close()
	if len(s.text) != 0 || n != len(Mask) {
		t.Errorf("%d bytes are held, %d came out", len(s.text), n)
	}
	for range 1000 {
		_, _ = s.Write([]byte("-----BEGIN PRIVATE KEY-----" + strings.Repeat("A", 1000)))
		if len(s.text) > 3*longestKey {
			t.Fatalf("%d bytes are held", len(s.text))
		}
	}
}

// If the values that a log masks are too long together, the whole log is replaced.
func TestTooManyMasksHideAll(t *testing.T) {
	t.Parallel()
	red := New(Options{})
	red.Add(strings.Repeat("x", maxAdded+1))
	if got := whole(red, "one\ntwo\n"); got != "***\n***\n" {
		t.Errorf("got %q", got)
	}
}

func TestManyMasksAreFound(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	red := New(Options{})
	var log, want strings.Builder
	for range 300 {
		v := secret(r)
		log.WriteString("::add-mask::" + v + "\n" + v + "\n")
		want.WriteString("::add-mask::***\n***\n")
	}
	if got := inPieces(red, log.String(), r); strings.Count(got, "***") < 600 || len(got) > want.Len()+600 {
		t.Errorf("%d bytes, want %d", len(got), want.Len())
	}
}

func TestValuesAreAddedWhileStreamsRun(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	var wg sync.WaitGroup
	for i := range 4 {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		wg.Go(func() {
			for range 20 {
				v := secret(r)
				red.Add(v)
				if got := whole(red, "x "+v+"\n"); got != "x ***\n" {
					t.Errorf("%q became %q", v, got)
				}
			}
		})
	}
	wg.Wait()
}

// FuzzSplits checks that the output does not depend on the cuts of a text, and that the number of lines stays the same.
func FuzzSplits(f *testing.F) {
	f.Add("a s3cr3t-Value b\n::add-mask::foo bar\nfoo bar", uint64(1))
	f.Add(key, uint64(2))
	f.Add("aaaaaaabaaaab AKIAABCDEFGHIJKLMNOP eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc\r\n", uint64(3))
	f.Add("https://:pass@x https://u:p4ss@y ::add-mask::::add-mask::s3cr\n##[add-mask]]]]\n", uint64(4))
	f.Add("00000000\n-----END PRIVATE KEY----0", uint64(2))
	f.Add("czNjcjN0LVZhbHVl==== AAAA=\nYWFhYWFi", uint64(5))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		o := Options{Values: []string{"s3cr3t-Value", "aaaa", "aaaaaaab", "Value czNj", "=aaaa=", "b::add"}, Shapes: true}
		want := whole(New(o), text)
		if got := inPieces(New(o), text, rand.New(rand.NewPCG(seed, 1))); got != want {
			t.Errorf("%q became\n%q, in pieces\n%q", text, want, got)
		}
		if strings.Count(text, "\n") != strings.Count(want, "\n") {
			t.Errorf("%q became %q: lines are missing", text, want)
		}
	})
}

// The result does not depend on how a text is split into writes. The texts consist of parts of secrets, because random
// text has hardly any secrets.
func TestSplitsOfFragments(t *testing.T) {
	t.Parallel()
	fragments := []string{
		"s3cr3t-Value", "s3cr3t", "-Value", "aaaa", "a", "aaaaaaa", "b", "=", "==", "\n", "\r\n", " ", "::add-mask::",
		"::add", "::", "##[add-mask]", "b::add",
		"AKIA", "ABCDEFGHIJKLMNOP", "ghp_", "0123456789abcdefghijABCDEFGHIJ012345", "://", "u:pass1@",
		":pass1@", "-----BEGIN PRIVATE KEY-----", "BEGIN ", "PRIVATE KEY",
		"-----END", "MIIEowIBAAKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gun", "czNjcjN0LVZhbHVl",
		"eyJhbGciOiJIUzI1NiJ9", ".", "Authorization: Bearer ",
	}
	r := rand.New(rand.NewPCG(8, 8))
	o := Options{Values: []string{"s3cr3t-Value", "aaaa", "aaaaaaab", "Value czNj", "=aaaa=", "b::add", "@s3cr"},
		Shapes: true}
	red, shapeless := New(o), New(Options{Values: o.Values})
	for range 3000 {
		var b strings.Builder
		for range 1 + r.IntN(25) {
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
		want := whole(again(red), b.String())
		if got := inPieces(again(red), b.String(), r); got != want {
			t.Fatalf("%q became\n%q, in pieces\n%q", b.String(), want, got)
		}
		if strings.Count(want, "\n") != strings.Count(b.String(), "\n") {
			t.Fatalf("%q became %q: lines are missing", b.String(), want)
		}
		if got := whole(again(shapeless), b.String()); strings.Contains(got, "s3cr3t-Value") ||
			strings.Contains(got, "aaaa") {
			t.Fatalf("%q became %q", b.String(), got)
		}
	}
}

// A secret in a command line is also a secret in the output of the command.
func TestSecretsOfCommandLinesAreLearned(t *testing.T) {
	t.Parallel()
	for _, c := range []string{"TOKEN=a1b2c3d4; echo a1b2c3d4", "sh -c 'export X_TOKEN=a1b2c3d4; echo $X_TOKEN'",
		"curl -u bob:a1b2c3d4 h", `curl -H "Authorization: Bearer a1b2c3d4" h`, "tool --password a1b2c3d4",
		"docker login -p a1b2c3d4 r", `PASSWORD="a1b2c3d4" make`} {
		r := New(Options{Shapes: true})
		r.Learn(c)
		if got := whole(r, "it is a1b2c3d4\n"); got != "it is ***\n" {
			t.Errorf("after %q: %q", c, got)
		}
		if got := r.Command(c); strings.Contains(got, "a1b2c3d4") {
			t.Errorf("%q became %q", c, got)
		}
	}
	r := New(Options{Shapes: true})
	for _, c := range []string{"tool --key=linux-x64 --password admin --token build", "TOKEN=$GITHUB_TOKEN make",
		"KEY=node20-x64 make", "curl -u bob h", "docker login -p release r", "go test -run TestToken1 ./token2",
		"make -p x86-64"} {
		r.Learn(c)
	}
	log := "linux-x64 admin build node20-x64 bob release TestToken1 token2 x86-64\n"
	if got := whole(r, log); got != log {
		t.Errorf("%q became %q", log, got)
	}
}

func TestSecretsOfKubernetes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"apiVersion: v1\ndata:\n  a: aHVudGVy\n  b: Ym9i\nkind: Secret\nmetadata:\n  name: x\n",
		"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  a: aHVudGVy\n  b: Ym9i\n",
		"items:\n- apiVersion: v1\n  data:\n    a: aHVudGVy\n  kind: Secret\n",
		`{"apiVersion": "v1", "data": {"a": "aHVudGVy", "b": "Ym9i"}, "kind": "Secret"}`,
		"{\n  \"data\": {\n    \"a\": \"aHVudGVy\"\n  },\n  \"kind\": \"Secret\"\n}\n",
	} {
		got := whole(New(Options{Shapes: true}), text)
		if strings.Contains(got, "aHVudGVy") || strings.Contains(got, "Ym9i") ||
			strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q became %q", text, got)
		}
		if pieces := inPieces(New(Options{Shapes: true}), text, rand.New(rand.NewPCG(3, 4))); pieces != got {
			t.Errorf("%q became %q, in pieces %q", text, got, pieces)
		}
	}
	for _, text := range []string{
		"apiVersion: v1\ndata:\n  a: aHVudGVy\nkind: ConfigMap\n", "data:\n  a: b\nkind: SecretStore\n", "data: 12\n",
		`{"data": {"a": 1}, "kind": "List"}`, "metadata:\n  name: x\n", "kind: Secret\n---\ndata:\n  a: b\nkind: ConfigMap\n",
	} {
		if got := whole(New(Options{Shapes: true}), text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestMaskCommandsAreWrittenInManyWays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"::ADD-MASK::plainwords\n", "::add-mask:: plainwords\n", "##[Add-Mask]plainwords\n",
		"##vso[task.setsecret]plainwords\n", "##vso[task.setvariable variable=x;issecret=true]plainwords\n",
		"\x1b[36m::add-mask::plainwords\x1b[0m\n"} {
		if got := whole(New(Options{}), text+"plainwords\n"); strings.Contains(got, "plain") {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A value that is the end of another value is found on its own.
func TestValuesThatEndLikeOthersAreFound(t *testing.T) {
	t.Parallel()
	for _, values := range [][]string{{"!hunter22", "hunter22"}, {"abchunter22", "hunter22"}, {"hunter22", "!hunter22"}} {
		if got := whole(New(Options{Values: values}), "hunter22 !hunter22\n"); strings.Contains(got, "hunter22") {
			t.Errorf("%q: %q", values, got)
		}
	}
}
