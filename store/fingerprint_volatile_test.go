package store

import (
	"slices"
	"testing"
)

// In TestOneFingerprint each row has messages of the same failure.
func TestOneFingerprint(t *testing.T) {
	for _, same := range [][]string{
		{"'foo' undeclared", "‘foo’ undeclared", "`foo' undeclared", "`foo` undeclared", "´foo´ undeclared",
			"‚foo‘ undeclared", "„foo“ undeclared", "«foo» undeclared", "« foo » undeclared", "»foo« undeclared",
			"’foo’ undeclared", "‹foo› undeclared", "「foo」 undeclared"},
		{`unknown name "x" here`, "unknown name “x” here"},
		{"can't open it", "can’t open it"},
		{"conversion from ‘std::vector<int>’ to ‘int’", "conversion from 'std::vector<int>' to 'int'"},
		{"/home/runner/work/_temp/0b1c2d3e-4f5a-4b6c-8d7e-9f0a1b2c3d4e.sh: line 3: foo: command not found",
			"/home/runner/work/_temp/9b1c2d3e-4f5a-4b6c-8d7e-9f0a1b2c3d4f.sh: line 4: foo: command not found"},
		{"/home/runner/work/_temp/blq-1234567890.sh: line 3: x", "/tmp/blq-987654321.sh: line 9: x",
			`D:\a\_temp\blq-55555555.sh: line 1: x`, `C:\Users\RUNNER~1\AppData\Local\Temp\blq-5551234.sh: line 1: x`},
		{"can't read blq-1234567.py", "can't read blq-7654321.py"},
		{"open /tmp/tmp.AbC: no", "open /tmp/tmp.xY9: no", "open /tmp/tmp.kQzRtWabcd: no"},
		{"open ‘/tmp/tmp.kQzRtWabcd/a.c’: no", "open '/tmp/tmp.zzRtW1bcde/a.c': no"},
		{"/tmp/ccAbC12z.o: undefined reference to 'f'", "/tmp/ccqrstuv.o: undefined reference to `f'"},
		{"/tmp/go-build1234567/b001/x.go: no", "/tmp/go-build7654321/b001/x.go: no"},
		{"/tmp/TestOpen1234567890/001/a: no", "/var/folders/zz/abcd1234/T/TestOpen99887766/001/a: no"},
		{"/tmp/pytest-of-runner/pytest-0/test_x0/f", "/tmp/pytest-of-ada/pytest-12/test_x0/f"},
		{"/tmp/tmpa1b2c3d4/f", "/tmp/tmpzy_xwvut/f", "/private/var/folders/zz/abc/T/tmpzy9xwvut/f"},
		{"/tmp/build-Ab3dEf/x", "/tmp/build-zK9wQ1/x"},
		{"target/debug/deps/shop-1a2b3c4d5e6f7a8b: no", "target/debug/deps/shop-9a2b3c4d5e6f7a8c: no"},
		{"object at 0x7f12ab34cd56 is bad", "object at 0x7f99ab34cd00 is bad"},
		{"nil pointer [signal code=0x1 addr=0x0 pc=0x45e3a4]", "nil pointer [signal code=0x1 addr=0x8 pc=0x45ffff]"},
		{"connect 127.0.0.1:43210 refused", "connect 127.0.0.1:43211 refused"},
		{"dial tcp [::1]:43210 refused", "dial tcp [::1]:1 refused"},
		{"address in use :::3000", "address in use :::3001"},
		{"connect db:5432", "connect db:5433"},
		{"port 80 taken", "port 81 taken"},
		{"pid=12 died", "pid=13 died"},
		{"==12==ERROR: leak", "==13==ERROR: leak"},
		{"thread 'main' (12) panicked at a.rs:1:2", "thread 'main' (13) panicked at a.rs:3:4"},
		{"at 2026-01-02T03:04:05Z", "at 2025-11-12T13:14:15Z"},
		{"at Mon Jan  2 15:04:05 2006", "at Tue Feb 13 01:02:03 2026"},
		{"took 1m30.5s", "took 3.2s", "took 90 ms"},
		{"after 30 seconds", "after 2 minutes"},
		{"see a.c:12 and b.ts(1,2)", "see a.c:13 and b.ts(12,20)"},
		{"see a.c:12:4", "see a.c:1:99"},
		{"line 3, column 4", "line 30, column 5"},
		{"request 0b1c2d3e-4f5a-4b6c-8d7e-9f0a1b2c3d4e failed", "request 1b1c2d3e-4f5a-4b6c-8d7e-9f0a1b2c3d4e failed"},
	} {
		want := Fingerprint(Event{Tool: "t", Message: same[0]})
		for _, m := range same[1:] {
			if Fingerprint(Event{Tool: "t", Message: m}) != want {
				t.Errorf("apart: %q as %q, and %q as %q", same[0], normalize(same[0]), m, normalize(m))
			}
		}
	}
}

