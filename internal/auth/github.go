package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// GitHub is the Forge of github.com or of a GitHub Enterprise Server.
type GitHub struct {
	api   string // without a slash at the end
	host  string
	http  *http.Client
	now   func() time.Time
	slots chan struct{} // requests at a time, whoever they are for
}

var _ Forge = (*GitHub)(nil)

// GitHubConfig says where GitHub is.
type GitHubConfig struct {
	API  string           // "" for https://api.github.com
	Host string           // "" for what API tells: api.HOST, or HOST/api/v3
	HTTP *http.Client     // nil for one with a timeout
	Now  func() time.Time // nil for time.Now
}

// NewGitHub returns a GitHub. Invalid: API is no https URL.
func NewGitHub(c GitHubConfig) (*GitHub, error) {
	if c.API == "" {
		c.API = "https://api." + store.DefaultHost
	}
	u, err := url.Parse(c.API)
	if err != nil || u.Host == "" || u.User != nil || !secure(u) {
		return nil, store.Errorf(store.Invalid, "the address of GitHub's API must be https")
	}
	if c.Host == "" {
		c.Host = strings.TrimPrefix(u.Host, "api.")
	}
	if c.HTTP == nil {
		c.HTTP = newClient()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &GitHub{strings.TrimRight(c.API, "/"), c.Host, c.HTTP, c.Now, make(chan struct{}, 32)}, nil
}

// Host implements Forge.
func (g *GitHub) Host() string { return g.host }

// User implements Forge. The token of a job or installation has no user.
func (g *GitHub) User(ctx context.Context, token string) (string, error) {
	if isInstallation(token) {
		var count struct{}
		if err := g.get(ctx, token, "/installation/repositories?per_page=1", &count); err != nil {
			return "", asUnauthorized(err)
		}
		return fmt.Sprintf("installation-%x", hash(token)[:6]), nil
	}
	var user struct {
		Login string `json:"login"`
	}
	if err := g.get(ctx, token, "/user", &user); err != nil {
		return "", asUnauthorized(err)
	}
	return user.Login, nil
}

// asUnauthorized is for questions that every good token may ask.
func asUnauthorized(err error) error {
	if store.CodeOf(err) == store.NotFound {
		return badToken("GitHub does not take the token")
	}
	return err
}

type gitHubRepo struct {
	ID          int64 `json:"id"`
	Private     bool  `json:"private"`
	Permissions struct {
		Pull bool `json:"pull"`
	} `json:"permissions"`
}

// forge says whether the token's owner may read what it sees. GitHub tells no
// permissions of installations, but shows them what they were installed on.
func (r gitHubRepo) forge(token string) ForgeRepo {
	return ForgeRepo{ID: r.ID, Read: !r.Private || r.Permissions.Pull || isInstallation(token)}
}

func isInstallation(token string) bool { return strings.HasPrefix(token, "ghs_") }

var repoName = regexp.MustCompile(`^[0-9A-Za-z_.-]+/[0-9A-Za-z_.-]+$`)

// Repo implements Forge.
func (g *GitHub) Repo(ctx context.Context, token, name string) (ForgeRepo, error) {
	owner, rest, _ := strings.Cut(name, "/")
	if !repoName.MatchString(name) || strings.Trim(owner, ".") == "" || strings.Trim(rest, ".") == "" {
		return ForgeRepo{}, store.Errorf(store.NotFound, "GitHub can have no repository of this name")
	}
	var r gitHubRepo
	err := g.get(ctx, token, "/repos/"+name, &r)
	return r.forge(token), err
}

// Repos implements Forge.
func (g *GitHub) Repos(ctx context.Context, token string) ([]ForgeRepo, error) {
	path := "/user/repos?sort=pushed&per_page=100&page="
	if isInstallation(token) {
		path = "/installation/repositories?per_page=100&page="
	}
	var list []ForgeRepo
	for page := 1; page <= 10; page++ {
		var repos repoPage
		if err := g.get(ctx, token, path+strconv.Itoa(page), &repos); err != nil {
			return nil, asUnauthorized(err)
		}
		for _, r := range repos {
			list = append(list, r.forge(token))
		}
		if len(repos) < 100 {
			break
		}
	}
	return list, nil
}

// repoPage is a list of repositories, bare or as that of installations.
type repoPage []gitHubRepo

func (p *repoPage) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]gitHubRepo)(p))
	}
	var of struct {
		Repositories []gitHubRepo `json:"repositories"`
	}
	err := json.Unmarshal(b, &of)
	*p = of.Repositories
	return err
}

const maxAnswer = 8 << 20 // bytes

func (g *GitHub) get(ctx context.Context, token, path string, v any) error {
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	case <-ctx.Done():
		return store.Errorf(store.Unavailable, "too many questions to GitHub at a time: %w", ctx.Err())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.api+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	req.Header.Set("User-Agent", "blqd")
	resp, err := g.http.Do(req)
	if err != nil {
		return later{store.Errorf(store.Unavailable, "GitHub cannot be reached: %w", err), 5 * time.Second}
	}
	defer resp.Body.Close()
	if err := g.status(resp); err != nil {
		return err
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(v); err != nil {
		return later{store.Errorf(store.Unavailable, "GitHub's answer cannot be read: %w", err), 5 * time.Second}
	}
	return nil
}

// status turns the status of an answer into an error.
func (g *GitHub) status(resp *http.Response) error {
	switch s := resp.StatusCode; {
	case s == http.StatusOK:
		return nil
	case s == http.StatusUnauthorized:
		return badToken("GitHub does not take the token")
	case s == http.StatusTooManyRequests, s == http.StatusForbidden && g.isLimit(resp.Header):
		return later{store.Errorf(store.Unavailable, "GitHub has had too many requests with this token"), g.wait(resp.Header)}
	case s >= 500:
		return later{store.Errorf(store.Unavailable, "GitHub answers %s", resp.Status), 5 * time.Second}
	}
	return store.Errorf(store.NotFound, "GitHub answers %s", resp.Status) // 403, 404, 451: not for this token
}

func (g *GitHub) isLimit(h http.Header) bool {
	return h.Get("Retry-After") != "" || h.Get("X-RateLimit-Remaining") == "0"
}

// wait returns how long GitHub wants to be left alone, at least a minute where
// it does not say.
func (g *GitHub) wait(h http.Header) time.Duration {
	if n, err := strconv.Atoi(h.Get("Retry-After")); err == nil && n >= 0 {
		return time.Duration(n) * time.Second
	}
	if n, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && h.Get("X-RateLimit-Remaining") == "0" {
		return max(time.Second, time.Unix(n, 0).Sub(g.now()))
	}
	return time.Minute
}
