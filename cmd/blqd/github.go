package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// found is a repository as GitHub has it.
type found struct {
	ID      int64  `json:"id"`
	Name    string `json:"full_name"`
	Branch  string `json:"default_branch"`
	Private bool   `json:"private"`
}

// lookUp asks GitHub for a repository.
func lookUp(ctx context.Context, api, name, token string) (found, error) {
	var f found
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	owner, repo, _ := strings.Cut(name, "/")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(api, "/")+"/repos/"+url.PathEscape(owner)+"/"+url.PathEscape(repo), nil)
	if err != nil {
		return f, store.Errorf(store.Invalid, "the address of GitHub's API is no URL")
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return f, store.Hint(store.Errorf(store.Unavailable, "GitHub cannot be asked: %w", err), "blqd repo enrol %s --id NUMBER", name)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return f, store.Hint(store.Errorf(store.NotFound, "GitHub knows no repository %s, or may not tell", name), "export GITHUB_TOKEN=...   # of somebody who may read it")
	default:
		return f, store.Hint(store.Errorf(store.Unavailable, "GitHub answers %s", resp.Status), "blqd repo enrol %s --id NUMBER", name)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&f); err != nil || f.ID == 0 || !store.IsRepoName(f.Name) {
		return f, fmt.Errorf("read GitHub's answer about %s: %w", name, err)
	}
	return f, nil
}

// hostOf returns the host that an API's repositories are at.
func hostOf(api string) string {
	u, err := url.Parse(api)
	if err != nil || u.Host == "" {
		return store.DefaultHost
	}
	return strings.TrimPrefix(u.Host, "api.")
}
