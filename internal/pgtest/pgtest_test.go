//go:build linux

package pgtest_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"github.com/blq-ci/blq/internal/pgtest"
)

// TestMain also runs the process that is killed while its server runs.
func TestMain(m *testing.M) {
	if os.Getenv("PGTEST_VICTIM") == "" {
		os.Exit(m.Run())
	}
	s, err := pgtest.Start(pgtest.Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.Directory())
	_, _ = os.Stdin.Read(make([]byte, 1)) // blocks until the process is killed
}

func TestTheServerEndsWithItsProcess(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PGTEST_VICTIM=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	dir := strings.TrimSpace(line)
	if err != nil || !filepath.IsAbs(dir) {
		t.Fatal(line, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.Fields(string(text))[0])
	if err != nil {
		t.Fatal(err)
	}
	server, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(server)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	ended := []unix.PollFd{{Fd: int32(server), Events: unix.POLLIN}}
	if n, err := unix.Poll(ended, 60_000); n != 1 {
		t.Errorf("the server runs on: %v", err)
	}
}

func TestWhatIsCommittedSurvivesARestart(t *testing.T) {
	s, err := pgtest.Start(pgtest.Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	connect := func() *pgx.Conn {
		t.Helper()
		c, err := pgx.Connect(t.Context(), s.URL("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close(context.Background()) })
		return c
	}
	if _, err := connect().Exec(t.Context(), `CREATE TABLE kept AS SELECT 7 AS n`); err != nil {
		t.Fatal(err)
	}
	if err := s.Restart(pgtest.Immediate); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := connect().QueryRow(t.Context(), `SELECT n FROM kept`).Scan(&n); err != nil || n != 7 {
		t.Errorf("got %d, %v", n, err)
	}
}

func TestDatabasesAreApart(t *testing.T) {
	prepare := func(ctx context.Context, url string) error {
		c, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer c.Close(ctx)
		_, err = c.Exec(ctx, `CREATE TABLE prepared (n integer)`)
		return err
	}
	for range 2 {
		c, err := pgx.Connect(t.Context(), pgtest.Copy(t, prepare))
		if err != nil {
			t.Fatal(err)
		}
		var n int
		err = c.QueryRow(t.Context(), `WITH new AS (INSERT INTO prepared VALUES (1)) SELECT count(*) FROM prepared`).Scan(&n)
		if err != nil || n != 0 {
			t.Errorf("%d rows of others, %v", n, err)
		}
	}
}
