//go:build unix

package main

import (
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/blq-ci/blq/ingest/api"
)

// uploads is the number of open uploads when memory is measured. The service has memory for more uploads.
const uploads = 60

// memory measures the memory of open uploads, in the service and in the client.
func (b *bench) memory() (err error) {
	s, err := b.newSender("file://" + filepath.Join(b.dir, "sent"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	list, _, err := parcels(noise)
	if err != nil {
		return err
	}
	attempts := make([]string, uploads)
	// One upload to each run is completed first, so that memory that all uploads share is already allocated.
	for i := range attempts {
		if attempts[i], err = s.begin(); err != nil {
			return err
		}
		if err := s.put(attempts[i], "chunks", 0, list[i%len(list)]); err != nil {
			return err
		}
	}
	fmt.Printf("### Memory\n\n")
	before, err := s.resident()
	if err != nil {
		return err
	}
	for _, attempt := range attempts {
		conn, err := s.half(attempt, list[0].body)
		if err != nil {
			return err
		}
		defer conn.Close()
	}
	if err := s.until(fmt.Sprintf("blq_uploads_in_flight %d\n", uploads)); err != nil {
		return err
	}
	during, err := s.resident()
	if err != nil {
		return err
	}
	fmt.Printf("blqd: %d MB resident, %d MB with %d uploads of 1 MB open, of which half has come: %.2f MB each.\n\n",
		before>>20, during>>20, uploads, float64(during-before)/(1<<20)/uploads)
	return b.clients(s)
}

// half sends half of a chunk and keeps the connection open.
func (s *sender) half(attempt string, body []byte) (net.Conn, error) {
	host := strings.TrimPrefix(s.url, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(conn, "PUT /v1/runs/%s/chunks/1?%s=1&%s=0&%s=1&%s=1 HTTP/1.1\r\nHost: %s\r\nAuthorization: "+
		"Bearer %s\r\nContent-Type: application/zstd\r\nContent-Length: %d\r\n\r\n",
		attempt, api.ParamFirstLine, api.ParamLines, api.ParamOffset, api.ParamBytes, host, s.token, len(body))
	if err == nil {
		_, err = conn.Write(body[:len(body)/2])
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// until waits until the metrics contain a text.
func (s *sender) until(text string) error {
	for range 500 {
		metrics, err := s.call(s.b.ctx, "", "GET", "/metrics", nil)
		if err != nil {
			return err
		}
		if strings.Contains(string(metrics), text) {
			time.Sleep(100 * time.Millisecond) // until all sent data has arrived
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("the metrics never say %s", text)
}

// clients measures the command line with and without a service.
func (b *bench) clients(s *sender) error {
	dir := filepath.Join(b.dir, "client")
	if err := os.MkdirAll(filepath.Join(dir, ".lq"), 0o755); err != nil {
		return err
	}
	file := filepath.Join(dir, "log")
	var text []byte
	for i := range uint64(50) {
		text = append(text, logPiece(i)...)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	env := []string{"BLQ_DIR=" + filepath.Join(dir, ".lq"), "BLQ_TOKEN=" + s.token}
	alone, err := peak(dir, env, b.blq, "run", "-q", "--name", "big", "--", "cat", file)
	if err != nil {
		return err
	}
	sent, err := peak(dir, env, b.blq, "run", "-q", "--name", "big", "--remote", s.url, "--repo", "o/n", "--", "cat", file)
	if err != nil {
		return err
	}
	fmt.Printf("`blq run` of a command that prints 50 MB: %d MB resident at most, with `--remote` %d MB.\n\n",
		alone>>20, sent>>20)
	return nil
}

// starterFlag makes this program start a command and print its peak memory. A process starts with the peak memory of
// its parent. So the command needs a new parent, whose peak memory is low.
const starterFlag = "-start"

func peak(dir string, env []string, args ...string) (int64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(self, append([]string{starterFlag}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, err
	}
	var n int64
	_, err = fmt.Sscan(string(out), &n)
	return n, err
}

func startOne(args []string) {
	cmd := exec.Command(args[0], args[1:]...)
	if err := cmd.Run(); err != nil {
		log.Fatal(err)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		fmt.Println(usage.Maxrss << 10)
	}
}
