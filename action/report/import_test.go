package report

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// sink takes chunks of logs and stores nothing.
type sink struct{}

func (sink) AddChunk(context.Context, string, store.Chunk) error { return nil }

func (sink) Put(context.Context, string, []byte) error { return nil }

func TestALogIsCutOnlyIfItIsTooLong(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	z, err := zstd.NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a line\n", 10)
	_, _ = io.WriteString(z, text)
	z.Close()
	for room, want := range map[int]store.Code{len(text): "", len(text) - 1: store.TooLarge} {
		to, err := chunk.NewWriter(sink{}, sink{}, "a")
		if err != nil {
			t.Fatal(err)
		}
		i := importer{logs: maxLogs - int64(room)}
		err = i.log(t.Context(), fstest.MapFS{"log": {Data: file.Bytes()}}, "log", to)
		if store.CodeOf(err) != want {
			t.Errorf("room for %d of %d bytes: %v", room, len(text), err)
		}
	}
}
