package githubtest

import (
	"net/http"
	"slices"
	"strings"
)

// Pull is a pull request. Empty fields get defaults for a pull request of the branch "feature".
type Pull struct {
	Number   int
	State    string // "" for open
	Author   string // "" for octocat
	HeadSHA  string
	HeadRef  string // "" for feature
	HeadRepo string // "" for the repository itself
	BaseSHA  string
	BaseRef  string // "" for main
	Title    string // "" for A change
	Body     string
	Draft    bool
	Merged   bool
	// Mergeable is the value of GitHub's field mergeable_state; "" stands for clean.
	Mergeable string
}

// AddPull adds a pull request.
func (g *GitHub) AddPull(repo string, p Pull) {
	or := func(s *string, otherwise string) {
		if *s == "" {
			*s = otherwise
		}
	}
	or(&p.State, "open")
	or(&p.Author, "octocat")
	or(&p.HeadSHA, strings.Repeat("a", 40))
	or(&p.HeadRef, "feature")
	or(&p.HeadRepo, repo)
	or(&p.BaseSHA, strings.Repeat("b", 40))
	or(&p.BaseRef, "main")
	or(&p.Title, "A change")
	or(&p.Mergeable, "clean")
	g.change(repo, func(r *repository) { r.pulls = append(r.pulls, p) })
}

// ChangePull changes a pull request.
func (g *GitHub) ChangePull(repo string, number int, change func(*Pull)) {
	g.change(repo, func(r *repository) {
		for i := range r.pulls {
			if r.pulls[i].Number == number {
				change(&r.pulls[i])
			}
		}
	})
}

// Push changes the head commit of a pull request.
func (g *GitHub) Push(repo string, number int, sha string) {
	g.change(repo, func(r *repository) {
		for i := range r.pulls {
			if r.pulls[i].Number == number {
				r.pulls[i].HeadSHA = sha
			}
		}
	})
}

func (c *call) describePull(r *repository, p Pull) object {
	id := r.id
	if p.HeadRepo != r.name {
		id = idOf(p.HeadRepo)
	}
	owner, name, _ := strings.Cut(p.HeadRepo, "/")
	var merged any
	if p.Merged {
		merged = "2026-01-24T10:00:00Z"
	}
	return object{
		"number": p.Number, "state": p.State, "title": p.Title, "user": person(p.Author), "draft": p.Draft,
		"merged_at": merged,
		"html_url":  c.g.address("/%s/pull/%d", r.name, p.Number),
		"head": object{"sha": p.HeadSHA, "ref": p.HeadRef, "label": owner + ":" + p.HeadRef,
			"repo": object{"id": id, "full_name": p.HeadRepo, "name": name}},
		"base": object{"sha": p.BaseSHA, "ref": p.BaseRef, "repo": object{"id": r.id, "full_name": r.name}},
	}
}

func (c *call) pulls(r *repository) {
	q := c.URL.Query()
	state := q.Get("state")
	if state == "" {
		state = "open"
	}
	found := slices.DeleteFunc(slices.Clone(r.pulls), func(p Pull) bool {
		owner, _, _ := strings.Cut(p.HeadRepo, "/")
		return state != "all" && p.State != state || q.Get("head") != "" && q.Get("head") != owner+":"+p.HeadRef
	})
	list := []object{}
	for _, p := range page(c, found) {
		list = append(list, c.describePull(r, p))
	}
	c.say(http.StatusOK, list)
}

// onPull calls the function with the requested pull request, or answers 404.
func (c *call) onPull(r *repository, do func(Pull)) {
	for _, p := range r.pulls {
		if int64(p.Number) == c.number("number") {
			do(p)
			return
		}
	}
	c.notFound()
}

func (c *call) pull(r *repository) {
	c.onPull(r, func(p Pull) {
		whole := c.describePull(r, p)
		whole["merged"], whole["mergeable_state"] = p.Merged, p.Mergeable
		c.say(http.StatusOK, whole)
	})
}
