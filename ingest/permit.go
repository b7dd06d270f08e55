package ingest

import (
	"net/http"
	"slices"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// permit says whether the caller may use a route now.
func (s *Service) permit(r *http.Request, route Route) error {
	p := caller(r.Context())
	httpserver.SetCaller(r.Context(), p.ID)
	if err := auth.Allow(p, route.action(r)); err != nil {
		return err
	}
	if route.unlimited {
		return nil
	}
	return s.limited(limitRequests, s.rates.request(p))
}

// LimitRequests holds the callers of a handler, which are in the requests'
// context, to their rate, of which requests to the API count as well.
func (s *Service) LimitRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.limited(limitRequests, s.rates.request(caller(r.Context()))); err != nil {
			httpserver.Refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// action returns what a request does. A tool that nobody knows is asked as any:
// who may ask hears that there is none.
func (route Route) action(r *http.Request) auth.Action {
	if tool := asked(r); tool != "" && slices.Contains(auth.Actions(), auth.Tool(tool)) {
		return auth.Tool(tool)
	}
	return auth.Action(route.Method + " " + route.Path)
}

// admit lets a body be received, unless as much is as memory is there for.
func (s *Service) admit(r *http.Request) (done func(), err error) {
	weight := min(uploadWeight(r), int64(s.Limits.Uploads))
	if !s.uploads.TryAcquire(weight) {
		err := store.Hint(store.Errorf(store.Unavailable, "this server receives as much as it can at a time"), "try again")
		return nil, s.limited(limitUploads, httpserver.Busy(store.Later(err, time.Second)))
	}
	s.Observer.Uploads(int(s.receiving.Add(1)), s.held.Add(weight)<<20)
	return func() {
		s.uploads.Release(weight)
		s.Observer.Uploads(int(s.receiving.Add(-1)), s.held.Add(-weight)<<20)
	}, nil
}

// uploadWeight is how many MiB receiving a body may take, roughly.
func uploadWeight(r *http.Request) int64 {
	size := bodySize(r, api.MaxBatchBody)
	if r.Header.Get("Content-Encoding") != "" {
		size *= api.MaxBatchText / api.MaxBatchBody
	}
	return 1 + size>>20
}
