//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
	"github.com/blq-ci/blq/store/sqlite"
)

// service is a blqd with its data.
type service struct {
	target
	cmd      *exec.Cmd
	database *pgtest.Server // nil for SQLite
	token    string         // token of the neighbour
	blqd     string
	env      []string
}

// target is what an attacker knows about the service.
type target struct {
	URL    string
	Tokens []string // of tenants t0, t1, …; each may do everything in its own repositories
	For    time.Duration
	sizes
}

// tenants is the number of tenants that attackers may use. Most attacks use only the first tenant.
const tenants = 20

// directory is a store that can create tokens.
type directory interface {
	store.Store
	store.Directory
}

// start starts a service in a directory, with the data that an attack needs.
func start(ctx context.Context, o options, engine, dir string, needs need) (*service, error) {
	s := &service{target: target{sizes: o.sizes}, blqd: o.blqd}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if engine == bareEngine {
		s.blqd = ""
		return s, s.startBare()
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "BLQ_DATA=" + dir, "BLQ_AUTH=required",
		"BLQ_GITHUB_API=", "BLQ_WEBHOOK_SECRET=" + webhookSecret, "BLQ_LOG_LEVEL=error", "BLQ_BLOBS=file://" + dir + "/logs"}
	var d directory
	var err error
	if engine == "postgres" {
		if s.database, err = pgtest.Start(pgtest.Options{Durable: true}); err != nil {
			return nil, err
		}
		url := s.database.URL("postgres")
		env = append(env, "BLQ_DATABASE_URL="+url)
		d, err = openPostgres(ctx, url)
	} else {
		d, err = sqlite.Open(ctx, filepath.Join(dir, "blq.db"))
	}
	if err == nil {
		err = errors.Join(s.prepare(ctx, d, dir, needs), d.Close())
	}
	if err == nil {
		s.env = env
		err = s.serve(exec.Command(o.blqd, "serve", "--addr", "127.0.0.1:0", "--log-level", "info"), env)
	}
	if err == nil && s.database != nil {
		err = s.equalize()
	}
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// startBare starts a service without data, which accepts any token.
func (s *service) startBare() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s.token = "quiet"
	for i := range tenants {
		s.Tokens = append(s.Tokens, fmt.Sprint("t", i))
	}
	return s.serve(exec.Command(self), append(os.Environ(), roleVariable+"="+bareEngine))
}

func openPostgres(ctx context.Context, url string) (*postgres.Store, error) {
	d, err := postgres.Open(ctx, url, postgres.Options{})
	if err != nil {
		return nil, err
	}
	return d, d.Migrate(ctx)
}

// prepare creates tokens and runs.
func (s *service) prepare(ctx context.Context, d directory, dir string, needs need) (err error) {
	if s.token, err = newToken(ctx, d, "quiet"); err != nil {
		return err
	}
	for i := range tenants {
		token, err := newToken(ctx, d, fmt.Sprint("t", i))
		if err != nil {
			return err
		}
		s.Tokens = append(s.Tokens, token)
	}
	f := filler{ctx: ctx, d: d, dir: dir, sizes: s.sizes}
	if err := f.small("quiet/app"); err != nil {
		return err
	}
	return f.fill(needs)
}

func newToken(ctx context.Context, d directory, owner string) (string, error) {
	secret, t, err := auth.NewToken(store.Token{Name: owner, Owners: []string{owner}, CreatedAt: time.Now(),
		Scopes: []store.TokenScope{store.ScopeIngest, store.ScopeRead, store.ScopeQuery, store.ScopeDocsWrite}})
	if err != nil {
		return "", err
	}
	return secret, d.CreateToken(ctx, t)
}

// serve starts a service and waits until it is ready.
func (s *service) serve(cmd *exec.Cmd, env []string) error {
	s.cmd = cmd
	s.cmd.Env = env
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := s.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	var said []string
	for lines.Scan() {
		var line struct{ Msg, Addr string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			s.URL = "http://" + line.Addr
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return nil
		}
		said = append(said, lines.Text())
	}
	return fmt.Errorf("the service does not serve:\n%s", strings.Join(said, "\n"))
}

// command starts a command of blqd on the data of the service. The returned function waits for the end of the command.
// Without arguments, or if the engine is bareEngine, command starts nothing.
func (s *service) command(ctx context.Context, args []string) (ended func() error) {
	if len(args) == 0 || s.blqd == "" {
		return func() error { return nil }
	}
	cmd := exec.CommandContext(ctx, s.blqd, args...)
	cmd.Env = s.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said := make(chan error, 1)
	go func() {
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("blqd %s: %w: %s", strings.Join(args, " "), err, out)
		}
		said <- err
	}()
	return func() error { return <-said }
}

// stop stops the service and its database. It returns an error if the service ended before the call.
func (s *service) stop() error {
	var failed error
	if s.cmd != nil && s.cmd.Process != nil {
		err := errors.Join(s.cmd.Process.Kill(), s.cmd.Wait())
		if end, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || end.Signal() != syscall.SIGKILL {
			failed = fmt.Errorf("blqd had ended: %w", err)
		}
	}
	if s.database != nil {
		failed = errors.Join(failed, s.database.Close())
	}
	return failed
}
