package parse_test

import (
	"bytes"
	"math/rand"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/store"
)

// inputs returns the tools' output in all goldens.
func inputs(t testing.TB) (logs [][]byte) {
	t.Helper()
	files, err := filepath.Glob("formats/testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens (error %v)", err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if f.Name == "input" {
				logs = append(logs, f.Data)
			}
		}
	}
	return logs
}

// checkPlain compares the events of the parser with those of parse.Plain. The parser gets the log in pieces of the
// given size.
func checkPlain(t testing.TB, log []byte, exitCode *int, piece int) {
	t.Helper()
	opts := parse.Options{Formats: formats.All(), Strict: true}
	var want, got []store.Event
	parse.Plain(log, exitCode, opts, func(e store.Event) { want = append(want, e) })
	p := parse.New(opts, func(e store.Event) { got = append(got, e) })
	for rest := log; len(rest) > 0; {
		n := min(piece, len(rest))
		p.Write(rest[:n])
		rest = rest[n:]
	}
	p.Finish(exitCode)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pieces of %d bytes: the plain parser gives other events (-plain +fast):\n%s\nof the log:\n%.2000q", piece,
			diff, log)
	}
}

// The optimizations of the parser change no event of a golden.
func TestAPlainParserFindsTheSame(t *testing.T) {
	failed := 1
	for i, log := range inputs(t) {
		checkPlain(t, log, &failed, len(log)+1)
		checkPlain(t, log[:i*7919%(len(log)+1)], nil, 1+i*31%999)
	}
}

// Random logs find errors that goldens do not find. They have lines of all tools in any order, with envelopes, colours,
// carriage returns and invalid bytes, in blocks of any size.
func TestAPlainParserFindsTheSameInAnyLog(t *testing.T) {
	var lines [][]byte
	for _, log := range inputs(t) {
		lines = append(lines, bytes.SplitAfter(log, []byte("\n"))...)
	}
	random := rand.New(rand.NewSource(1))
	for range 100 {
		log := shuffled(random, lines)
		checkPlain(t, log, nil, 1+random.Intn(len(log)+1))
		if t.Failed() {
			return
		}
	}
}

// around are texts that CI systems and terminals put around and into lines.
var around = []string{
	"2026-08-17T13:15:44.0830000Z ", "build\tRun make\t2026-08-17T13:15:44.0830000Z ", "13:15:44 ", "13:15:44  ",
	"[13:15:44] ", "[2026-08-17T13:15:44.083Z] ", "    [javac] ", "#12 3.456 ", "web-1  | ", "1: ", "##[error]",
	"##[group]", "               +test | ", "Step #1: ", "\x1b[31m", "\x1b[0m", "\x1b[", "\b", "\r", "\xff", "é", "\x00",
	" ", "\t", "[0] ",
	"2026-08-17T13:15:44.083000Z 00O ", "\xef\xbb\xbf", "✖", "{", "<",
}

// shuffled returns a log of random sequences of lines.
func shuffled(random *rand.Rand, lines [][]byte) []byte {
	var log []byte
	before := ""
	for range 1 + random.Intn(40) {
		at, n := random.Intn(len(lines)), 1+random.Intn(6)
		if random.Intn(4) == 0 {
			before = around[random.Intn(len(around))]
		} else if random.Intn(4) == 0 {
			before = ""
		}
		for _, line := range lines[at:min(at+n, len(lines))] {
			log = append(append(log, before...), line...)
			switch from := max(len(log)-1-random.Intn(60), 0); random.Intn(30) {
			case 0: // insert something into the line
				log = append(log[:from:from], append([]byte(around[random.Intn(len(around))]), log[from:]...)...)
			case 1: // remove the end of the line
				log = log[:from]
			case 2:
				log = append(bytes.TrimSuffix(log, []byte("\n")), "\r\n"...)
			case 3:
				log = append(log, '\n')
			}
		}
	}
	return log
}

func FuzzAPlainParserFindsTheSame(f *testing.F) {
	for _, log := range inputs(f) {
		f.Add(log[:min(len(log), 2000)], uint(len(log)))
	}
	f.Fuzz(func(t *testing.T, log []byte, piece uint) {
		if len(log) < parse.MaxLine { // longer lines are cut at the end of a block
			checkPlain(t, log, nil, int(piece%5000)+1)
		}
	})
}
