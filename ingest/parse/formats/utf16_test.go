package formats_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/store"
)

// inUTF16 returns text in UTF-16.
func inUTF16(text string, order binary.AppendByteOrder) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return b
}

// All or some lines of a log are in UTF-16. The events must be those of the same log in UTF-8, at the same lines. The
// sizes of the pieces in which the log arrives must not matter.
func TestLogsInUTF16(t *testing.T) {
	t.Parallel()
	const before = "cat build.txt\nmain.c:1:2: error: unknown type name 'x'\n"
	const behind = "\nls\nmain.c:7:2: error: no member 'y'\n"
	const inside = "src/naïve.c:3:5: error: ‘z’ undeclared 𝒳\r\n\r\n" +
		"src/b.c:4:5: warning: unused variable ‘k’\r\nsrc/c.c:9:1: error: expected ‘;’\r\n"
	low, high := inUTF16("\ufeff"+inside, binary.LittleEndian), inUTF16(strings.NewReplacer("‘", "'", "’", "'",
		"ï", "i", " 𝒳", "").Replace(inside), binary.BigEndian)
	plain := strings.NewReplacer("‘", "'", "’", "'", "ï", "i", " 𝒳", "").Replace(inside)
	for name, tt := range map[string]struct {
		log  []byte
		want string
	}{
		"low byte first":          {low, inside},
		"without mark":            {inUTF16(inside, binary.LittleEndian), inside},
		"high byte first":         {high, plain},
		"high byte first, marked": {append([]byte("\xfe\xff"), high...), plain},
		"in the midst":            {[]byte(before + string(low) + behind), before + inside + behind},
		"a secret that was replaced": {bytes.ReplaceAll(low, inUTF16("undeclared", binary.LittleEndian), []byte("***")),
			strings.Replace(inside, "undeclared", "***", 1)},
		"no UTF-16": {[]byte("a\x00b main\x00\n" + before), "a\x00b main\x00\n" + before},
	} {
		want := events(t, []byte(tt.want), len(tt.want))
		for _, size := range []int{1, 2, 3, 7, 64, len(tt.log)} {
			if diff := cmp.Diff(want, events(t, tt.log, size)); diff != "" {
				t.Errorf("%s, in pieces of %d bytes: %s", name, size, diff)
			}
		}
		if len(want) == 0 {
			t.Errorf("%s: there are no events", name)
		}
	}
}

// events returns the events of a log that arrives in pieces of size bytes. It checks that parse.Read finds the same
// events.
func events(t *testing.T, log []byte, size int) []store.Event {
	t.Helper()
	var list, read []store.Event
	p := parse.New(parse.Options{Formats: formats.All()}, func(e store.Event) { list = append(list, e) })
	for rest := log; len(rest) > 0; rest = rest[min(size, len(rest)):] {
		_, _ = p.Write(rest[:min(size, len(rest))])
	}
	p.Finish(nil)
	err := parse.Read(bytes.NewReader(log), nil, parse.Options{Formats: formats.All()},
		func(e store.Event) { read = append(read, e) })
	if diff := cmp.Diff(list, read); diff != "" || err != nil {
		t.Errorf("Read differs: %v %s", err, diff)
	}
	return list
}

// A large log in UTF-16 has the same events as its text in UTF-8. An error after a very long line is found, too.
func TestLargeLogsInUTF16(t *testing.T) {
	t.Parallel()
	const line = "src/main.c:3:5: error: 'z' undeclared here\r\n"
	filler := strings.Repeat("compiling a file without any trouble\r\n", 2000)
	text := ""
	for _, file := range "abcdefghijkl" {
		text += string(file) + line + filler
	}
	log := inUTF16(text, binary.LittleEndian)
	want := events(t, []byte(text), len(text))
	if diff := cmp.Diff(want, events(t, log, 4096)); diff != "" || len(want) != 12 {
		t.Errorf("%d events: %s", len(want), diff)
	}
	endless := bytes.Repeat([]byte("x\x00"), 1<<20)
	if got := events(t, append(endless, []byte("\n\x00"+line)...), 1<<16); len(got) != 1 {
		t.Errorf("behind an endless line are %d events", len(got))
	}
}
