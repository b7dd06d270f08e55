//go:build unix && !job

package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"syscall"
	"testing"
)

// The pages are served only on this machine, and open with the printed link.
func TestUI(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	dir := r.path("work/app/app")
	finished(r.with(blq(dir, "run", "--name", "build", "--", "sh", "-c", "echo 'a.c:1:2: error: no b'; exit 1")))
	_, notes, state := finished(r.with(blq(dir, "ui", "--addr", "0.0.0.0:0")))
	if state.ExitCode() != 2 || !strings.Contains(notes, "has to be on this machine") {
		t.Errorf("ui for everybody ended with %d: %s", state.ExitCode(), notes)
	}
	c := r.with(blq(dir, "ui"))
	c.Stdout = nil
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		if err := c.Wait(); err != nil {
			t.Errorf("ui ended: %v", err)
		}
	}()
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar}
	link = strings.TrimSpace(link)
	base, _, _ := strings.Cut(link, "/open")
	for _, page := range []struct{ address, want string }{
		{link, "build:1</a>"}, {base + "/run/build:1", "no b"},
	} {
		answer, err := browser.Get(page.address)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK || !strings.Contains(string(body), page.want) {
			t.Errorf("%s: status %d: %s", page.address, answer.StatusCode, body)
		}
	}
}
