package web

import (
	"context"
	"fmt"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// historian is implemented by sources that know every run in which an error occurred. A remote service cannot be such
// a source.
type historian interface {
	Past(ctx context.Context, p query.PastParams) (query.Past, error)
}

// fingerprintPage shows everything about an error, from all runs with the error.
type fingerprintPage struct {
	page
	query.Past
	Repo string
}

func fingerprint(q *request) error {
	by, ok := q.by.(historian)
	if !ok {
		return notFound(q.w, q.r)
	}
	repo, print := "", q.ref()
	if owner, rest, found := strings.Cut(print, "@"); found && strings.Count(owner, "/") == 1 {
		repo, print = owner, rest
	}
	past, err := by.Past(q.context(), query.PastParams{Fingerprint: print, Repo: repo})
	if err != nil {
		return err
	}
	p := fingerprintPage{page: q.page(clip(past.Message, listedMessage), ""), Past: past, Repo: repo}
	p.page.Repo = q.site.named(repo)
	return q.show(p.view())
}

// beyondWord reports whether a character cannot be part of a plain word.
func beyondWord(r rune) bool {
	return !strings.ContainsRune("._+-", r) && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
}

// PathOfFingerprint returns the path of the page about a fingerprint, below the base of a site. It returns "" if print
// is not a fingerprint. A fingerprint begins with the name of the tool. The name comes from a log and may have any
// characters. If the fingerprint has other characters than letters, digits and . _ + -, the path has only its hash.
func PathOfFingerprint(repo, print string) string {
	if _, ok := store.FingerprintHash(print); !ok {
		return ""
	}
	if strings.ContainsFunc(print, beyondWord) {
		print = print[len(print)-16:]
	}
	if repo != "" {
		print = repo + "@" + print
	}
	return refPath("fingerprint", print)
}

// sinceWhen returns a link from an error of a run to the page about the error's fingerprint.
func sinceWhen(run, print string) g.Node {
	to := PathOfFingerprint(repoOf(run), print)
	return g.If(to != "", link(to, "since when"))
}

func (p fingerprintPage) view() g.Node {
	return p.layout(
		h.P(code(query.Location(p.File, p.Line)), g.Text(" "), tag(string(p.Severity)), g.Text(" "+p.Tool+" "+p.Code)),
		p.when(),
		p.where(),
		h.H2(g.Text("Where it came and went")), g.Map(p.Courses, courseView),
		p.samples(),
		p.same(),
	)
}

// when shows the first run and the last run with the error, and the number of its occurrences.
func (p fingerprintPage) when() g.Node {
	seen := func(r query.StripRun) g.Node {
		return g.Group{runLink(r.RunRef), at(r), g.If(r.Branch != "", g.Text(" on "+r.Branch)), g.Text(", " + when(r.Time))}
	}
	return g.Group{h.H2(g.Text("Since when, and how often")), h.Dl(
		h.Dt(g.Text("First seen")), h.Dd(seen(p.First)),
		h.Dt(g.Text("Last seen")), h.Dd(seen(p.Last)),
		h.Dt(g.Text("How often")), h.Dd(g.Text(count(p.Occurrences, "time")+" in "+count(p.Runs, "run"))),
	)}
}

// where shows the number of runs on each branch and of each source.
func (p fingerprintPage) where() g.Node {
	title := "Where"
	if p.Looked < p.Runs {
		title = fmt.Sprintf("Where, in the newest %d of these runs", p.Looked)
	}
	shares := func(what string, parameter string, list []query.Share) g.Node {
		var items []g.Node
		for i, s := range list {
			name := g.Text("without a branch")
			if s.Name != "" {
				name = link(p.runs(parameter, s.Name), s.Name)
			}
			items = append(items, g.Group{g.If(i > 0, g.Text(", ")), name, g.Text(" (" + count(s.Runs, "run") + ")")})
		}
		return g.Group{h.Dt(g.Text(what)), h.Dd(g.Group(items))}
	}
	return g.Group{h.H2(g.Text(title)), h.Dl(shares("Branches", "branch", p.Branches),
		shares("Sources", "source", p.Sources),
		g.If(p.File != "", g.Group{h.Dt(g.Text("File")), h.Dd(code(p.File))}))}
}

// runs returns the URL of the list of runs, restricted by a parameter.
func (p fingerprintPage) runs(parameter, value string) string {
	to := "/runs?" + parameterOf(parameter, value)
	if p.Repo != "" {
		to += "&" + parameterOf("repo", p.Repo)
	}
	return to
}

// courseView shows when an error appeared and disappeared in a step on a branch.
func courseView(c query.Course) g.Node {
	title := c.Source
	if c.Leg != "" {
		title += " " + c.Leg
	}
	if c.Branch != "" {
		title += " on " + c.Branch
	}
	state := g.Node(nil)
	if c.Came == nil {
		state = h.P(g.Text("No earlier run of this step on the branch is known to have passed without it."))
	}
	return g.Group{h.H3(g.Text(title)), h.P(stripView(c.Strip)), state, turned("came", c.Came), turned("went", c.Went)}
}

// samples lists the newest events, one for each run.
func (p fingerprintPage) samples() g.Node {
	return g.Group{h.H2(g.Text("Newest samples")), h.Ol(h.Class("errors"), g.Map(p.Samples, func(e query.Event) g.Node {
		return h.Li(h.P(link(eventPath(e.Ref), clip(e.Message, listedMessage))),
			h.P(h.Small(code(query.Location(e.File, e.Line)), g.Text(" in "),
				runLink(e.RunRef), g.If(e.LogLine > 0, g.Group{g.Text(" · "), link(logPath(e.RunRef, e.Stream, e.LogLine),
					placeOf(e).String())}))))
	}))}
}

// same explains why blq treats the events as the same error.
func (p fingerprintPage) same() g.Node {
	why := map[store.IdentityKind]string{
		store.IdentityTest:  "They are failures of one test. What the failure says does not matter.",
		store.IdentityRule:  "They break one rule of the architecture in the same way, wherever the file is.",
		store.IdentityEvent: "They have these parts in common. The line does not matter, so code can move.",
	}
	id := p.Identity
	var list []g.Node
	for _, part := range [][2]string{{"Tool", id.Tool}, {"Code", id.Code}, {"Test", id.Test}, {"File", id.File},
		{"Message", id.Message}} {
		if part[1] != "" {
			list = append(list, h.Dt(g.Text(part[0])), h.Dd(code(part[1])))
		}
	}
	return g.Group{h.H2(g.Text("Why these are one")), h.P(g.Text(why[id.Kind])), h.Dl(g.Group(list)),
		h.P(g.Text("What varies from run to run is left out: addresses, times, durations, temporary names and positions "+
			"stand there as words like <n>. The fingerprint is "), code(p.Fingerprint), g.Text("."))}
}
