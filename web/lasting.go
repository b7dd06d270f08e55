package web

import (
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// permanentPath returns the path of the page that keeps its run when newer runs are added. It returns "" if the request
// already has this path, or if the page is not about a run. A reference such as build names the newest run.
// permanentPath replaces it by a reference with a number. So links on the page, and copied links, always lead to the
// same run. For a reference with lines, such as build:5:L40-L60, the result is the path of these lines.
func (q *request) permanentPath() (string, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(q.r.URL.Path, "/"), "/")
	switch name {
	case "run", "errors", "log", "search", "event", "compare", "upload":
	default:
		return "", nil // the page is not about a run, or the answer is not a page
	}
	ref, err := store.ParseRef(q.ref())
	if err != nil || ref.Attempt != "" || ref.Serial > 0 && ref.From == 0 {
		return "", nil // the page itself reports the error
	}
	if ref.Serial == 0 {
		if ref, err = q.newest(ref); err != nil {
			return "", err
		}
	}
	if ref.From > 0 {
		return PathOf(ref, q.r.FormValue("stream")), nil
	}
	to := refPath(name, ref.String())
	if q.r.URL.RawQuery != "" {
		to += "?" + q.r.URL.RawQuery
	}
	return to, nil
}

// newest returns a reference with the number of its run.
func (q *request) newest(ref store.Ref) (store.Ref, error) {
	info, err := questions.Info.Ask(q.context(), q.by, query.InfoParams{Ref: ref.Run().String()})
	if err != nil {
		return ref, err
	}
	run, err := store.ParseRef(info.RunRef)
	run.Event, run.From, run.To = ref.Event, ref.From, ref.To
	return run, err
}
