package ingest

import (
	"net/http"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// permit returns the request with its caller in its context, if the caller may use the route now. No other code
// decides about routes.
func (s *Service) permit(w http.ResponseWriter, r *http.Request, route Route) (*http.Request, error) {
	p, err := s.Gate.Authorize(w.Header(), r, s.action(route, r))
	if err != nil {
		return nil, err
	}
	httpserver.SetCaller(r.Context(), p.ID)
	if !route.unlimited {
		err = s.limited(limitRequests, s.rates.request(p))
	}
	return r.WithContext(auth.With(r.Context(), p)), err
}

// LimitRequests limits the rate of callers of a handler. The callers are in the contexts of the requests. Requests
// to the API count, too.
func (s *Service) LimitRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.limited(limitRequests, s.rates.request(caller(r.Context()))); err != nil {
			httpserver.Refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// action returns the action of a request. A question or tool has the scope of its row. An unknown one has the
// action of the route, so a caller who may ask gets NotFound.
func (s *Service) action(route Route, r *http.Request) auth.Action {
	if row, found := s.asked(r); found {
		return auth.Scope(row.Scope)
	}
	return auth.Action(route.Method + " " + route.Path)
}

// admit reserves memory for a body. Unavailable: other bodies take all of it.
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

// uploadWeight returns how many MiB of memory a body may take, roughly.
func uploadWeight(r *http.Request) int64 {
	size := bodySize(r, api.MaxBatchBody)
	if r.Header.Get("Content-Encoding") != "" {
		size *= api.MaxBatchText / api.MaxBatchBody
	}
	return 1 + size>>20
}
