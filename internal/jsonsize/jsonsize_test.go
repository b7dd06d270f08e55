package jsonsize_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/jsonsize"
)

func TestValuesInStringsAreNotCounted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		``: 1, `1`: 1, `""`: 1, `"a,b:[{"`: 1, `[]`: 2, `[1,2]`: 3, `{"a":1}`: 3, `{"a,":"\",,","b":[{}]}`: 7,
		`"\\",[`: 3, `"\\\",["`: 1, `"no end ,,,`: 1, `"\`: 1, `[[[[`: 5,
	} {
		if got := jsonsize.Values([]byte(text)); got != want {
			t.Errorf("%s has %d values, want %d", text, got, want)
		}
	}
}

// The memory that a decoded text takes is at most the estimate, even for the worst texts.
func TestMemoryIsEnough(t *testing.T) {
	const n = 100_000
	type step struct {
		A, B, C string
		D       int
		E, F    [3]int
	}
	texts := map[string]string{
		"list": "[" + strings.Repeat("0,", n) + "0]", "texts": "[" + strings.Repeat(`"",`, n) + `""]`,
		"objects": "[" + strings.Repeat("{},", n) + "{}]", "fields": "[" + strings.Repeat(`{"a":1},`, n) + "{}]",
		"nested": "[" + strings.Repeat("[[]],", n) + "[]]",
	}
	for name, text := range texts {
		for _, into := range []func() any{func() any { return new(any) }, func() any { return new([]step) }} {
			v := into()
			before := allocated()
			_ = json.Unmarshal([]byte(text), v) // texts that do not fit are decoded, too
			if took, most := live(v)-before, jsonsize.Memory([]byte(text)); took > most {
				t.Errorf("%s as %T takes %d bytes, more than %d", name, v, took, most)
			}
		}
	}
}

func allocated() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func live(v any) int64 {
	n := allocated()
	runtime.KeepAlive(v)
	return n
}
