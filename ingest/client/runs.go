package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// start starts a run on the service. The result says which parts of the run the service already has.
func (c *Client) start(ctx context.Context, s api.Start) (api.Started, error) {
	var started api.Started
	err := c.Post(ctx, "/v1/runs", s, &started)
	if err == nil && (started.RunRef == "" || started.Chunks < 0 || started.Batches < 0) {
		err = store.Hint(store.Errorf(store.Unavailable, "%s answered without a run", c.base.Host),
			"is %s the URL of a blqd?", c.base)
	}
	return started, err
}

// putChunk sends a chunk of a run's log, as its stored object.
func (c *Client) putChunk(ctx context.Context, attempt string, ch store.Chunk, object []byte) error {
	return c.call(ctx, request{
		method: http.MethodPut, path: fmt.Sprintf("/v1/runs/%s/chunks/%d", url.PathEscape(attempt), ch.Sequence),
		query: url.Values{
			api.ParamStream: {ch.Stream}, api.ParamFirstLine: {strconv.Itoa(ch.FirstLine)},
			api.ParamLines:  {strconv.Itoa(ch.Lines)},
			api.ParamOffset: {strconv.FormatInt(ch.Offset, 10)}, api.ParamBytes: {strconv.FormatInt(ch.Bytes, 10)},
		},
		header: map[string]string{"Content-Type": "application/zstd", api.DigestHeader: digest(object)},
		body:   object,
	}, nil)
}

// putEvents sends a batch of a run's events.
func (c *Client) putEvents(ctx context.Context, attempt string, sequence int, events []api.Event) error {
	return putLines(ctx, c, fmt.Sprintf("/v1/runs/%s/events/%d", url.PathEscape(attempt), sequence), events)
}

// putLive replaces the live events of a run whose number is at least from.
func (c *Client) putLive(ctx context.Context, attempt string, from int, events []api.Event) error {
	return putLines(ctx, c, fmt.Sprintf("/v1/runs/%s/live/%d", url.PathEscape(attempt), from), events)
}

// putLines sends values as compressed JSON lines.
func putLines[T any](ctx context.Context, c *Client, path string, list []T) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	for _, e := range list {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	body := c.encoder.EncodeAll(text.Bytes(), nil)
	return c.call(ctx, request{
		method: http.MethodPut, path: path,
		header: map[string]string{"Content-Type": "application/x-ndjson", "Content-Encoding": "zstd",
			api.DigestHeader: digest(body)},
		body: body,
	}, nil)
}

// finish completes a run. The error is Conflict if the service does not have all parts of the run.
func (c *Client) finish(ctx context.Context, attempt string, f api.Finish) (api.Finished, error) {
	var finished api.Finished
	err := c.Post(ctx, "/v1/runs/"+url.PathEscape(attempt)+"/finish", f, &finished)
	return finished, err
}

// heartbeat tells the service that a run is still running.
func (c *Client) heartbeat(ctx context.Context, attempt string) error {
	return c.Post(ctx, "/v1/runs/"+url.PathEscape(attempt)+"/heartbeat", struct{}{}, nil)
}

// Post sends a value as JSON to a path below the service's URL. It decodes the answer into target, unless target is
// nil. The request must be idempotent, because Post may repeat it.
func (c *Client) Post(ctx context.Context, path string, in, target any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return c.call(ctx, request{
		method: http.MethodPost, path: path, body: body,
		header: map[string]string{"Content-Type": "application/json", api.DigestHeader: digest(body)},
	}, target)
}

// Get reads a path below the service's URL and decodes the answer into target.
func (c *Client) Get(ctx context.Context, path string, query url.Values, target any) error {
	return c.call(ctx, request{method: http.MethodGet, path: path, query: query}, target)
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}
