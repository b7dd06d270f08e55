package payload

// Delivery is a webhook request from GitHub.
type Delivery struct {
	ID      string `json:"id"`    // the same ID if GitHub sends the delivery again
	Event   string `json:"event"` // such as workflow_job
	Host    string `json:"host"`  // host of the repositories
	Payload Event  `json:"payload"`
}

// NeedsWork reports whether a delivery is about an ended job or workflow run, an installation, or a repository. Other
// deliveries at most update the facts of a repository.
func (d Delivery) NeedsWork() bool {
	switch d.Event {
	case "workflow_job", "workflow_run":
		return d.Payload.Action == "completed"
	case "installation", "installation_repositories", "repository":
		return true
	}
	return false
}
