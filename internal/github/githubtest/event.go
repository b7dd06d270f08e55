package githubtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
)

// Delivery is a request to a webhook.
type Delivery struct {
	ID, Event string
	Body      []byte
}

// Header returns the headers of a delivery, signed with a secret.
func (d Delivery) Header(secret string) http.Header {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(d.Body)
	return http.Header{"Content-Type": {"application/json"}, "X-Github-Event": {d.Event}, "X-Github-Delivery": {d.ID},
		"X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(mac.Sum(nil))}}
}

// delivery returns the delivery of an event. It adds the action, a sender and the installation to the event's body.
func (g *GitHub) delivery(id, event, action string, installation int64, body object) Delivery {
	body["action"], body["sender"] = action, person("octocat")
	if _, ok := body["installation"]; !ok {
		body["installation"] = object{"id": installation}
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // cannot fail
	}
	return Delivery{id, event, text}
}

// JobEnded returns the delivery that reports the end of a job.
func (g *GitHub) JobEnded(id string, installation int64, repo string, job int64) (d Delivery) {
	g.change(repo, func(r *repository) {
		for _, run := range r.runs {
			for _, j := range run.Jobs {
				if j.ID == job {
					d = g.delivery(id, "workflow_job", "completed", installation,
						object{"workflow_job": g.describeJob(r, run, j), "repository": r.describe(nil)})
				}
			}
		}
	})
	return d
}

// RunEnded returns the delivery that reports the end of a workflow run.
func (g *GitHub) RunEnded(id string, installation int64, repo string, run int64) (d Delivery) {
	g.change(repo, func(r *repository) {
		for _, of := range r.runs {
			if of.ID == run {
				d = g.delivery(id, "workflow_run", "completed", installation,
					object{"workflow_run": g.describeRun(r, of), "repository": r.describe(nil)})
			}
		}
	})
	return d
}

// Installed returns the delivery that reports a created or deleted installation.
func (g *GitHub) Installed(id, action string, installation int64, account string, repos ...string) Delivery {
	g.lock.Lock()
	defer g.lock.Unlock()
	list := []object{}
	for _, name := range repos {
		list = append(list, object{"id": g.repos[name].id, "full_name": name, "private": !g.repos[name].public})
	}
	return g.delivery(id, "installation", action, installation, object{"repositories": list,
		"installation": object{"id": installation, "account": person(account)}})
}
