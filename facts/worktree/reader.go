package worktree

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/store"
)

// reader reads files of a set. It starts a git process when it needs one, and ends the process soon after the last
// read.
type reader struct {
	top string

	mu   sync.Mutex
	git  *batch
	idle *time.Timer
}

// batch is a git process that reads objects.
type batch struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// lingering is the time for which the git process waits for another read.
const lingering = 2 * time.Second

// file reads a file from the disk. It does not follow links that lead out of the work tree.
func (r *reader) file(path string) ([]byte, error) {
	root, err := os.OpenRoot(r.top)
	if err != nil {
		return nil, store.Errorf(store.Unavailable, "read %s: %w", r.top, err)
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, store.Errorf(store.NotFound, "%s is not there any more", path)
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, facts.MaxFile+1))
	if err != nil {
		return nil, unreadable(path, err)
	}
	return content, nil
}

// blob reads a git object.
func (r *reader) blob(ctx context.Context, id string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.git == nil {
		b, err := startBatch(r.top)
		if err != nil {
			return nil, gitFailed(ctx, "cat-file", "", err)
		}
		r.git = b
		r.idle = time.AfterFunc(lingering, r.stop)
	}
	r.idle.Reset(lingering)
	content, err := r.git.read(id)
	if err != nil {
		r.end()
	}
	return content, err
}

func startBatch(top string) (*batch, error) {
	// The process ends when its standard input is closed.
	cmd := ci.GitCommand(context.Background(), top, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &batch{cmd, in, bufio.NewReaderSize(out, 64<<10)}, nil
}

func (b *batch) read(id string) ([]byte, error) {
	if _, err := io.WriteString(b.in, id+"\n"); err != nil {
		return nil, store.Errorf(store.Unavailable, "git cat-file: %w", err)
	}
	var content bytes.Buffer
	_, err := readBlob(b.out, id, &content)
	return content.Bytes(), err
}

// stop ends the git process.
func (r *reader) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end()
}

func (r *reader) end() {
	if r.git == nil {
		return
	}
	r.idle.Stop()
	_ = r.git.in.Close()
	_, _ = io.Copy(io.Discard, r.git.out)
	_ = r.git.cmd.Wait() // the exit status does not matter
	r.git = nil
}
