package mcp

import (
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type cancelIn struct {
	Ref string `json:"ref" jsonschema:"run, such as build:5"`
}

var cancelTool = newTool(spec{
	name:        "cancel",
	description: "End a running run that this server started.",
}, func(c *call, in cancelIn) (doneOut, error) {
	r, err := c.Asker.Await(c, in.Ref, 0, nil)
	if err != nil {
		return doneOut{}, err
	}
	ref := r.Ref().String()
	how := store.NewCall("info", "tells how it went", "ref", ref)
	if r.State != store.StateRunning {
		return doneOut{}, store.Next(store.Errorf(store.Conflict, "%s has ended: %s", ref, r.Status()), how)
	}
	if err := c.registry().Cancel(c, r.Attempt); store.CodeOf(err) == store.NotFound {
		return doneOut{}, store.Next(store.Errorf(store.Forbidden,
			"%s was not started by this server, so only who started it can end it", ref), how)
	} else if err != nil {
		return doneOut{}, err
	}
	ended, err := c.Asker.Info(c, query.InfoParams{Ref: r.Attempt})
	if err != nil {
		return doneOut{}, err
	}
	if ended.Status != store.StatusCancelled { // the run ended before it could be cancelled
		return doneOut{true, ref + " has ended by itself: " + string(ended.Status)}, nil
	}
	return doneOut{true, "Cancelled " + ref}, nil
})
