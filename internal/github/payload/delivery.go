package payload

// Delivery is the body that GitHub sends to a webhook.
type Delivery struct {
	ID      string `json:"id"`    // the same when it comes again
	Event   string `json:"event"` // workflow_job, …
	Host    string `json:"host"`  // of the repositories
	Payload Event  `json:"payload"`
}

// NeedsWork reports whether a delivery leads to work beyond a look at its repository's name.
func (d Delivery) NeedsWork() bool {
	switch d.Event {
	case "workflow_job", "workflow_run":
		return d.Payload.Action == "completed"
	case "installation", "installation_repositories", "repository":
		return true
	}
	return false
}
