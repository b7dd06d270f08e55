package client

import (
	"context"
	"net/http"
	"net/url"
	"sync"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// objectSender sends objects. It puts several small objects into one request.
type objectSender struct {
	FactsPush
	repo    string
	digests []string
	mu      sync.Mutex
	next    int  // index of the next digest
	single  bool // an older service takes only one object per request
	sent    *FactsPushed
}

// These limit a request with several objects: sharedBytes is its approximate size, and sharedObjects is its max number
// of objects. An object with more than sharedBytes has a request of its own.
const (
	sharedBytes   = 1 << 20
	sharedObjects = 1000
)

// object is an object to send.
type object struct {
	digest  string
	content []byte
}

// run sends objects until none is left.
func (x *objectSender) run(ctx context.Context) error {
	var shared []object
	size := 0
	for {
		digest, more := x.take()
		if more {
			content, err := x.Set.Content(ctx, digest)
			if err != nil {
				return err
			}
			if len(content) > sharedBytes {
				if err := x.sendOne(ctx, object{digest, content}); err != nil {
					return err
				}
				continue
			}
			shared = append(shared, object{digest, content})
			size += len(content)
		}
		if len(shared) > 0 && (!more || size >= sharedBytes || len(shared) == sharedObjects) {
			if err := x.sendShared(ctx, shared); err != nil {
				return err
			}
			shared, size = shared[:0], 0
		}
		if !more {
			return ctx.Err()
		}
	}
}

// take returns the digest of the next object, and false if there is none.
func (x *objectSender) take() (string, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.next == len(x.digests) {
		return "", false
	}
	x.next++
	return x.digests[x.next-1], true
}

// sendShared sends objects in one request. If the service does not support shared requests, sendShared sends each
// object in its own request.
func (x *objectSender) sendShared(ctx context.Context, objects []object) error {
	x.mu.Lock()
	single := x.single || len(objects) == 1
	x.mu.Unlock()
	if !single {
		var body []byte
		for _, o := range objects {
			body = append(append(body, api.ObjectLine(o.digest, len(o.content))...), o.content...)
		}
		err := x.put(ctx, "/v1/facts/objects", body, len(objects))
		if store.CodeOf(err) != store.NotFound {
			return err
		}
		x.mu.Lock()
		x.single = true
		x.mu.Unlock()
	}
	for _, o := range objects {
		if err := x.sendOne(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (x *objectSender) sendOne(ctx context.Context, o object) error {
	return x.put(ctx, "/v1/facts/objects/"+url.PathEscape(o.digest), o.content, 1)
}

// smallBody is the size in bytes below which a body is not compressed.
const smallBody = 512

// put sends a body with objects.
func (x *objectSender) put(ctx context.Context, path string, body []byte, objects int) error {
	header := map[string]string{"Content-Type": "application/octet-stream"}
	if len(body) >= smallBody {
		if packed := x.Client.encoder.EncodeAll(body, nil); len(packed) < len(body) {
			body, header["Content-Encoding"] = packed, "zstd"
		}
	}
	err := x.Client.call(ctx, request{method: http.MethodPut, path: path, query: url.Values{api.ParamRepo: {x.repo}},
		header: header, body: body}, nil)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sent.Objects += objects
	x.sent.Bytes += int64(len(body))
	return nil
}
