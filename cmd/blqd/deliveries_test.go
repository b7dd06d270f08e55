package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

const acmeShop = "acme/shop"

// appPlace returns a fake GitHub with an app, and the settings of a service for the app.
func appPlace(t *testing.T) (*githubtest.GitHub, githubtest.App, []string) {
	t.Helper()
	g := githubtest.New(t)
	g.Repo(acmeShop, 1296269)
	app := g.AddApp("blq")
	key := filepath.Join(t.TempDir(), "app.pem")
	check(t, os.WriteFile(key, []byte(app.Key), 0o600))
	return g, app, []string{"BLQ_DATA=" + t.TempDir(), "BLQ_GITHUB_API=" + g.URL, "BLQ_AUTH=required",
		fmt.Sprintf("BLQ_APP_ID=%d", app.ID), "BLQ_APP_KEY_FILE=" + key, "BLQ_WEBHOOK_SECRET=" + app.Secret}
}

// hook sends a delivery to the webhook.
func (p *process) hook(g *githubtest.GitHub, d githubtest.Delivery, secret string) int {
	p.Helper()
	header := []string{"X-GitHub-Enterprise-Host", github.HostOf(g.URL)}
	for name, values := range d.Header(secret) {
		header = append(header, name, values[0])
	}
	status, _ := p.do("POST", "/webhooks/github", bytes.NewReader(d.Body), header...)
	return status
}

// Jobs of the queue use the share of their repository's owner.
func TestJobsTakeTheShareOfAnOwner(t *testing.T) {
	t.Parallel()
	for repo, want := range map[string]string{"Acme/shop": "owner:acme", "": ""} {
		got := "none"
		_, err := inTurns(func(ctx context.Context, _ store.Work) ([]store.Work, error) {
			got = httpserver.Tenant(ctx)
			return nil, nil
		})(t.Context(), store.Work{Repo: repo})
		if err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", repo, got, err, want)
		}
	}
}

func logLine(second int, text string) string {
	return githubtest.At.Add(time.Duration(second)*time.Second).Format("2006-01-02T15:04:05.0000000Z ") + text + "\n"
}

// A service with an App stores the log of a job even if the job's workflow does not use blq, and even if the service is
// killed after the delivery.
func TestAJobIsSeenThroughTheApp(t *testing.T) {
	t.Parallel()
	g, app, env := appPlace(t)
	installed := g.Install(app.ID, "acme", []string{acmeShop}, "actions: read")
	g.SetRun(acmeShop, githubtest.Run{ID: 5, Jobs: []githubtest.Job{{ID: 10, Name: "build", Conclusion: "failure",
		Steps: []githubtest.Step{{Name: "Run make", Conclusion: "failure", From: 1, To: 5}},
		Log: logLine(1, "##[group]Run make") + logLine(1, "\x1b[36;1mmake\x1b[0m") + logLine(1, "##[endgroup]") +
			logLine(2, "a.c:3:1: error: 'x' undeclared") + logLine(5, "##[error]Process completed with exit code 2.")}}})
	p := serve(t, env)
	if status := p.hook(g, g.Installed("1", "created", installed, "acme", acmeShop), app.Secret); status != 204 {
		t.Fatalf("installation: %d", status)
	}
	if status := p.hook(g, g.JobEnded("2", installed, acmeShop, 10), "wrong"); status != 401 {
		t.Errorf("a forged delivery: %d", status)
	}
	until(t, "the repository is enrolled", func() bool {
		out, err := command(t.Context(), env, "repo", "list").Output()
		return err == nil && strings.Contains(string(out), acmeShop)
	})
	for range 2 {
		if status := p.hook(g, g.JobEnded("3", installed, acmeShop, 10), app.Secret); status != 204 {
			t.Errorf("job: %d", status)
		}
	}
	p.kill()
	p = serve(t, env).with(makeToken(t, env, "--scope", "read", "--repo", acmeShop))
	var text string
	until(t, "the job's log is stored", func() bool {
		_, text = p.do("GET", "/v1/status", nil)
		return strings.Contains(text, `"FAIL"`)
	})
	if text := p.get("/v1/events?ref=make:1"); !strings.Contains(text, `"ref_file":"a.c"`) {
		t.Errorf("events: %s", text)
	}
	if text := p.get("/v1/history"); strings.Contains(text, "make:2") {
		t.Errorf("history: %s", text)
	}
	out, err := command(t.Context(), env, "queue", "list", "--state", "done", "--json").Output()
	check(t, err)
	if text := string(out); strings.Count(text, `"kind": "log"`) != 1 || strings.Count(text, `"key": "delivery:3"`) != 1 {
		t.Errorf("queue list: %s", text)
	}
}

