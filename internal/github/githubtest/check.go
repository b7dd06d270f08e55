package githubtest

import (
	"net/http"
	"slices"
)

// Check is a check run.
type Check struct {
	ID          int64
	Name        string
	SHA         string
	Status      string
	Conclusion  string
	ExternalID  string
	DetailsURL  string
	Title       string
	Summary     string
	App         string // app that made the check run
	Annotations []Annotation
}

// Annotation is a message at lines of a file.
type Annotation struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Level     string `json:"annotation_level"`
	Title     string `json:"title"`
	Message   string `json:"message"`
	Details   string `json:"raw_details"`
}

// Checks returns the check runs of a repository, oldest first.
func (g *GitHub) Checks(repo string) []Check {
	var list []Check
	g.change(repo, func(r *repository) {
		for _, c := range r.checks {
			list = append(list, *c)
		}
	})
	return list
}

// Annotate adds a check run for a job, with annotations.
func (g *GitHub) Annotate(repo string, job int64, list ...Annotation) {
	g.change(repo, func(r *repository) {
		r.checks = append(r.checks, &Check{ID: job, Name: "job", App: "github-actions", Annotations: list})
	})
}

// sentCheck is the body of requests about a check run.
type sentCheck struct {
	Name       string
	HeadSHA    string `json:"head_sha"`
	Status     string
	Conclusion string
	ExternalID string `json:"external_id"`
	DetailsURL string `json:"details_url"`
	Output     struct {
		Title, Summary string
		Annotations    []Annotation
	}
}

func (s sentCheck) change(k *Check) {
	k.Status, k.Conclusion, k.Title, k.Summary = s.Status, s.Conclusion, s.Output.Title, s.Output.Summary
	k.ExternalID, k.DetailsURL = s.ExternalID, s.DetailsURL
	k.Annotations = append(k.Annotations, s.Output.Annotations...)
}

func (c *call) addCheck(r *repository) {
	var sent sentCheck
	c.read(&sent)
	k := &Check{ID: c.g.nextID(), Name: sent.Name, SHA: sent.HeadSHA, App: c.who.login}
	sent.change(k)
	r.checks = append(r.checks, k)
	c.say(http.StatusCreated, c.describeCheck(r, k))
}

func (c *call) editCheck(r *repository) {
	at := slices.IndexFunc(r.checks, func(k *Check) bool { return k.ID == c.number("id") })
	switch {
	case at < 0:
		c.notFound()
		return
	case r.checks[at].App != c.who.login:
		c.refuse(http.StatusForbidden, "Invalid app_id `1` - check run can only be modified by the GitHub "+
			"App that created it.")
		return
	}
	var sent sentCheck
	c.read(&sent)
	sent.change(r.checks[at])
	c.say(http.StatusOK, c.describeCheck(r, r.checks[at]))
}

func (c *call) checksOf(r *repository) {
	list := []object{}
	for _, k := range r.checks {
		if name := c.URL.Query().Get("check_name"); k.SHA == c.PathValue("ref") && (name == "" || name == k.Name) {
			list = append(list, c.describeCheck(r, k))
		}
	}
	c.say(http.StatusOK, object{"total_count": len(list), "check_runs": list})
}

func (c *call) annotations(r *repository) {
	for _, k := range r.checks {
		if k.ID != c.number("id") {
			continue
		}
		list := []object{}
		for _, a := range page(c, k.Annotations) {
			list = append(list, object{"path": a.Path, "start_line": a.StartLine, "end_line": a.EndLine,
				"annotation_level": a.Level, "title": a.Title, "message": a.Message, "blob_href": c.g.address("")})
		}
		c.say(http.StatusOK, list)
		return
	}
	c.notFound()
}

func (c *call) describeCheck(r *repository, k *Check) object {
	return object{
		"id": k.ID, "name": k.Name, "head_sha": k.SHA, "status": k.Status, "conclusion": orNull(k.Conclusion),
		"external_id": k.ExternalID, "app": object{"id": idOf(k.App), "slug": k.App, "name": k.App},
		"output": object{"title": k.Title, "summary": k.Summary, "annotations_count": len(k.Annotations)},
		"url":    c.g.address("/repos/%s/check-runs/%d", r.name, k.ID),
	}
}
