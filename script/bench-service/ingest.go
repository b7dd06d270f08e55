//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/pgtest"
)

// sender sends runs to a service with a new database.
type sender struct {
	*child
	b      *bench
	server *pgtest.Server
	token  string
	n      atomic.Int64 // number of attempts so far
}

// newSender starts a service that stores logs in the given place.
func (b *bench) newSender(blobs string, env ...string) (*sender, error) {
	s := &sender{b: b}
	var err error
	if s.server, err = b.durable(); err != nil {
		return nil, err
	}
	if err := s.start(blobs, env); err != nil {
		return nil, errors.Join(err, s.server.Close())
	}
	return s, nil
}

func (s *sender) start(blobs string, env []string) error {
	database := s.server.URL("postgres")
	engine, err := prepared(s.b.ctx, database)
	if err != nil {
		return err
	}
	defer engine.Close()
	if s.token, err = newToken(s.b.ctx, engine); err != nil {
		return err
	}
	s.child, err = s.b.startService(database, blobs, env...)
	return err
}

func (s *sender) close() error { return errors.Join(s.stop(), s.server.Close()) }

// begin starts a run in one of many repositories.
func (s *sender) begin() (attempt string, err error) {
	n := s.n.Add(1)
	attempt = fmt.Sprintf("018d0c00-0000-7000-8000-%012x", n)
	body, err := json.Marshal(
		api.Start{AttemptID: attempt, Repo: repoName(int(n % 100)), Source: "build", Command: "make", StartedAt: time.Now()})
	if err != nil {
		return "", err
	}
	_, err = s.call(s.b.ctx, s.token, "POST", "/v1/runs", body, "Content-Type", "application/json")
	return attempt, err
}

// parcel is a request body with its headers.
type parcel struct {
	body   []byte
	query  string
	header []string
}

func newParcel(body []byte, header ...string) parcel {
	sum := sha256.Sum256(body)
	return parcel{
		body: body, header: append(header, api.DigestHeader, "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")}
}

// put sends a parcel as a chunk or a batch of events.
func (s *sender) put(attempt, kind string, n int, p parcel) error {
	_, err := s.call(s.b.ctx, s.token, "PUT", fmt.Sprintf("/v1/runs/%s/%s/%d%s", attempt, kind, n, p.query), p.body,
		p.header...)
	return err
}
