package deliveries

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Notify says who is told of failures that are new on default branches.
type Notify struct {
	URL    string // gets each failure as JSON, "" for nobody
	Secret string // signs it
	Slack  string // gets a text, as Slack's incoming webhooks take it; "" for nobody
	HTTP   http.RoundTripper
}

// failure is one that is new on the default branch of a repository.
type failure struct {
	Repo        string `json:"repo"`
	Branch      string `json:"branch"`
	Commit      string `json:"commit"`
	RunRef      string `json:"run_ref"`
	Ref         string `json:"ref"` // of the event
	Fingerprint string `json:"fingerprint"`
	Tool        string `json:"tool_name,omitempty"`
	File        string `json:"ref_file,omitempty"`
	Line        int    `json:"ref_line,omitempty"`
	Message     string `json:"message"`
	URL         string `json:"url,omitempty"` // of the job
	To          string `json:"to"`            // webhook or slack
}

// maxNews is the max number of failures of a commit that are told.
const maxNews = 20

// news returns the notifications of failures that are new on the default branch: each once, by its fingerprint.
func (d *Deliveries) news(ctx context.Context, s *subject) ([]store.Work, error) {
	to := d.Notify.to()
	if s.pr > 0 || s.known.DefaultBranch == "" || s.branch != s.known.DefaultBranch || len(to) == 0 {
		return nil, nil
	}
	var list []store.Work
	for _, r := range s.runs {
		if r.Errors == 0 || r.State != store.StateCompleted {
			continue
		}
		c, err := s.asker.Check(ctx, query.CheckParams{Run: r.Attempt, FailOn: query.FailOnNewErrors})
		if err != nil {
			return nil, err
		}
		for _, run := range c.Runs {
			for _, e := range run.Events {
				if run.Baseline.Kind == store.BaselineNone || len(list) >= maxNews*len(to) {
					continue // nothing is called new
				}
				n := failure{Repo: r.Repo, Branch: s.branch, Commit: s.sha, RunRef: r.Ref().String(), Ref: e.Ref,
					Fingerprint: e.Fingerprint, Tool: e.Tool, File: e.File, Line: e.Line, Message: e.Message, URL: r.CI.URL}
				for _, n.To = range to {
					w, err := work(kindNotify, fmt.Sprintf("%s/%d/%s/%s", s.known.Host, s.known.ID, e.Fingerprint, n.To), r.Repo, n)
					if err != nil {
						return nil, err
					}
					list = append(list, w)
				}
			}
		}
	}
	return list, nil
}

// These are the receivers of notifications.
const (
	toWebhook = "webhook"
	toSlack   = "slack"
)

func (n Notify) to() (list []string) {
	if n.URL != "" {
		list = append(list, toWebhook)
	}
	if n.Slack != "" {
		list = append(list, toSlack)
	}
	return list
}

// notify tells of a failure.
func (d *Deliveries) notify(ctx context.Context, w store.Work, n failure) ([]store.Work, error) {
	url, body := d.Notify.URL, w.Body
	if n.To == toSlack {
		text, err := json.Marshal(map[string]string{"text": n.text()})
		if err != nil {
			return nil, err
		}
		url, body = d.Notify.Slack, text
	}
	if url == "" {
		return nil, nil // nobody listens any more
	}
	return nil, d.Notify.send(ctx, url, body, w.Key)
}

// inert makes the characters harmless that mean something in Slack's texts.
var inert = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", " ", "`", "'", "*", "∗", "_", "_\u200b")

// text returns the notification for people.
func (n failure) text() string {
	at := n.File
	if n.Line > 0 {
		at += ":" + strconv.Itoa(n.Line)
	}
	message := []rune(n.Message)
	message = message[:min(300, len(message))]
	text := fmt.Sprintf("New failure on %s of %s: %s %s (%s)", n.Branch, n.Repo, at, string(message), n.RunRef)
	text = inert.Replace(text)
	if strings.HasPrefix(n.URL, "https://") && !strings.ContainsAny(n.URL, "|<> ") {
		text += " <" + n.URL + "|job>"
	}
	return text
}

// send posts JSON, signed as GitHub signs its webhooks.
func (n Notify) send(ctx context.Context, url string, body []byte, key string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return store.Errorf(store.Invalid, "the address for notifications is none")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Blq-Delivery", key)
	if n.Secret != "" && url == n.URL {
		mac := hmac.New(sha256.New, []byte(n.Secret))
		mac.Write(body)
		r.Header.Set("X-Blq-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
	client := http.Client{Transport: n.HTTP, Timeout: 10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	if err != nil { // its text has the address, which may be secret
		return store.Errorf(store.Unavailable, "the receiver of notifications cannot be reached")
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 4096)) // so that the connection can be used again
	switch status := resp.StatusCode; {
	case status < 300:
		return nil
	case status == http.StatusTooManyRequests || status >= 500:
		after, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			after = 1
		}
		return store.Later(store.Errorf(store.Unavailable, "the receiver of notifications answers %d", status),
			time.Duration(min(after, 3600))*time.Second)
	default:
		return store.Errorf(store.Invalid, "the receiver of notifications answers %d", status)
	}
}
