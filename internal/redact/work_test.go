package redact

import (
	"runtime/metrics"
	"strings"
	"testing"
)

// repeated holds the texts that the tests repeat on a line. Each text may begin a secret, so the search also reads what
// is around the text.
var repeated = []string{"AUTH ", "token-word ", "password head", "password ", "password=", "password: ", ".key ", "-PAT=",
	"api key ", "PASS ", "LOGIN a ", `"k" `, `"p": `, " -p x ", " -u a -p x ", "curl -u a:b ", "htpasswd -b x y ",
	"\b: ", "\rx", "\x1b[2Dx", "%41", "h u n ", "0x41 ", `"a" + `, "://a:b@", "a:b@tcp(", "eyJhbGciOiJIUzI1NiJ9.",
	"BEGIN RSA PRIVATE KEY-----", "::add-mask::", "##vso[task.setsecret]", "login as ", "d-i a/b password ",
	`"password", `, "| password ", "password\t", "ENV password ", "<password>", "insert into t (password) values ('a'), ",
	`{"value": "x", `, "s3cr3t-V", "okta ", "identified by 'x' ", "-- [", "echo x ", "<<< ", "data:", "+ cat token\n",
	"cat token ", "? password\n", "user = \"a:b\" "}

// work searches a text in pieces of the given size. It returns the number of searched bytes and the number of allocated
// bytes.
func work(text string, piece int) (searched, allocated float64) {
	s := New(Options{Shapes: true, Values: []string{"s3cr3t-Value/42"}}).Stream(func([]byte) {})
	before := allocations()
	for rest := text; rest != ""; rest = rest[min(piece, len(rest)):] {
		held := len(s.text)
		_, _ = s.Write([]byte(rest[:min(piece, len(rest))])) // never fails
		if s.unread == 0 {
			searched += float64(held + piece)
		}
	}
	s.Close()
	return searched, allocations() - before
}

func allocations() float64 {
	list := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(list)
	return float64(list[0].Value.Uint64())
}

// The memory for a search grows about as fast as the line, whatever text is repeated on the line.
func TestWorkGrowsWithTheText(t *testing.T) {
	for _, w := range repeated {
		growsWithTheText(t, w, 16<<10, 2.6)
	}
}

// A pair of texts may cost more than each text alone. Each text is paired with the next text of the list, and with a
// text that moves the cursor. The lines are short, so the cost grows a little faster than the length of the line. Mask
// commands are left out, because their cost grows faster until the max number of masked values is reached.
func TestWorkOfPairsGrowsWithTheText(t *testing.T) {
	for i, w := range repeated {
		for _, other := range []string{repeated[(i+1)%len(repeated)], "\b: "} {
			if pair := w + other; !strings.Contains(pair, "::add-mask::") {
				growsWithTheText(t, pair, 8<<10, 3.2)
			}
		}
	}
}

// growsWithTheText compares the searches of two lines in which a text is repeated. One line is twice as long as the
// other. Its search may allocate at most growth times as much memory. size is the length of the shorter line in bytes.
// If the memory grew with the square of the length, the longer line would need four times as much.
func growsWithTheText(t *testing.T, w string, size int, growth float64) {
	t.Helper()
	const room = 2 << 20 // memory that is allocated once
	text := strings.Repeat(w, 2*size/len(w)+1)
	work(text[:1<<10], size) // fills pools
	_, once := work(text[:size], size)
	_, twice := work(text[:2*size], size)
	if twice > growth*once+room {
		t.Errorf("%q: %.0f bytes are allocated for %d bytes of text, and %.0f for twice as many", w, once, size, twice)
	}
}

// The search of a line that comes in pieces costs at most twelve times as much as one search of the whole line.
func TestPiecesAreNotSearchedAgainAndAgain(t *testing.T) {
	const size, most = 64 << 10, 12
	for _, w := range []string{"::add-mask::x", "a dull line ", `"password": [`, "\b: "} {
		text := strings.Repeat(w, size/len(w)+1)[:size]
		for _, piece := range []int{64, 1 << 10} {
			if searched, _ := work(text, piece); searched > most*size {
				t.Errorf("%q: in pieces of %d, %.0f bytes are searched for %d bytes of text", w, piece, searched, size)
			}
		}
	}
}

// The cost of a character does not depend on the visible text next to it. With a search through the line for each
// character, this test would take more than a minute.
func TestALongLineThatMovesTheCursor(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("\b: ", 1<<20)
	if got := New(Options{Shapes: true}).String(text); got != text {
		t.Error("the line changed")
	}
}
