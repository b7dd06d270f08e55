//go:build unix

package capture_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/blq-ci/blq/internal/capture"
)

// children are the programs that the test binary runs as a child. The variable BLQ_CHILD names one of these functions.
var children = map[string]func(args []string) int{
	"bytes": func([]string) int { os.Stdout.Write(awkward); return 0 },
	"exit":  func(a []string) int { n, _ := strconv.Atoi(a[0]); return n },
	"die": func(a []string) int {
		n, _ := strconv.Atoi(a[0])
		syscall.Kill(os.Getpid(), syscall.Signal(n))
		return forever()
	},
	"alternate": alternate,
	"cat":       func([]string) int { io.Copy(os.Stdout, os.Stdin); return 0 },
	"args":      func(a []string) int { fmt.Printf("%q %s %s", a, os.Getenv("PWD"), os.Getenv("EXTRA")); return 0 },
	"until":     until,
	"stubborn":  stubborn,
	"family":    family,
	"daemon":    daemon,
	"flood":     flood,
	"wrap":      wrap,
	"unread":    unreadChild,
	"stuck":     func([]string) int { fmt.Println("ready"); return 0 },
	"spin":      func([]string) int { fmt.Println("ready"); return forever() },
	"stdout-gone": func([]string) int {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		for {
			if _, err := os.Stdout.WriteString("more\n"); err != nil {
				if errors.Is(err, syscall.EPIPE) {
					return 7
				}
				return 8
			}
		}
	},
	"alone": func([]string) int {
		read, _ := io.Copy(io.Discard, os.Stdin)
		_, err := os.Open("/dev/tty")
		session, _ := unix.Getsid(0)
		fmt.Println("read", read, "terminal", err == nil, "session", session == os.Getpid())
		return 0
	},
	"ask": func([]string) int {
		var line string
		fmt.Print("name? ")
		fmt.Scanln(&line)
		fmt.Println("hello", line)
		return 0
	},
}

var awkward = append([]byte("a\x00b\xff\xfe\r\n\x1b[31mred\xc3"), bytes.Repeat([]byte{0, 10, 200}, 100_000)...)

func TestMain(m *testing.M) {
	capture.Reexec()
	if name := os.Getenv("BLQ_CHILD"); name != "" {
		os.Exit(children[name](os.Args[1:]))
	}
	hearSignals()
	os.Exit(m.Run())
}

// hearSignals makes children start without ignored signals, even if this process ignores signals (nohup, a background
// job).
func hearSignals() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

func alternate([]string) int {
	for i := range 2000 {
		fmt.Fprintf(os.Stdout, "out %d\n", i)
		fmt.Fprintf(os.Stderr, "err %d\n", i)
	}
	return 0
}

// until waits for a signal, and exits with its number.
func until([]string) int {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	fmt.Println("ready")
	s := <-c
	fmt.Println("got", s)
	return int(s.(syscall.Signal))
}

func stubborn([]string) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
	fmt.Println("ready")
	return forever()
}

func self(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = environ(name)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

// family starts a grandchild that ignores signals, and prints its process ID.
func family([]string) int {
	cmd := self("stubborn")
	if err := cmd.Start(); err != nil {
		return 1
	}
	fmt.Println("pid", cmd.Process.Pid)
	return forever()
}

// daemon leaves a grandchild running that keeps the pipe open.
func daemon([]string) int {
	cmd := self("spin")
	if err := cmd.Start(); err != nil {
		return 1
	}
	fmt.Println("pid", cmd.Process.Pid)
	return 3
}

// flood writes the given number of bytes in blocks that all differ.
func flood(a []string) int {
	n, _ := strconv.Atoi(a[0])
	r := rand.NewChaCha8([32]byte{1})
	buf := make([]byte, 64<<10)
	for n > 0 {
		r.Read(buf)
		w, err := os.Stdout.Write(buf[:min(n, len(buf))])
		if err != nil {
			return 9
		}
		n -= w
	}
	return 0
}

// environ returns this process's environment with BLQ_CHILD set to name.
func environ(name string) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "BLQ_CHILD=") })
	return append(env, "BLQ_CHILD="+name, "GORACE=atexit_sleep_ms=0")
}

