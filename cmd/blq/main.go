package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

func main() {
	f := os.Stdin
	if len(os.Args) > 2 {
		f, _ = os.Open(os.Args[2])
	}
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	p := parse.New(parse.Options{}, func(e store.Event) { enc.Encode(e) })
	io.Copy(p, f)
	p.Finish(nil)
}