// In TestTwoFingerprints each row has messages of different failures.
func TestTwoFingerprints(t *testing.T) {
	for _, apart := range [][]string{
		{"'foo' undeclared", "'bar' undeclared", "foo undeclared"},
		{`unexpected '"'`, "unexpected '''", "unexpected '`'", "unexpected '“'", "unexpected '”'", "unexpected '’'"},
		{"extended character “ is not valid", "extended character ” is not valid", "extended character ’ is not valid"},
		{"unexpected ''", "unexpected ' '"},
		{"cannot use 'a' as string", `cannot use "a" as string`},
		{"manifest for redis:6 not found", "manifest for redis:7 not found"},
		{"image nginx:1.25 not found", "image nginx:1.26 not found"},
		{"image quay.io/x/y:12 not found", "image quay.io/x/y:13 not found"},
		{"exited with 0xC0000005", "exited with 0xC0000135"},
		{"HRESULT 0x80070005", "HRESULT 0x80070002"},
		{"'30s' is no number", "'60s' is no number"},
		{"'2024-02-30' is no date", "'2024-02-31' is no date"},
		{"expected 2 arguments", "expected 3 arguments"},
		{"open /tmp/first: no", "open /tmp/second: no"},
		{"open /tmp/MyProject/a: no", "open /tmp/OtherProject/a: no"},
		{"open /tmp/build1/a: no", "open /tmp/build2/a: no"},
		{"ratio 3:4 is wrong", "ratio 3:5 is wrong"},
		{"see a[1]: out of range", "see a[2]: out of range"},
		{"exit status 1", "exit status 2"},
		{"error TS2304: x", "error TS2305: x"},
		{"std::array2", "std::array3"},
		{"undefined: utf8x", "undefined: utf16x"},
		{"commit 1a2b3c4d not found", "commit 1a2b3c4e not found"},
		{"mismatched types\nexpected `i32`, found `&str`", "mismatched types\nexpected `i32`, found `u8`"},
	} {
		seen := map[string]string{}
		for _, m := range apart {
			f := Fingerprint(Event{Tool: "t", Message: m})
			if other, ok := seen[f]; ok {
				t.Errorf("one: %q and %q as %q", other, m, normalize(m))
			}
			seen[f] = m
		}
	}
}

// TestNamesOfTests checks that dates and durations in names distinguish tests. Addresses in names and the paths of
// temporary folders do not distinguish tests.
func TestNamesOfTests(t *testing.T) {
	of := func(test, file string) string {
		return Fingerprint(Event{Tool: "pytest", Category: CategoryTest, Test: test, File: file})
	}
	if of("test_day[2024-01-01]", "a.py") == of("test_day[2024-01-02]", "a.py") {
		t.Error("two dates are one test")
	}
	if of("test_wait[5s]", "a.py") == of("test_wait[6s]", "a.py") {
		t.Error("two durations are one test")
	}
	if of("test_o[<object at 0x7f12ab34cd56>]", "a.py") != of("test_o[<object at 0x7f12ab34cd99>]", "a.py") {
		t.Error("an address makes another test")
	}
	if of("test_o", "/tmp/tmpa1b2c3d4/a.py") != of("test_o", "/tmp/tmpz1b2c3d5/a.py") {
		t.Error("a temporary folder makes another test")
	}
}

func TestStoredFingerprintsOfVersion1(t *testing.T) {
	e := Event{Tool: "gcc", Category: CategoryCompile, File: "a.c", Message: "‘x’ undeclared"}
	e.Fingerprint = fingerprintV1(e)
	now := Event{Tool: "gcc", Category: CategoryCompile, File: "a.c", Message: "'x' undeclared"}
	if got := currentFingerprint(e); got != Fingerprint(now) || got == e.Fingerprint {
		t.Errorf("got %s", got)
	}
	found := false
	for _, f := range EarlierFingerprints(now) {
		found = found || f == e.Fingerprint
	}
	if !found {
		t.Error("the old value is not among those to look for")
	}
	e.Fingerprint = "gcc_compile_0000000000000001"
	if got := currentFingerprint(e); got != e.Fingerprint {
		t.Errorf("a value of unknown origin became %s", got)
	}
}

func TestOnlyRustMayHaveLeftOutALine(t *testing.T) {
	for tool, want := range map[string]bool{"rustc": true, "clippy": true, "gcc": false} {
		e := Event{Tool: tool, Category: CategoryCompile, File: "a.rs", Message: "mismatched types\nexpected `u8`"}
		brief := e
		brief.Message = "mismatched types"
		if got := slices.Contains(EarlierFingerprints(e), Fingerprint(brief)); got != want {
			t.Errorf("%s: %v", tool, got)
		}
	}
}

func TestGeneralize(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"'foo' undeclared":        "'*' undeclared",
		"\"foo\" undeclared":      "'*' undeclared",
		"`foo' undeclared":        "'*' undeclared",
		"`foo` undeclared":        "'*' undeclared",
		"‘foo’ undeclared":        "'*' undeclared",
		"“foo” undeclared":        "'*' undeclared",
		"'' is empty":             "'*' is empty",
		"'open":                   "'open",
		"don't do that, it isn't": "don't do that, it isn't",
		"é is no quote":           "é is no quote",
		"expected 2 arguments":    "expected <n> arguments",
		"v0 and v9":               "<n> and <n>",
		"1.5":                     "<n>",
		"a-1":                     "<n>",
		"a-b":                     "a-b",
		"src/main.c: no":          "<path>: no",
		`src\x: no`:               "<path>: no",
		"/usr/bin/x failed":       "<path> failed",
		"a.b failed":              "a.b failed",
		"snake_case9Z AZ az":      "<n> AZ az",
		"x; y":                    "x; y",
	} {
		if got := generalize(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestWhatIsHexadecimal(t *testing.T) {
	for s, want := range map[string]bool{"": false, "0": true, "9": true, "a": true, "f": true, "A": true, "F": true,
		"g": false, "G": false, "/": false, ":": false, "`": false, "@": false, "0g": false} {
		if got := allHex(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}
