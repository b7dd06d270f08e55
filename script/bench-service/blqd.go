//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
)

// child is a child process that serves HTTP on this machine.
type child struct {
	cmd *exec.Cmd
	url string
}

// startChild starts a server that writes its address to stderr as a line of JSON.
func startChild(env []string, name string, args ...string) (*child, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, env...)
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	var said []string
	for lines.Scan() {
		var line struct{ Msg, Addr string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return &child{cmd, "http://" + line.Addr}, nil
		}
		said = append(said, lines.Text())
	}
	return nil, fmt.Errorf("%s does not serve: %w\n%s", name, cmd.Wait(), strings.Join(said, "\n"))
}

// startService starts a blqd that requires tokens.
func (b *bench) startService(database, blobs string, env ...string) (*child, error) {
	env = append(env, "BLQ_DATABASE_URL="+database, "BLQ_BLOBS="+blobs, "BLQ_DATA="+b.dir, "BLQ_AUTH=required",
		"BLQ_GITHUB_API=")
	return startChild(env, b.blqd, "serve", "--addr", "127.0.0.1:0")
}

func (c *child) stop() error {
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	_, err := c.cmd.Process.Wait()
	return err
}

// resident returns the current memory of the process in bytes.
func (c *child) resident() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10, err
		}
	}
	return 0, errors.New("the system does not tell the memory of a process")
}

// processor returns the processor time of the process.
func (c *child) processor() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the text before ") " is the process name, which may contain anything
	fields := strings.Fields(rest)
	var ticks int64
	for _, i := range []int{11, 12} { // utime and stime
		if len(fields) > i {
			n, _ := strconv.ParseInt(fields[i], 10, 64)
			ticks += n
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// web is a client for 64 concurrent callers.
var web = &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// call sends a request. It returns an error for any status that is not a success.
func (c *child) call(ctx context.Context, token, method, path string, body []byte, header ...string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := web.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, res.Status, text)
	}
	return text, err
}

// prepared opens a database and creates the tables of blq.
func prepared(ctx context.Context, url string) (*postgres.Store, error) {
	s, err := postgres.Open(ctx, url, postgres.Options{})
	if err != nil {
		return nil, err
	}
	if err := s.Migrate(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// newToken creates a token with which a caller may send runs, read, and ask in SQL. The token is valid for the given
// repositories, or for all repositories if none is given.
func newToken(ctx context.Context, d store.Directory, repos ...string) (string, error) {
	t := store.Token{Name: "bench", Scopes: []store.TokenScope{store.ScopeIngest, store.ScopeRead, store.ScopeQuery},
		Repos: repos, CreatedAt: time.Now()}
	if repos == nil {
		t.Owners = []string{store.EveryOwner}
	}
	secret, t, err := auth.NewToken(t)
	if err != nil {
		return "", err
	}
	return secret, d.CreateToken(ctx, t)
}
