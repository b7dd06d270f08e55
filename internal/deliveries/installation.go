package deliveries

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/store"
)

// enrolWork is the body of a job that enrols a repository.
type enrolWork struct {
	place
	Name string `json:"name"`
}

// installed returns jobs that enrol the repositories on which the app was installed. It withdraws the repositories from
// which the app was removed, or for which the installation was suspended.
func (d *Deliveries) installed(ctx context.Context, del payload.Delivery) ([]store.Work, error) {
	p := del.Payload
	added, removed := p.Added, p.Removed
	if del.Event == "installation" {
		switch p.Action {
		case "deleted", "suspend":
			removed = p.Repositories
		case "created", "unsuspend", "new_permissions_accepted":
			added = p.Repositories
		}
	}
	for _, r := range removed {
		if err := d.withdraw(ctx, del.Host, r); err != nil {
			return nil, err
		}
	}
	var list []store.Work
	for _, r := range added {
		at := place{Host: del.Host, RepoID: r.ID}
		if p.Installation != nil {
			at.Installation = p.Installation.ID
		}
		w, err := work(kindEnrol, fmt.Sprintf("%s@%s", at, del.ID), r.FullName, enrolWork{at, r.FullName})
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, nil
}

func (d *Deliveries) withdraw(ctx context.Context, host string, r payload.Repository) error {
	d.App.Forget(r.FullName)
	err := d.Directory.WithdrawRepo(ctx, host, r.ID)
	if store.CodeOf(err) == store.NotFound {
		return nil
	}
	return err
}

// enrol enrols a repository with its current facts from GitHub. GitHub has to confirm the repository's ID, because a
// name may pass to another repository.
func (d *Deliveries) enrol(ctx context.Context, _ store.Work, body enrolWork) ([]store.Work, error) {
	client, err := d.App.For(ctx, body.Installation)
	if err != nil {
		return nil, err
	}
	r, err := client.Repo(ctx, body.Name)
	if store.CodeOf(err) == store.NotFound || err == nil && r.ID != body.RepoID {
		d.Log.WarnContext(ctx, "repository is not enrolled: it is not there any more", "repo", body.Name)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_, err = d.Directory.EnrolRepo(ctx, store.EnrolledRepo{Host: body.Host, ID: r.ID, Name: r.Name,
		DefaultBranch: r.DefaultBranch, Public: !r.Private, EnrolledAt: d.Now()})
	return nil, err
}
