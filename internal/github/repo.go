package github

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
)

// Repo is a repository that the token can see.
type Repo struct {
	ID            int64  `json:"id"`
	Name          string `json:"full_name"`
	DefaultBranch string `json:"default_branch"`
	Private       bool   `json:"private"`
	Permissions   struct {
		Pull bool `json:"pull"`
		Push bool `json:"push"`
	} `json:"permissions"` // permissions of the token's user; not set for apps
}

// Repo returns a repository by its current name or a former name.
func (c *Client) Repo(ctx context.Context, repo string) (Repo, error) {
	var r Repo
	path, err := pathOf(repo)
	if err != nil {
		return r, err
	}
	err = c.do(ctx, http.MethodGet, path, nil, &r)
	return r, withCode(err)
}

// Login returns the login name of the token's user. Errors: forbidden for a token of a job or an
// app.
func (c *Client) Login(ctx context.Context) (string, error) {
	var user struct {
		Login string `json:"login"`
	}
	err := c.do(ctx, http.MethodGet, "user", nil, &user)
	return user.Login, withCode(err)
}

// Repos returns the repositories to which the token's user has access, at most the first thousand.
func (c *Client) Repos(ctx context.Context) ([]Repo, error) {
	return c.repos(ctx, "user/repos?sort=pushed&")
}

// Installed returns the repositories on which the token's app is installed, at most the first thousand.
func (c *Client) Installed(ctx context.Context) ([]Repo, error) {
	return c.repos(ctx, "installation/repositories?")
}

// CheckInstallation checks that the token is a valid installation token of an app.
func (c *Client) CheckInstallation(ctx context.Context) error {
	err := c.do(ctx, http.MethodGet, "installation/repositories?per_page=1", nil, &repoPage{})
	return withCode(err)
}

func (c *Client) repos(ctx context.Context, path string) ([]Repo, error) {
	var list []Repo
	for page := 1; page <= 10; page++ {
		var repos repoPage
		if err := c.do(ctx, http.MethodGet, path+"per_page="+strconv.Itoa(perPage)+"&page="+strconv.Itoa(page), nil,
			&repos); err != nil {
			return nil, withCode(err)
		}
		list = append(list, repos...)
		if len(repos) < perPage {
			break
		}
	}
	return list, nil
}

// repoPage is a list of repositories. For installations, GitHub sends the list inside of an object.
type repoPage []Repo

// UnmarshalJSON implements json.Unmarshaler.
func (p *repoPage) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]Repo)(p))
	}
	var of struct {
		Repositories []Repo `json:"repositories"`
	}
	err := json.Unmarshal(b, &of)
	*p = of.Repositories
	return err
}
