package githubtest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// Dispatch is a started workflow.
type Dispatch struct {
	Workflow, Ref, By string
	Inputs            map[string]string
	RunID             int64
}

// Workflow adds a workflow with inputs that can be started.
func (g *GitHub) Workflow(repo, file string, inputs ...string) {
	g.change(repo, func(r *repository) { r.workflows[file] = append([]string{}, inputs...) })
}

// OnDispatch sets a function that is called for each started workflow, before the caller gets the response. The
// function must not call the server.
func (g *GitHub) OnDispatch(do func(repo string, d Dispatch)) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.onDispatch = do
}

// Dispatches returns the started workflows in order.
func (g *GitHub) Dispatches(repo string) []Dispatch {
	var list []Dispatch
	g.change(repo, func(r *repository) { list = slices.Clone(r.dispatches) })
	return list
}

func (c *call) workflow(r *repository) {
	file := c.PathValue("workflow")
	if _, ok := r.workflows[file]; !ok {
		c.notFound()
		return
	}
	c.say(http.StatusOK, object{"id": idOf(file), "name": "CI", "path": ".github/workflows/" + file, "state": "active"})
}

func (c *call) dispatch(r *repository) {
	var sent struct {
		Ref     string
		Inputs  map[string]string
		Details bool `json:"return_run_details"`
	}
	c.read(&sent)
	file := c.PathValue("workflow")
	inputs, ok := r.workflows[file]
	if !ok {
		c.notFound()
		return
	}
	if sent.Ref != "main" && !slices.Contains(r.branches, sent.Ref) {
		c.refuse(http.StatusUnprocessableEntity, "No ref found for: "+sent.Ref)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(sent.Inputs)) {
		if !slices.Contains(inputs, name) {
			c.refuse(http.StatusUnprocessableEntity, fmt.Sprintf("Unexpected inputs provided: [%q]", name))
			return
		}
	}
	id := c.g.nextID()
	r.dispatches = append(r.dispatches, Dispatch{file, sent.Ref, c.who.login, sent.Inputs, id})
	c.g.setRun(r, Run{ID: id, Event: "workflow_dispatch", Workflow: ".github/workflows/" + file, HeadBranch: sent.Ref,
		Status: "queued"})
	if c.g.onDispatch != nil {
		c.g.onDispatch(r.name, r.dispatches[len(r.dispatches)-1])
	}
	if !sent.Details || c.g.old {
		c.say(http.StatusNoContent, nil)
		return
	}
	c.say(http.StatusOK, object{
		"workflow_run_id": id, "run_url": c.g.address("/repos/%s/actions/runs/%d", r.name, id),
		"html_url": c.g.address("/%s/actions/runs/%d", r.name, id),
	})
}
