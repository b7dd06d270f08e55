package web

import (
	"fmt"

	"github.com/blq-ci/blq/store"
)

// PathOf returns the path of the page about a run, an event or lines of a log, below the base of a site. stream names
// the stream of the lines; "" means the stream that the page shows first.
func PathOf(ref store.Ref, stream string) string {
	run := ref.Run().String()
	switch {
	case ref.IsEvent():
		return refPath("event", ref.String())
	case ref.From > 0 && ref.To > ref.From:
		return logPath(run, stream, ref.From) + fmt.Sprintf("-L%d", ref.To)
	case ref.From > 0:
		return logPath(run, stream, ref.From)
	}
	return runPath(run)
}
