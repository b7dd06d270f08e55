package web

import (
	"net/url"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// factList is a list of names with values.
type factList []g.Node

func (l *factList) add(name string, value ...g.Node) {
	*l = append(*l, h.Dt(g.Text(name)), h.Dd(g.Group(value)))
}

func (p runPage) facts(to places) g.Node {
	var list factList
	info := p.Info
	list.add("Command", commandOf(info.Command))
	if info.ExitCode != nil {
		note := ""
		if info.ExitNote != "" {
			note = ": " + info.ExitNote
		}
		list.add("Exit code", g.Text(strconv.Itoa(*info.ExitCode)+note))
	}
	if info.Signal != "" {
		list.add("Signal", g.Text(info.Signal))
	}
	took := seconds(info.Seconds)
	if info.Elapsed != nil {
		took = seconds(float64(*info.Elapsed)) + " so far"
	}
	if p.Usual.Usual != "" {
		took += ", " + p.Usual.Usual
	}
	list.add("Time", g.Text(took+" "), p.Usual.view())
	list.add("Started", g.Text(when(info.Started)))
	if info.Branch != "" {
		list.add("Branch", linkIf(to.runs("branch", info.Branch), g.Text(info.Branch)))
	}
	if info.Commit != "" {
		list.add("Commit", code(short(info.Commit)), g.If(info.Dirty, g.Text(" with uncommitted changes")),
			atGitHub(p.Where.CI, "commit", info.Commit))
	}
	list.job(p.Where.CI, to)
	list.machine(p.Where)
	if info.Cwd != "" {
		list.add("Folder", code(info.Cwd))
	}
	if p.Arrived != nil {
		list.add("Read as", readAs(*p.Arrived))
	}
	if info.Lost != "" {
		list.add("Not recorded", g.Text(info.Lost))
	}
	return g.Group{h.H2(g.Text("Facts")), h.Dl(g.Group(list))}
}

// longCommand is the max number of bytes of a command that a page shows in full. The rest of a longer command is shown
// when the reader opens it.
const longCommand = 300

// commandOf shows a command. It shows only the beginning of a long command, until the reader opens the rest.
func commandOf(text string) g.Node {
	if len(text) <= longCommand {
		return code(text)
	}
	return h.Details(h.Summary(code(clip(text, longCommand))), code(text))
}

// job adds the facts of the CI job that recorded a run.
func (l *factList) job(ci *store.CI, to places) {
	if ci == nil {
		return
	}
	if ci.PR > 0 {
		text := "into " + ci.BaseRef
		if ci.BaseRef == "" {
			text = ""
		}
		if ci.Fork {
			text = strings.TrimSpace(text + ", from a fork")
		}
		l.add("Pull request", linkIf(to.runs("pr", strconv.Itoa(ci.PR)), g.Text("#"+strconv.Itoa(ci.PR))),
			g.If(text != "", g.Text(" "+text)), atGitHub(ci, "pull", strconv.Itoa(ci.PR)))
	}
	var parts []string
	for _, part := range []string{ci.Workflow, ci.Job, ci.Matrix} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if ci.RunAttempt > 1 {
		parts = append(parts, "attempt "+strconv.Itoa(ci.RunAttempt))
	}
	text := strings.Join(parts, ", ")
	if text == "" {
		text = ci.Provider
	}
	l.add("Job", g.Text(text), jobLink(ci))
}

// jobLink returns a link to the job at its CI system.
func jobLink(ci *store.CI) g.Node {
	u := jobPage(ci)
	if u == nil {
		return nil
	}
	return outside(u)
}

// jobPage returns the URL of a job's page at its CI system. The job itself has reported this URL. jobPage returns nil
// if the URL is not an HTTP URL, or if it contains a user name.
func jobPage(ci *store.CI) *url.URL {
	if ci == nil {
		return nil
	}
	u, err := url.Parse(ci.URL)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil
	}
	return u
}

// atGitHub returns a link to a commit or pull request at GitHub. It makes the link from the URL of the job's page. It
// returns nil if the job did not run at GitHub.
func atGitHub(ci *store.CI, kind, name string) g.Node {
	u := jobPage(ci)
	if u == nil || ci.Provider != "github" {
		return nil
	}
	repo, _, found := strings.Cut(u.Path, "/actions/runs/")
	if !found {
		return nil
	}
	return outside(&url.URL{Scheme: u.Scheme, Host: u.Host, Path: repo + "/" + kind + "/" + name})
}

// outside returns a link to a page of another host. The text names the host, because the URL comes from the job and
// may lead anywhere.
func outside(u *url.URL) g.Node {
	return g.Group{g.Text(" "), h.A(h.Href(u.String()), h.Rel("noopener noreferrer nofollow"), g.Text("at "+u.Host))}
}

// machine adds the machine on which a run was executed.
func (l *factList) machine(w query.Where) {
	var parts []string
	for _, part := range []string{w.Hostname, strings.TrimSpace(w.Platform + " " + w.Arch)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) > 0 {
		l.add("Machine", g.Text(strings.Join(parts, ", ")))
	}
}

// causes lists the changes that may have caused the errors, the most likely one first.
func (p runPage) causes() g.Node {
	if len(p.Suspects) == 0 {
		return nil
	}
	return g.Group{h.H2(g.Text("What may have caused it")), h.Ul(g.Map(p.Suspects, func(s query.Suspect) g.Node {
		return h.Li(g.If(s.Commit != "", g.Group{code(short(s.Commit)), g.Text(" ")}),
			g.If(s.Node != "", g.Group{code(s.Node), g.Text(" ")}), g.Text(s.Message),
			h.Small(g.Text(" "+s.Why)))
	}))}
}
