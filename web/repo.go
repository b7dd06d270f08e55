package web

import (
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// Repo is a repository with pages.
type Repo struct {
	Name   string // owner/name
	Branch string // the default branch, "" if unknown
	Public bool   // everybody may read the repository at its host
}

// Visitor is the person who requests a page from a server.
type Visitor struct {
	Person  string // login name, "" if the visitor is not signed in
	FormKey string // token in the form for signing out
	SignIn  string // URL of the page for signing in, "" for none
}

// view shows who is signed in.
func (v Visitor) view() g.Node {
	switch {
	case v.Person != "":
		return h.Form(action("/sign-out"), h.Method("post"), g.Text(v.Person), hidden("key", v.FormKey),
			h.Button(g.Text("Sign out")))
	case v.SignIn != "":
		return link(v.SignIn, "Sign in")
	}
	return nil
}

// reposPage lists repositories with the status of their newest runs.
type reposPage struct {
	page
	Repos   []repoState
	Partial string // sentence about the limits of the search for failures; "" for none
}

// repoState is a repository with the number of its red sources.
type repoState struct {
	Repo
	Sources, Red int
	LastRun      string
}

func repositories(q *request) error {
	repos, err := q.site.Repos(q.r)
	if err != nil {
		return err
	}
	status, err := questions.Status.Ask(q.context(), q.by, query.StatusParams{})
	if err != nil {
		return err
	}
	p := reposPage{page: q.page("Repositories", ""), Partial: status.Partial}
	index := map[string]int{}
	for _, r := range repos {
		index[r.Name] = len(p.Repos)
		p.Repos = append(p.Repos, repoState{Repo: r})
	}
	for _, s := range status.Sources {
		i, known := index[s.Repo]
		if !known { // the repository is withdrawn, but its runs are still stored
			i = len(p.Repos)
			index[s.Repo] = i
			p.Repos = append(p.Repos, repoState{Repo: Repo{Name: s.Repo}})
		}
		p.Repos[i].add(s)
	}
	return q.show(p.view())
}

// add adds the newest run of a source to the numbers.
func (r *repoState) add(s query.SourceStatus) {
	r.LastRun = max(r.LastRun, s.LastRun)
	if s.LeftOut != "" {
		return
	}
	r.Sources++
	if red(s) {
		r.Red++
	}
}

// red reports whether the newest run of a source counts and did not end well.
func red(s query.SourceStatus) bool {
	return s.LeftOut == "" && s.Status != store.StatusOK && s.Status != store.StatusRunning
}

func repoPath(name string) string { return refPath("repo", name) }

func (p reposPage) view() g.Node {
	if len(p.Repos) == 0 {
		return p.layout(p.empty())
	}
	var rows []g.Node
	for _, r := range p.Repos {
		state := g.Text("no runs")
		switch {
		case r.Red > 0:
			state = h.Span(h.Class("bad"), g.Text(count(r.Red, "source")+" red"))
		case r.Sources > 0:
			state = h.Span(h.Class("ok"), g.Text("ok"))
		}
		rows = append(rows, row(link(repoPath(r.Name), r.Name), state, g.Text(number(r.Sources)), g.Text(r.Branch),
			g.If(r.LastRun != "", g.Text(when(r.LastRun))), g.If(r.Public, g.Text("public"))))
	}
	return p.layout(table("Repositories",
		[]string{"Repository", "State", "Sources", "Default branch", "Last run", "At its host"}, rows),
		g.If(p.Partial != "", h.P(g.Text("Note: "+p.Partial))))
}

// empty explains why there is no repository, and names the next step.
func (p reposPage) empty() g.Node {
	if p.Person == "" && p.SignIn != "" {
		return h.P(g.Text("No repository is open to everybody. "), link(p.SignIn, "Sign in"), g.Text(" to see yours."))
	}
	return g.Group{h.P(g.Text("You may read no repository of this service. Its operator adds one:")),
		h.P(code("blqd repo enrol OWNER/NAME"))}
}

// repository shows the newest run of each source of a repository. The visitor gets the same answer if the repository
// does not exist, or if the visitor may not see it.
func repository(q *request) error {
	name := q.r.PathValue("owner") + "/" + q.r.PathValue("name")
	missing := store.Hint(store.Errorf(store.NotFound, "there is no repository %s, or you may not read it", name),
		"the list of repositories has all that you may read")
	if q.site.Repos == nil {
		return missing
	}
	repos, err := q.site.Repos(q.r)
	if err != nil {
		return err
	}
	for _, r := range repos {
		if r.Name == name {
			return q.home(name, query.At{Repo: name})
		}
	}
	status, err := questions.Status.Ask(q.context(), q.by, query.StatusParams{At: query.At{Repo: name}})
	if err != nil && store.CodeOf(err) != store.NotFound {
		return err
	}
	if len(status.Sources) == 0 {
		return missing
	}
	return q.home(name, query.At{Repo: name})
}