// wrap runs a command as blq does. If WRAP_CHILD is set, the command is the child with this name. WRAP_LOG names the
// file for the copy of the command's output.
func wrap(args []string) int {
	name := os.Getenv("WRAP_CHILD")
	cmd := capture.Command{Args: args, SpillDir: os.TempDir(), Env: environ(name), PTY: os.Getenv("WRAP_PTY") != "",
		Split: os.Getenv("WRAP_SPLIT") != ""}
	if name != "" {
		cmd.Args = append([]string{os.Args[0]}, args...)
	}
	if os.Getenv("WRAP_WAITING") != "" {
		cmd.Patience, cmd.Waiting = time.Millisecond, func(int64, int64) { fmt.Println("waiting") }
	}
	log := io.Discard
	if path := os.Getenv("WRAP_LOG"); path != "" {
		f, err := os.Create(path)
		if err != nil {
			return 99
		}
		log = f
	}
	if name == "stuck" { // signals may still arrive after Run has returned
		signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM)
	}
	delay, _ := time.ParseDuration(os.Getenv("WRAP_DELAY"))
	res, err := capture.Run(context.Background(), cmd, func(_ capture.Stream, p []byte) error {
		if name == "stuck" {
			forever()
		}
		if delay > 0 {
			time.Sleep(delay)
		}
		_, err := log.Write(p)
		return err
	})
	var start *capture.StartError
	if errors.As(err, &start) {
		fmt.Fprintln(os.Stderr, err)
		return start.Code
	}
	if path := os.Getenv("WRAP_RESULT"); path != "" {
		os.WriteFile(path, fmt.Appendf(nil, "%s|%s|%d|%s", res.Reason, res.Signal, res.LostBytes, res.Lost), 0o600)
	}
	if path := os.Getenv("WRAP_STATUS"); path != "" {
		status, _ := os.ReadFile("/proc/self/status")
		os.WriteFile(path, status, 0o600)
	}
	capture.Exit(res)
	return 98
}

// recorder is a sink that keeps all output and lets tests wait for a text.
type recorder struct {
	mu   sync.Mutex
	cond *sync.Cond
	data map[capture.Stream]*bytes.Buffer
}

func newRecorder() *recorder {
	r := &recorder{data: map[capture.Stream]*bytes.Buffer{}}
	r.cond = sync.NewCond(&r.mu)
	return r
}

func (r *recorder) sink(s capture.Stream, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.data[s] == nil {
		r.data[s] = &bytes.Buffer{}
	}
	r.data[s].Write(p)
	r.cond.Broadcast()
	return nil
}

func (r *recorder) text(s capture.Stream) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.data[s] == nil {
		return ""
	}
	return r.data[s].String()
}

// await returns the combined output once it contains the text.
func (r *recorder) await(text string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if b := r.data[capture.Combined]; b != nil && strings.Contains(b.String(), text) {
			return b.String()
		}
		r.cond.Wait()
	}
}

// child returns a command that runs one of the children, with files for its output.
func child(t *testing.T, name string, args ...string) capture.Command {
	t.Helper()
	return capture.Command{
		Args:   append([]string{os.Args[0]}, args...),
		Env:    environ(name),
		Stdin:  open(t, os.DevNull),
		Stdout: temp(t), Stderr: temp(t),
		Grace: 50 * time.Millisecond,
	}
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func temp(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func contents(t *testing.T, f *os.File) string {
	t.Helper()
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func run(t *testing.T, cmd capture.Command) (capture.Result, *recorder) {
	t.Helper()
	rec := newRecorder()
	res, err := capture.Run(t.Context(), cmd, rec.sink)
	if err != nil {
		t.Fatal(err)
	}
	return res, rec
}

// forever blocks forever, without the Go runtime reporting a deadlock.
func forever() int {
	for {
		time.Sleep(time.Hour)
	}
}
