package facts

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

// checkScan reports whether scanManifest accepts the argument. If so, encoding/json must read the same manifest, and
// must write it as the same bytes.
func checkScan(t *testing.T, text []byte) bool {
	t.Helper()
	m, scanned := scanManifest(text)
	if !scanned {
		return false
	}
	var want Manifest
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Fatalf("%q (-want +got):\n%s", text, diff)
	}
	if again, err := m.text(); err != nil || !bytes.Equal(again, text) {
		t.Fatalf("%q is not canonical, but %q is: %v", text, again, err)
	}
	return true
}

func manifestOf(t *testing.T, paths ...string) []byte {
	t.Helper()
	m := Manifest{Version: version, Kind: store.FactDocs, Entries: []Entry{}}
	for i, path := range paths {
		e := Entry{File: File{Path: path, Digest: Digest([]byte(path)), Size: int64(i) * 1234567}}
		if i%2 == 1 {
			e.Mode = Executable
		}
		m.Entries = append(m.Entries, e)
	}
	text, err := m.text()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestScannedManifestsAreCanonical(t *testing.T) {
	t.Parallel()
	for c := range rune(0x2100) {
		if 0x180 < c && c < 0x2000 {
			continue
		}
		scanned := checkScan(t, manifestOf(t, "a"+string(c)))
		if plain := c >= ' ' && c != '"' && c != '\\' && c != 0x2028 && c != 0x2029; scanned != plain {
			t.Errorf("a path with %q is scanned: %t", c, scanned)
		}
	}
	text := manifestOf(t, "README.md", "docs/<a & b>.md", "docs/ä.md", "x")
	if !checkScan(t, text) || !checkScan(t, manifestOf(t)) {
		t.Error("an ordinary manifest is not scanned")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		other := bytes.Clone(text)
		i := r.IntN(len(other))
		switch j := i + r.IntN(len(other)-i); r.IntN(4) {
		case 0:
			other[i] = "\"\\{}[],:019-+.eE \n\x00\x7f\xe2\xff"[r.IntN(22)]
		case 1:
			other = append(other[:i], other[j:]...)
		case 2:
			other = append(other[:j:j], text[i:]...)
		case 3:
			other[i], other[j] = other[j], other[i]
		}
		checkScan(t, other)
	}
}

func FuzzScanManifest(f *testing.F) {
	f.Add([]byte(`{"version":1,"kind":"docs","files":[{"path":"a","digest":"b","size":0,"mode":"100755"}]}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) { checkScan(t, text) })
}
