package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// Installation is an installation of an app for an account.
type Installation struct {
	ID int64 `json:"id"`
}

// InstallationToken is a token for the repositories of an installation.
type InstallationToken struct {
	Token   string    `json:"token"`
	Expires time.Time `json:"expires_at"`
}

// InstallationOf returns the app's installation for a repository. The client must use the app's own token. The same is
// true for CreateInstallationToken, SentDeliveries and Redeliver.
func (c *Client) InstallationOf(ctx context.Context, repo string) (Installation, error) {
	var i Installation
	path, err := pathOf(repo)
	if err != nil {
		return i, err
	}
	err = withCode(c.do(ctx, http.MethodGet, path+"/installation", nil, &i))
	if store.CodeOf(err) == store.NotFound {
		err = store.Hint(store.Errorf(store.NotFound, "the app is not installed on %s: %w", repo, err),
			"install it there, or withdraw the repository")
	}
	return i, err
}

// CreateInstallationToken creates a token for an installation. The token is valid for an hour.
func (c *Client) CreateInstallationToken(ctx context.Context, installation int64) (InstallationToken, error) {
	var t InstallationToken
	err := withCode(c.do(ctx, http.MethodPost, fmt.Sprintf("app/installations/%d/access_tokens", installation), nil, &t))
	if err == nil && t.Token == "" {
		err = store.Errorf(store.Unavailable, "GitHub's answer has no token")
	}
	return t, err
}

// SentDelivery is a delivery to the app's webhook. The delivery may have failed.
type SentDelivery struct {
	ID         int64     `json:"id"`
	GUID       string    `json:"guid"` // the header X-GitHub-Delivery
	At         time.Time `json:"delivered_at"`
	StatusCode int       `json:"status_code"`
	Event      string    `json:"event"`
	Action     string    `json:"action"`
}

// SentDeliveries returns the deliveries to the app's webhook since a time, newest first, at most a thousand.
func (c *Client) SentDeliveries(ctx context.Context, since time.Time) ([]SentDelivery, error) {
	var all []SentDelivery
	cursor := ""
	for range 10 {
		path := fmt.Sprintf("app/hook/deliveries?per_page=%d", perPage)
		if cursor != "" {
			path += "&cursor=" + url.QueryEscape(cursor)
		}
		var some []SentDelivery
		header, err := c.ask(ctx, http.MethodGet, path, nil, &some)
		if err != nil {
			return nil, withCode(err)
		}
		for _, d := range some {
			if d.At.Before(since) {
				return all, nil
			}
			all = append(all, d)
		}
		if cursor, err = next(header, "cursor"); err != nil {
			return nil, err
		}
		if cursor == "" {
			break
		}
	}
	return all, nil
}

// Redeliver asks GitHub to send a delivery again.
func (c *Client) Redeliver(ctx context.Context, delivery int64) error {
	err := c.do(ctx, http.MethodPost, fmt.Sprintf("app/hook/deliveries/%d/attempts", delivery), nil, nil)
	if errors.Is(err, errAccepted) {
		return nil
	}
	return withCode(err)
}

// NewApp is an app that GitHub made from a manifest.
type NewApp struct {
	ID           int64  `json:"id"`
	Slug         string `json:"slug"`
	URL          string `json:"html_url"`
	Key          string `json:"pem"` // private key
	Secret       string `json:"webhook_secret"`
	Client       string `json:"client_id"` // client ID for signing in
	ClientSecret string `json:"client_secret"`
}

var manifestCode = lazyregexp.New(`^[0-9A-Za-z_-]{1,200}$`)

// ConvertManifest returns the app that GitHub made from a manifest. The code comes from the redirect of the operator's
// browser, and can be used once.
func (c *Client) ConvertManifest(ctx context.Context, code string) (NewApp, error) {
	var a NewApp
	if !manifestCode.MatchString(code) {
		return a, store.Errorf(store.Invalid, "this is not a code of GitHub's")
	}
	err := withCode(c.do(ctx, http.MethodPost, "app-manifests/"+url.PathEscape(code)+"/conversions", nil, &a))
	if err == nil && (a.ID == 0 || a.Key == "") {
		err = store.Errorf(store.Unavailable, "GitHub's answer has no app")
	}
	return a, err
}
