package githubtest

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

type repository struct {
	id       int64
	name     string
	public   bool
	readers  []string
	writers  []string
	seers    []string // accounts that may see that the repository exists, and nothing else
	branches []string // branches besides main

	files      map[string]map[string]string // texts by path, by branch
	pulls      []Pull
	comments   []*Comment
	locked     []int // numbers of pull requests that nobody may comment on
	checks     []*Check
	runs       []*Run
	workflows  map[string][]string // inputs by file name
	dispatches []Dispatch
}

// Repo adds a private repository. An existing repository becomes private, with these readers only.
func (g *GitHub) Repo(name string, id int64, readers ...string) {
	g.change(name, func(r *repository) { r.id, r.readers, r.writers, r.seers, r.public = id, readers, nil, nil, false })
}

// Writers lets users write to a repository.
func (g *GitHub) Writers(name string, users ...string) {
	g.change(name, func(r *repository) { r.writers = users })
}

// Show lets users see that a private repository exists. They cannot read it.
func (g *GitHub) Show(name string, users ...string) {
	g.change(name, func(r *repository) { r.seers = users })
}

// Public adds a public repository.
func (g *GitHub) Public(name string, id int64) {
	g.change(name, func(r *repository) { r.id, r.public = id, true })
}

// Branches adds branches to a repository. main exists already.
func (g *GitHub) Branches(name string, branches ...string) {
	g.change(name, func(r *repository) { r.branches = append(r.branches, branches...) })
}

func (g *GitHub) change(name string, do func(*repository)) {
	g.lock.Lock()
	defer g.lock.Unlock()
	r := g.repos[name]
	if r == nil {
		r = &repository{name: name, workflows: map[string][]string{}}
		g.repos[name] = r
	}
	do(r)
}

// Rename renames a repository. The old name redirects to the new name.
func (g *GitHub) Rename(old, name string) {
	g.lock.Lock()
	defer g.lock.Unlock()
	r := g.repos[old]
	r.name = name
	g.repos[name], g.moved[old] = r, name
	for _, a := range g.apps {
		for _, i := range a.installed {
			if at := slices.Index(i.repos, old); at >= 0 {
				i.repos[at] = name
			}
		}
	}
	delete(g.repos, old)
}

// renamed returns the new address for a request with the old name of a repository. It returns "" for other requests.
func (g *GitHub) renamed(r *http.Request) string {
	parts := strings.SplitN(r.URL.Path, "/", 5)
	if len(parts) < 4 || parts[1] != "repos" {
		return ""
	}
	old := parts[2] + "/" + parts[3]
	to, ok := g.moved[old]
	if !ok || g.repos[old] != nil {
		return ""
	}
	u := *r.URL
	u.Path, u.RawPath = strings.Replace(u.Path, old, to, 1), strings.Replace(u.RawPath, old, to, 1)
	return u.RequestURI()
}

func (r *repository) reads(who *account) bool {
	return r.public || who != nil &&
		(slices.Contains(r.readers, who.login) || slices.Contains(r.writers, who.login) || who.job == r.name ||
			slices.Contains(who.repos, r.id))
}

func (r *repository) shows(who *account) bool {
	return r.reads(who) || who != nil && slices.Contains(r.seers, who.login)
}

// describe returns a repository as JSON, with the caller's permissions.
func (r *repository) describe(who *account) object {
	owner, name, _ := strings.Cut(r.name, "/")
	user := who != nil && !who.app
	writes := user && slices.Contains(r.writers, who.login)
	return object{
		"id": r.id, "name": name, "full_name": r.name, "private": !r.public, "default_branch": "main", "owner": person(owner),
		"permissions": object{"admin": false, "maintain": false, "push": writes, "triage": writes,
			"pull": user && r.reads(who)},
	}
}

func (c *call) repo(r *repository) { c.say(http.StatusOK, r.describe(c.who)) }

func (c *call) repositories() {
	if c.who == nil {
		c.refuse(http.StatusUnauthorized, "Requires authentication")
		return
	}
	list := []object{}
	for _, name := range slices.Sorted(maps.Keys(c.g.repos)) {
		if r := c.g.repos[name]; r.shows(c.who) && !r.public {
			list = append(list, r.describe(c.who))
		}
	}
	some := page(c, list)
	if c.URL.Path == "/user/repos" {
		c.say(http.StatusOK, some)
		return
	}
	c.say(http.StatusOK, object{"total_count": len(list), "repositories": some})
}
