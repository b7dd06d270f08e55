package githubtest

import (
	"net/http"
	"slices"
)

// Check is a check run.
type Check struct {
	ID                                        int64
	Name, HeadSHA, Status, Conclusion, Author string
	Title, Summary                            string
}

// Checks returns the check runs of a repository.
func (g *GitHub) Checks(repo string) []Check {
	var list []Check
	g.change(repo, func(r *repository) {
		for _, c := range r.checks {
			list = append(list, *c)
		}
	})
	return list
}

// readCheck updates a check by the body of the request.
func (c *call) readCheck(k *Check) bool {
	sent := struct {
		Name       *string
		HeadSHA    *string `json:"head_sha"`
		Status     *string
		Conclusion *string
		Output     struct{ Title, Summary *string }
	}{&k.Name, &k.HeadSHA, &k.Status, &k.Conclusion, struct{ Title, Summary *string }{&k.Title, &k.Summary}}
	c.read(&sent)
	if k.Status == "completed" && k.Conclusion == "" || len(k.Summary) > 65_535 {
		c.refuse(http.StatusUnprocessableEntity, "Invalid request")
		return false
	}
	return true
}

func (c *call) describeCheck(r *repository, k *Check) object {
	return object{
		"id": k.ID, "name": k.Name, "head_sha": k.HeadSHA, "status": k.Status, "conclusion": orNull(k.Conclusion), "html_url": c.g.address("/%s/runs/%d", r.name, k.ID),
		"output": object{"title": k.Title, "summary": k.Summary, "text": nil},
	}
}

func (c *call) addCheck(r *repository) {
	k := &Check{ID: c.g.nextID(), Author: c.who.login}
	if c.readCheck(k) {
		r.checks = append(r.checks, k)
		c.say(http.StatusCreated, c.describeCheck(r, k))
	}
}

func (c *call) editCheck(r *repository) {
	at := slices.IndexFunc(r.checks, func(k *Check) bool { return k.ID == c.number("id") })
	if at < 0 {
		c.notFound()
		return
	}
	if c.readCheck(r.checks[at]) {
		c.say(http.StatusOK, c.describeCheck(r, r.checks[at]))
	}
}
