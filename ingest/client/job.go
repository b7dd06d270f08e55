package client

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/blq-ci/blq/store"
)

// Job proves the identity of a GitHub Actions job. The job needs the permission id-token: write. URL and Token are the
// environment variables ACTIONS_ID_TOKEN_REQUEST_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN.
type Job struct {
	URL      string
	Token    string
	Audience string // audience of the OIDC token, "" for the service's URL
}

// JobToken returns a function that returns a token of the service. The function sends an OIDC token of the job to get
// the service's token. It caches the service's token until the token is about to expire.
func JobToken(c Config, j Job) (func(ctx context.Context) (string, error), error) {
	c.Attempts = 1 // an OIDC token can be used once, so only the request that needs the token retries
	proof := ""
	c.Token = func(context.Context) (string, error) { return proof, nil }
	service, err := New(c)
	if err != nil {
		return nil, err
	}
	j.Audience = cmp.Or(j.Audience, service.URL())
	var given struct {
		Token     string    `json:"token"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	turn := make(chan struct{}, 1)
	return func(ctx context.Context) (string, error) {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done(): // another request is getting the token
			return "", store.Errorf(store.Unavailable, "there was no time to get a token: %w", ctx.Err())
		}
		if given.Token != "" && time.Until(given.ExpiresAt) > time.Minute {
			return given.Token, nil
		}
		var err error
		if proof, err = j.proof(ctx, service); err != nil {
			return "", err
		}
		if err = service.Post(ctx, "/v1/token", struct{}{}, &given); err != nil && Passing(err) {
			err = store.Later(err, 0) // another try gets another OIDC token
		}
		return given.Token, err
	}, nil
}

// proof asks the runner for an OIDC token.
func (j Job) proof(ctx context.Context, c *Client) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	u, err := url.Parse(j.URL)
	if err != nil {
		return "", store.Errorf(store.Invalid, "ACTIONS_ID_TOKEN_REQUEST_URL is no URL")
	}
	q := u.Query()
	q.Set("audience", j.Audience)
	u.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+j.Token)
	req.Header.Set("User-Agent", c.userAgent())
	res, err := c.http.Do(req)
	if err != nil {
		return "", store.Later(store.Errorf(store.Unavailable, "the runner gives no OIDC token: %w", c.offline(ctx, err)), 0)
	}
	defer res.Body.Close()
	var answer struct {
		Value string `json:"value"`
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err == nil && res.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, &answer)
	}
	switch {
	case res.StatusCode >= 500:
		return "",
			store.Later(store.Errorf(store.Unavailable, "the runner gives no OIDC token: it answered %d", res.StatusCode), 0)
	case err != nil || answer.Value == "":
		return "", store.Hint(store.Errorf(store.Unauthorized, "the runner gives no OIDC token: it answered %d",
			res.StatusCode), "give the job permissions: id-token: write, or set BLQ_TOKEN")
	}
	return answer.Value, nil
}
