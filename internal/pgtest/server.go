//go:build unix

// Package pgtest starts throwaway PostgreSQL servers for tests.
package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Server is a PostgreSQL server with its own directory. The directory has the server's socket. The server stops when
// this process ends, even if the process is killed.
type Server struct {
	dir      string
	bin      string
	owner    *syscall.Credential // the user of the server, because PostgreSQL refuses to run as root
	settings []string
	watch    *os.File // when this file is closed or this process ends, the server stops and its directory is removed
}

// Options are options of a server.
type Options struct {
	Durable  bool     // keep committed data through a crash; slower
	Settings []string // lines of postgresql.conf, such as "work_mem=8MB"
}

// Start starts a server with an empty database cluster. If programs of PostgreSQL are missing on the machine, the error
// names them.
func Start(o Options) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	owner, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "blq-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin, owner: owner, settings: settings(o, dir)}
	if err := s.create(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.Up(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func settings(o Options, dir string) []string {
	list := []string{"listen_addresses=", "unix_socket_directories=" + dir, "max_connections=200",
		"log_min_messages=warning", "timezone=UTC"}
	if !o.Durable { // faster, but loses data in a crash
		list = append(list, "fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0",
			"max_logical_replication_workers=0", "autovacuum=off", "jit=off")
	}
	return append(list, o.Settings...)
}

// programs returns the directory of the newest PostgreSQL's programs.
func programs() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // Debian keeps them out of PATH
	slices.SortFunc(found, func(a, b string) int { return version(b) - version(a) })
	for _, place := range []string{"/usr/pgsql-*/bin/initdb", "/opt/homebrew/opt/postgresql@*/bin/initdb",
		"/usr/local/opt/postgresql@*/bin/initdb"} {
		more, _ := filepath.Glob(place)
		found = append(found, more...)
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	for _, path := range found {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "postgres")); err == nil {
			return filepath.Dir(path), nil
		}
	}
	return "", errors.New("these tests need PostgreSQL 15 or later: install its server (Debian: apt-get install " +
		"postgresql), or name one in BLQ_TEST_POSTGRES")
}

func version(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

// unprivileged returns the user for the server, or nil for the current user.
func unprivileged() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			continue
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			continue
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

func (s *Server) create() error {
	if s.owner != nil {
		if err := os.Chown(s.dir, int(s.owner.Uid), int(s.owner.Gid)); err != nil {
			return err
		}
	}
	args := []string{"-D", s.data(), "-U", "blq", "-A", "trust", "--encoding=UTF8", "--locale=C", "--no-sync"}
	if err := s.run("initdb", args...); err != nil {
		return err
	}
	return s.guard()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// run runs a PostgreSQL program.
func (s *Server) run(name string, args ...string) error {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	// The server gets its own session, because an interrupt from the terminal is meant for the tests only.
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner, Setsid: true}
	log, err := os.Create(filepath.Join(s.dir, name+".out")) // not a pipe, because the server would keep the pipe open
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s%s", name, err, s.tail(log.Name()), s.tail(filepath.Join(s.dir, "log")))
	}
	return nil
}

func (s *Server) tail(path string) string {
	text, _ := os.ReadFile(path)
	return string(text[max(0, len(text)-2000):])
}

// guard starts a shell that waits for the end of this process. After that, the shell stops the server and removes its
// directory.
func (s *Server) guard() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	// The shell runs as the user of the tests, because the server's user cannot remove the server's directory: the
	// directory above belongs to the user of the tests. SIGQUIT is an immediate shutdown.
	script := `read -r _
		if read -r pid <data/postmaster.pid; then
			kill -s QUIT "$pid"
			while [ -f data/postmaster.pid ] && kill -0 "$pid"; do sleep 0.05; done
		fi
		cd / && rm -rf "$0"`
	cmd := exec.Command("sh", "-c", script, s.dir)
	cmd.Dir = s.dir
	cmd.Stdin = r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, w.Close())
	}
	go func() { _ = cmd.Wait() }() // the shell outlives this process
	s.watch = w
	return nil
}

// Up starts a stopped server.
func (s *Server) Up() error {
	var o bytes.Buffer
	for _, setting := range s.settings {
		fmt.Fprintf(&o, "-c '%s' ", setting)
	}
	return s.run("pg_ctl", "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-o", strings.TrimSpace(o.String()),
		"-w", "-t", "60", "start")
}

// Mode is a shutdown mode.
type Mode string

// These are the modes in which PostgreSQL shuts down.
const (
	Fast      Mode = "fast"      // closes all connections first
	Immediate Mode = "immediate" // like a crash
)

// Down stops the server. Up starts it again with the committed data.
func (s *Server) Down(m Mode) error {
	return s.run("pg_ctl", "-D", s.data(), "-m", string(m), "-w", "-t", "60", "stop")
}

// Restart stops and starts the server.
func (s *Server) Restart(m Mode) error {
	if err := s.Down(m); err != nil {
		return err
	}
	return s.Up()
}

// Kill kills the first process of the server, and starts the server again as soon as the other processes have ended.
func (s *Server) Kill() error {
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return err
	}
	for try := 0; ; try++ { // other processes still use the memory of the killed one for a moment
		if err = s.Up(); err == nil || try == 50 {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// Close stops the server for good. Its directory is removed soon afterwards.
func (s *Server) Close() error {
	if s.watch == nil {
		return nil
	}
	_, err := io.WriteString(s.watch, "\n")
	return errors.Join(err, s.watch.Close())
}

// Directory returns the directory of the server's files and socket.
func (s *Server) Directory() string { return s.dir }

// URL returns the URL of a database on the server.
func (s *Server) URL(database string) string {
	return (&url.URL{Scheme: "postgres", User: url.User("blq"), Path: "/" + database,
		RawQuery: url.Values{"host": {s.dir}}.Encode()}).String()
}
