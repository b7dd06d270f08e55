package project

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestNotesOfPushedRunsAreKeptForEachServer(t *testing.T) {
	t.Parallel()
	w := &Project{Dir: t.TempDir()}
	const one, other = "https://blq.example.com/a", "https://blq.example.com/b"
	if notes, err := w.Pushed(one); err != nil || len(notes) != 0 {
		t.Fatalf("before any: %v, %v", notes, err)
	}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if err := w.NotePushed(one, Pushed{Attempt: fmt.Sprint(i), Ref: "build:1"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	files, err := filepath.Glob(filepath.Join(w.Dir, "pushed", "blq.example.com_a-*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"attempt_id":"half`) // a crash
	f.Close()
	if err := w.NotePushed(one, Pushed{Attempt: "last"}); err != nil {
		t.Fatal(err)
	}
	notes, err := w.Pushed(one)
	if err != nil || len(notes) != 51 || notes["7"].Ref != "build:1" || notes["last"].Attempt == "" {
		t.Errorf("%d notes, %v", len(notes), err)
	}
	if notes, err := w.Pushed(other); err != nil || len(notes) != 0 {
		t.Errorf("of another server: %v, %v", notes, err)
	}
}
