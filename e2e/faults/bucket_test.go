//go:build linux

package faults

import (
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"
)

// bucket is a proxy for an object store. It makes some requests slow, and some fail.
type bucket struct {
	next http.Handler

	mu     sync.Mutex
	chance *rand.Rand // nil if no request fails
	turn   int        // index of the next trouble
	down   int        // number of requests that still have to be refused
	met    map[string]int
}

func newBucket(t *testing.T, server string) *bucket {
	t.Helper()
	to, err := url.Parse(server)
	check(t, err)
	next := httputil.NewSingleHostReverseProxy(to)
	next.ErrorLog = quiet
	next.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	return &bucket{next: next, met: map[string]int{}}
}

// ail starts the troubles. r chooses the requests that get one.
func (b *bucket) ail(r *rand.Rand) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.chance = r
}

// trouble is a way in which a request fails or is slow. Parts are fractions from 0 to 1.
type trouble struct {
	name string
	do   func(w http.ResponseWriter, r *http.Request, next http.Handler, part float64)
}

// slowest is the longest delay of an answer.
const slowest = 300 * time.Millisecond

var troubles = []trouble{
	{"503", func(w http.ResponseWriter, _ *http.Request, _ http.Handler, _ float64) {
		http.Error(w, "<html>something in between</html>", http.StatusServiceUnavailable)
	}},
	{"503 though done", func(w http.ResponseWriter, r *http.Request, next http.Handler, _ float64) {
		next.ServeHTTP(httptest.NewRecorder(), r)
		http.Error(w, "", http.StatusServiceUnavailable)
	}},
	{"slow", func(w http.ResponseWriter, r *http.Request, next http.Handler, part float64) {
		<-time.After(time.Duration(part * float64(slowest)))
		next.ServeHTTP(w, r)
	}},
	{"trickling", func(w http.ResponseWriter, r *http.Request, next http.Handler, part float64) {
		r.Body = &trickle{r.Body, time.Duration(part*float64(slowest)) / 16}
		next.ServeHTTP(w, r)
	}},
	{"cut within the body", func(_ http.ResponseWriter, r *http.Request, _ http.Handler, part float64) {
		_, _ = io.CopyN(io.Discard, r.Body, int64(part*float64(max(r.ContentLength, 0))))
		panic(http.ErrAbortHandler)
	}},
	{"cut before the answer", func(_ http.ResponseWriter, r *http.Request, next http.Handler, _ float64) {
		next.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}},
	{"cut within the answer", func(w http.ResponseWriter, r *http.Request, next http.Handler, part float64) {
		whole := httptest.NewRecorder()
		next.ServeHTTP(whole, r)
		for name, values := range whole.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(whole.Code)
		_, _ = w.Write(whole.Body.Bytes()[:int(part*float64(whole.Body.Len()))])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}},
}

// ServeHTTP passes on all requests before ail is called, and later about two of three. The others get a trouble.
func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, part := b.choose()
	if t == nil {
		b.next.ServeHTTP(w, r)
		return
	}
	t.do(w, r, b.next, part)
}

func (b *bucket) choose() (*trouble, float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.chance == nil {
		return nil, 0
	}
	if b.down > 0 {
		b.down--
		b.met["down"]++
		return &troubles[0], 0
	}
	if b.chance.IntN(3) > 0 {
		return nil, 0
	}
	t := &troubles[b.turn%len(troubles)] // in turn, so that each one occurs
	b.turn++
	b.met[t.name]++
	return t, b.chance.Float64()
}

// trickle is a body that arrives slowly.
type trickle struct {
	io.ReadCloser
	pause time.Duration
}

// drop is the maximum number of bytes that arrive at a time.
const drop = 32 << 10

func (t *trickle) Read(text []byte) (int, error) {
	<-time.After(t.pause)
	return t.ReadCloser.Read(text[:min(len(text), drop)])
}

// refuse makes the next n requests fail. It must be called after ail.
func (b *bucket) refuse(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = n
}

func TestAFailingBucketLosesNothing(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	s := newScene(t, c.env()...)
	c.bucket.ail(chance(t, 0))
	var once sync.Once
	s.recorder.heard(func(acks, _ int) {
		if acks >= 20 {
			once.Do(func() { c.bucket.refuse(60) }) // more often than the server retries
		}
	})
	s.uploads(12, func(int, *work) *fault { return none() })
	s.judge(c.open)
	t.Logf("the bucket's troubles: %v", c.bucket.met)
	if len(c.bucket.met) != len(troubles)+1 || s.recorder.statuses[503] == 0 {
		t.Errorf("not all troubles came up: %v; %d requests were refused", c.bucket.met, s.recorder.statuses[503])
	}
}
