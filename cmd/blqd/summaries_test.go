package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/query"
)

// asking posts a summary. It returns the status and the text of the answer.
func (p *process) asking(params string) (int, string) {
	p.Helper()
	return p.do("POST", "/v1/ask/post_summary", strings.NewReader(`{"params":`+params+`}`),
		"Content-Type", "application/json")
}

// An agent's note appears in the comment of the service, without secrets. A caller who may not see the repository, or
// lacks the scope, learns nothing.
func TestAnAgentPostsASummary(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]func(t *testing.T) []string{
		"sqlite":   func(*testing.T) []string { return nil },
		"postgres": func(t *testing.T) []string { return []string{"BLQ_DATABASE_URL=" + pgtest.Copy(t, migrated)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, app, env := appPlace(t)
			env = append(env, more(t)...)
			installed := g.Install(app.ID, "acme", []string{acmeShop}, "actions: read", "checks: write", "pull-requests: write")
			sha := strings.Repeat("a", 40)
			g.AddPull(acmeShop, githubtest.Pull{Number: 7, HeadSHA: sha})
			p := serve(t, env)
			if status := p.hook(g, g.Installed("1", "created", installed, "acme", acmeShop), app.Secret); status != 204 {
				t.Fatalf("installation: %d", status)
			}
			admin := p.with(makeToken(t, env, "--scope", "admin"))
			until(t, "the installation is worked on", func() bool {
				return strings.Contains(admin.get("/metrics"), `blq_queue_tries_total{kind="enrol",result="done"} 1`)
			})
			token := makeToken(t, env, "--scope", "summary:write", "--repo", acmeShop)
			agent := p.with(token)
			secret := "ghp_" + strings.Repeat("a1B2", 9)
			note := fmt.Sprintf("@octocat <b>it</b> is %s %s ![x](http://x)%s", secret, app.Secret, strings.Repeat(" long", 900))
			text, err := json.Marshal(map[string]any{"pr": 7, "repo": acmeShop, "note": note, "check": true})
			check(t, err)
			status, body := agent.asking(string(text))
			var posted query.SummaryPosted
			check(t, json.Unmarshal([]byte(body), &posted))
			if status != 200 || posted.State != "posted" || posted.Cut == 0 || !strings.Contains(posted.URL, "/pull/7#") {
				t.Fatalf("%d %s", status, body)
			}
			comments := g.Comments(acmeShop, 7)
			if len(comments) != 1 || strings.Contains(comments[0].Body, secret) ||
				strings.Contains(comments[0].Body, app.Secret) ||
				!strings.Contains(comments[0].Body, "```text\n@octocat <b>it</b> is *** *** ![x](http://x) long") ||
				!strings.Contains(comments[0].Body, "characters of this note were left out") {
				t.Errorf("%+v", comments)
			}
			reader, stranger := p.with(makeToken(t, env, "--scope", "read", "--repo", acmeShop)),
				p.with(makeToken(t, env, "--scope", "summary:write", "--repo", "acme/other"))
			if status, body := reader.asking(string(text)); status != 403 || !strings.Contains(body, "summary:write") {
				t.Errorf("without the scope: %d %s", status, body)
			}
			_, theirs := stranger.asking(`{"pr": 7, "repo": "acme/shop"}`)
			status, nobodys := stranger.asking(`{"pr": 7, "repo": "acme/none"}`)
			if status != 404 || strings.ReplaceAll(theirs, "acme/shop", "acme/none") != nobodys {
				t.Errorf("%d: %s differs from %s", status, theirs, nobodys)
			}
			if status, body := agent.asking(`{"pr": 8, "repo": "acme/shop", "note": "x"}`); status != 404 ||
				!strings.Contains(body, "no pull request 8 of acme/shop") {
				t.Errorf("a pull request that is not there: %d %s", status, body)
			}
			g.AddPull(acmeShop, githubtest.Pull{Number: 9, HeadSHA: sha})
			g.Lock(acmeShop, 9)
			if status, body := agent.asking(`{"pr": 9, "repo": "acme/shop", "note": "x"}`); status != 409 ||
				!strings.Contains(body, "locked") {
				t.Errorf("a locked one: %d %s", status, body)
			}
			metrics := admin.get("/metrics")
			for _, want := range []string{`blq_summaries_total{state="posted"} 1`, `blq_summaries_total{state="gone"} 1`,
				`blq_summaries_total{state="locked"} 1`} {
				if !strings.Contains(metrics, want) {
					t.Errorf("the metrics have no %s", want)
				}
			}
			if strings.Contains(p.Log(), secret) {
				t.Error("the log has the secret")
			}
		})
	}
}
