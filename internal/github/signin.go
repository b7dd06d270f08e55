package github

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// SignIn is an app for signing in. GitHub redirects browsers to Redirect.
type SignIn struct {
	Client   string // client ID of the app
	Secret   string
	Redirect string // exactly as registered for the app
}

// UserToken is the token of a person who has signed in.
type UserToken struct {
	Token string
	For   time.Duration // time for which the token is valid, 0 for unlimited
}

// SignInURL returns the URL of GitHub's page on which a person agrees to sign in. GitHub sends the
// state back with the code. The code can be exchanged for a token only together with the verifier (RFC
// 7636).
func (c *Client) SignInURL(app SignIn, state, verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return c.site("/login/oauth/authorize") + "?" + url.Values{
		"client_id": {app.Client}, "redirect_uri": {app.Redirect}, "state": {state},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode()
}

// site returns the address of a page on GitHub's website.
func (c *Client) site(path string) string { return c.api.Scheme + "://" + c.Host() + path }

// UserToken exchanges a code for a person's token. GitHub sends the code with the redirect of the person's browser.
// Errors: unauthorized for a code that is not valid any more, unavailable if there is no token for another reason.
func (c *Client) UserToken(ctx context.Context, app SignIn, code, verifier string) (UserToken, error) {
	form := url.Values{"client_id": {app.Client}, "client_secret": {app.Secret}, "code": {code},
		"redirect_uri": {app.Redirect}, "code_verifier": {verifier}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.site("/login/oauth/access_token"),
		strings.NewReader(form.Encode()))
	if err != nil {
		return UserToken{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", c.config.Agent)
	resp, err := c.config.HTTP.RoundTrip(r) // not c.http, because a redirect would send the secret elsewhere
	if err != nil {
		return UserToken{}, store.Errorf(store.Unavailable, "GitHub cannot be reached: %w", err)
	}
	defer resp.Body.Close()
	var answer struct {
		Token  string `json:"access_token"`
		Expire int    `json:"expires_in"`
		Error  string `json:"error"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, maxError)).Decode(&answer)
	switch {
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return UserToken{}, store.Errorf(store.Unavailable, "GitHub answered %d when a code was exchanged", resp.StatusCode)
	case answer.Error == "bad_verification_code":
		return UserToken{}, store.Errorf(store.Unauthorized, "GitHub's code has expired or was used")
	case answer.Error != "":
		return UserToken{}, store.Errorf(store.Unavailable, "GitHub refuses to exchange a code: %.100q", answer.Error)
	case err != nil || answer.Token == "":
		return UserToken{}, store.Errorf(store.Unavailable, "GitHub answered %d without a token", resp.StatusCode)
	}
	return UserToken{answer.Token, time.Duration(answer.Expire) * time.Second}, nil
}
