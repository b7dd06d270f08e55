package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// tailExtent is the max size of a log's end in an answer.
var tailExtent = extent{25, 240, 2400}

// telling returns the end of a run's log, or of its stderr if that is stored separately. It is for logs in which no
// error was recognised. It leaves out lines of routine output.
func (a *Asker) telling(ctx context.Context, r store.Run) (string, error) {
	log, out, err := a.stream(ctx, r, "")
	if err != nil {
		return "", err
	}
	if slices.Contains(out.Streams, store.StreamStderr) {
		log = a.log(r, store.StreamStderr) // programs print failures to stderr
	}
	read, err := log.Tail(ctx, tailLooked, partBytes)
	if err != nil {
		return "", err
	}
	return render(lastWords(read)), nil
}

func lastWords(read []chunk.Line) []logLine {
	end := len(read)
	for i, l := range slices.Backward(read) {
		text := logText(l.Text, tailExtent.width)
		if parse.EndsCommand(text) {
			end = i + 1
			break
		}
		if parse.EndsJob(text) {
			end = i
		}
	}
	var list []logLine
	size := 0
	for _, l := range slices.Backward(read[:end]) {
		text := logText(l.Text, tailExtent.width)
		if parse.IsRoutine(text) || len(list) > 0 && list[len(list)-1].text == text {
			continue
		}
		if size += len(text) + 12; len(list) == tailExtent.lines || size > tailExtent.bytes && len(list) > 0 {
			break
		}
		line := logLine{l.Number, text, plain}
		if parse.SpeaksOfFailure(text) && !parse.SaysNoFailure(text) {
			line.weight = telltale
		}
		list = append(list, line)
	}
	slices.Reverse(list)
	return list
}
