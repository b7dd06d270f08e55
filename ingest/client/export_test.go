package client

import (
	"context"
	"time"

	"github.com/blq-ci/blq/ingest/api"
)

const BatchSize = batchSize

var ParseURL = parseURL

func (c *Client) Start(ctx context.Context, s api.Start) (api.Started, error) { return c.start(ctx, s) }

func (c *Client) Heartbeat(ctx context.Context, attempt string) error {
	return c.heartbeat(ctx, attempt)
}

func (p *Pusher) Follow(ctx context.Context, attempt string, ended <-chan struct{}) (Pushed, error) {
	return p.follow(ctx, attempt, ended)
}

func (p *Pusher) BeatEvery(d time.Duration) { p.beats = d }
