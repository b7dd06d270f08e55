package deliveries

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/internal/hook"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Notify configures the receivers of new failures on default branches.
type Notify struct {
	Hook  *hook.Sender // gets each failure as JSON; nil for none
	Slack *hook.Sender // gets a text for Slack's incoming webhooks; nil for none
}

// failure is a new failure on the default branch of a repository.
type failure struct {
	Host        string `json:"host,omitempty"`
	RepoID      int64  `json:"repo_id,omitempty"` // does not change with a rename
	Repo        string `json:"repo"`
	Branch      string `json:"branch"`
	Commit      string `json:"commit"`
	RunRef      string `json:"run_ref,omitempty"`
	Ref         string `json:"ref,omitempty"` // reference of the event
	Fingerprint string `json:"fingerprint,omitempty"`
	Tool        string `json:"tool_name,omitempty"`
	File        string `json:"ref_file,omitempty"`
	Line        int    `json:"ref_line,omitempty"`
	Message     string `json:"message,omitempty"`
	URL         string `json:"url,omitempty"`  // address of the job
	Page        string `json:"page,omitempty"` // the service's page about the error
	To          string `json:"to"`             // webhook or slack
	More        int    `json:"more,omitempty"` // number of further new failures of the commit; only this is reported
}

// maxNews is the max number of a commit's failures with separate notifications. The remaining failures share one
// notification.
const maxNews = 20

// news returns the notifications of new failures on the default branch. Each receiver gets one notification for each
// fingerprint. If there are more than maxNews failures, one more notification has the number of the remaining failures.
func (d *Deliveries) news(ctx context.Context, s *subject) ([]store.Work, error) {
	to := d.Notify.to()
	if s.pr > 0 || s.known.DefaultBranch == "" || len(to) == 0 {
		return nil, nil
	}
	failures, unlisted, err := s.newFailures(ctx)
	if err != nil {
		return nil, err
	}
	sent := failures[:min(maxNews, len(failures))]
	if more := len(failures) - len(sent) + unlisted; more > 0 {
		sent = append(slices.Clip(sent), failure{Host: s.known.Host, RepoID: s.known.ID, Repo: s.known.Name,
			Branch: s.known.DefaultBranch, Commit: s.sha, More: more})
	}
	var list []store.Work
	for _, n := range sent {
		for _, n.To = range to {
			w, err := work(kindNotify, fmt.Sprintf("%s/%d/%s/%s", s.known.Host, s.known.ID, n.key(), n.To), n.Repo, n)
			if err != nil {
				return nil, err
			}
			list = append(list, w)
		}
	}
	return list, nil
}

// key returns a text that identifies a failure in its repository.
func (n failure) key() string {
	if n.More > 0 {
		return fmt.Sprintf("%s+%d", n.Commit, n.More)
	}
	return n.Fingerprint
}

// newFailures returns the failures of the default branch that are not in the baselines of their runs, one for each
// fingerprint. A run without a baseline has no new failures. unlisted is the number of further failures.
func (s *subject) newFailures(ctx context.Context) (list []failure, unlisted int, err error) {
	seen := map[string]bool{}
	for _, r := range s.runs {
		if r.Errors == 0 || r.State != store.StateCompleted || !isPushed(r) || r.Git.Branch != s.known.DefaultBranch {
			continue
		}
		c, err := s.asker.Check(ctx, query.CheckParams{Run: r.Attempt, FailOn: query.FailOnNewErrors})
		if err != nil {
			return nil, 0, err
		}
		for _, run := range c.Runs {
			if run.Baseline.Kind == store.BaselineNone {
				continue // without a baseline nothing is new
			}
			if run.New != nil {
				unlisted += max(0, *run.New-len(run.Events))
			}
			for _, e := range run.Events {
				if !seen[e.Fingerprint] {
					list = append(list, failure{
						Host: s.known.Host, RepoID: s.known.ID, Repo: r.Repo, Branch: r.Git.Branch, Commit: s.sha,
						RunRef: r.Ref().String(), Ref: e.Ref, Fingerprint: e.Fingerprint, Tool: e.Tool, File: e.File,
						Line: e.Line, Message: e.Message, URL: jobURL(r), Page: s.pageOf(e.Ref),
					})
				}
				seen[e.Fingerprint] = true
			}
		}
	}
	return list, unlisted, nil
}

// pageOf returns the address of an event's page, or "" for none.
func (s *subject) pageOf(ref string) string {
	parsed, err := store.ParseRef(ref)
	if err != nil {
		return ""
	}
	return s.asker.PageOf(parsed)
}

// jobURL returns the address of the job of a run. It returns "" if the address is unknown.
func jobURL(r store.Run) string {
	if r.CI == nil {
		return ""
	}
	return r.CI.URL
}

// These are the receivers of notifications.
const (
	toWebhook = "webhook"
	toSlack   = "slack"
)

func (n Notify) to() (list []string) {
	if n.Hook != nil {
		list = append(list, toWebhook)
	}
	if n.Slack != nil {
		list = append(list, toSlack)
	}
	return list
}

// notify sends the notification of a failure.
func (d *Deliveries) notify(ctx context.Context, w store.Work, n failure) ([]store.Work, error) {
	known, err := d.Directory.EnrolledRepo(ctx, n.Host, n.RepoID)
	if err != nil && store.CodeOf(err) != store.NotFound {
		return nil, err
	}
	if err == nil && known.Name != n.Repo { // the repository was renamed after the job was queued
		n = d.follow(n, known.Name)
	}
	body, err := json.Marshal(n)
	if err != nil {
		return nil, err
	}
	to := d.Notify.Hook
	if n.To == toSlack {
		text, err := json.Marshal(map[string]string{"text": n.text()})
		if err != nil {
			return nil, err
		}
		to, body = d.Notify.Slack, text
	}
	if to == nil {
		return nil, nil // the receiver was removed from the configuration
	}
	return nil, to.Send(ctx, "failure", w.Key, body)
}

// follow returns a failure with the new name of its repository. The old name may belong to somebody else by now, so
// no link may use the old name.
func (d *Deliveries) follow(n failure, name string) failure {
	n.URL = strings.Replace(n.URL, "/"+n.Repo+"/", "/"+name+"/", 1)
	n.Page = ""
	for _, ref := range []*string{&n.RunRef, &n.Ref} {
		if parsed, err := store.ParseRef(*ref); err == nil {
			parsed.Repo = name
			*ref, n.Page = parsed.String(), d.Ask(name).PageOf(parsed)
		}
	}
	n.Repo = name
	return n
}

// inert escapes the characters that have a meaning in Slack's texts.
var inert = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", " ", "`", "'", "*", "∗", "_", "_\u200b")

// text returns the notification as text.
func (n failure) text() string {
	if n.More > 0 {
		return inert.Replace(fmt.Sprintf("%d more new failures on %s of %s at commit %.9s", n.More, n.Branch, n.Repo,
			n.Commit))
	}
	at := n.File
	if n.Line > 0 {
		at += ":" + strconv.Itoa(n.Line)
	}
	message := []rune(n.Message)
	message = message[:min(300, len(message))]
	text := fmt.Sprintf("New failure on %s of %s: %s %s (%s)", n.Branch, n.Repo, at, string(message), n.RunRef)
	text = inert.Replace(text)
	for _, to := range []struct{ url, name string }{{n.Page, "log"}, {n.URL, "job"}} {
		if strings.HasPrefix(to.url, "https://") && !strings.ContainsAny(to.url, "|<> ") {
			text += " <" + to.url + "|" + to.name + ">"
		}
	}
	return text
}