func TestAnAppIsMadeFromAManifest(t *testing.T) {
	t.Parallel()
	g, app, _ := appPlace(t)
	dir := t.TempDir()
	env := []string{"BLQ_DATA=" + t.TempDir(), "BLQ_GITHUB_API=" + g.URL, "BLQ_PUBLIC_URL=https://blq.example.com"}
	cmd := command(t.Context(), env, "app", "create", "--org", "acme", "--dir", dir)
	var out bytes.Buffer
	cmd.Stdout = &out
	in, err := cmd.StderrPipe()
	check(t, err)
	check(t, cmd.Start())
	line := make([]byte, 1000)
	n, err := in.Read(line)
	check(t, err)
	at := regexp.MustCompile(`http://\S+`).FindString(string(line[:n]))
	if at == "" {
		t.Fatalf("app create: %s", line[:n])
	}
	get := func(url string) (int, string) {
		resp, err := newClient(t).Get(url)
		check(t, err)
		defer resp.Body.Close()
		var body bytes.Buffer
		_, err = body.ReadFrom(resp.Body)
		check(t, err)
		return resp.StatusCode, body.String()
	}
	_, page := get(at)
	state := regexp.MustCompile(`state=(\w+)`).FindStringSubmatch(page)
	if state == nil || !strings.Contains(page, "https://"+github.HostOf(g.URL)+"/organizations/acme/settings/apps/new?") ||
		!strings.Contains(page, "https://blq.example.com/webhooks/github") {
		t.Fatalf("page: %s", page)
	}
	if status, _ := get(at + "/done?code=blq&state=guessed"); status != http.StatusForbidden {
		t.Errorf("a guessed state: %d", status)
	}
	get(at + "/done?code=" + url.QueryEscape(app.Slug) + "&state=" + state[1])
	check(t, cmd.Wait())
	for name, want := range map[string]string{"app.pem": app.Key, "webhook-secret": app.Secret} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		check(t, err)
		info, err := os.Stat(filepath.Join(dir, name))
		check(t, err)
		if string(text) != want || info.Mode().Perm() != 0o600 ||
			!strings.Contains(out.String(), filepath.Join(dir, name)+"\n") {
			t.Errorf("%s: %v, settings %s", name, info.Mode(), out.String())
		}
	}
}

func TestTheSettingsOfAnAppBelongTogether(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{
		"both its ID and BLQ_APP_KEY":       {"BLQ_APP_ID=1"},
		"needs the secret of its webhook":   {"BLQ_APP_ID=1", "BLQ_APP_KEY=x"},
		"no RSA key in PEM":                 {"BLQ_APP_ID=1", "BLQ_APP_KEY=x", "BLQ_WEBHOOK_SECRET=x"},
		"GitHub's API, and it is turned of": {"BLQ_APP_ID=1", "BLQ_APP_KEY=x", "BLQ_GITHUB_API=none"},
	} {
		args := []string{"serve", "--addr", "127.0.0.1:0"}
		if strings.Contains(name, "turned of") {
			args = append(args, "--github-api", "")
		}
		out, err := command(t.Context(), append(env, "BLQ_DATA="+t.TempDir()), args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), name) {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}
