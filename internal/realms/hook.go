package realms

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/blq-ci/blq/internal/hook"
	"github.com/blq-ci/blq/store"
)

// Hook posts notifications about contracts, through jobs of the queue.
type Hook struct {
	Store  store.Notifications
	Sender *hook.Sender // nil for no receiver
	Put    func(context.Context, ...store.Work) (int, error)
	Now    func() time.Time
}

// KindPost is the kind of the jobs in the queue.
const KindPost = "contract"

// posting is the wait before a promised notification is posted. Within this time, the notification should be stored.
const posting = time.Second

// lateness is the max time until a promised notification is stored. If it is not stored by then, the promise was for a
// repeated notification.
const lateness = time.Minute

// promise queues notifications that are about to be stored, so that no notification is lost in a crash of the service.
// The jobs belong to the repository whose commit is announced, even if the commit changes contracts of other members.
// So if the owner of one member has no room for jobs, the commits of other members are still announced.
func (h *Hook) promise(ctx context.Context, repo string, told []store.Told) error {
	if h == nil || h.Sender == nil || len(told) == 0 {
		return nil
	}
	var jobs []store.Work
	for _, t := range told {
		text, err := json.Marshal(hookBody{ID: t.ID, Notification: t.Notification,
			CreatedAt: t.CreatedAt.UTC().Format(time.RFC3339), Repositories: t.To})
		if err != nil {
			return err
		}
		jobs = append(jobs, store.Work{Kind: KindPost, Key: KindPost + ":" + t.ID, Repo: repo, Body: text,
			DueAt: h.Now().Add(posting)})
	}
	_, err := h.Put(ctx, jobs...)
	return err
}

// hookBody is the JSON of a notification.
type hookBody struct {
	ID string `json:"id"`
	store.Notification
	CreatedAt    string   `json:"created_at"`
	Repositories []string `json:"repositories"`
}

// Post posts the notification of a job if the notification was stored. A repeated notification is neither stored nor
// posted.
func (h *Hook) Post(ctx context.Context, w store.Work) ([]store.Work, error) {
	var body hookBody
	if err := json.Unmarshal(w.Body, &body); err != nil {
		return nil, store.Errorf(store.Invalid, "the body of the job cannot be read: %w", err)
	}
	if len(body.Repositories) == 0 {
		return nil, store.Errorf(store.Invalid, "the notification %s is for no repository", body.ID)
	}
	if h.Sender == nil {
		return nil, nil // the receiver was removed from the configuration
	}
	to := body.Repositories[0]
	list, err := h.Store.Notifications(ctx, store.Repos(to), to, "")
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(list, func(n store.Notification) bool { return n.ID == body.ID }) {
		if h.Now().Sub(w.CreatedAt) < lateness {
			return nil, store.Later(store.Errorf(store.Unavailable, "the notification is not stored yet"), lateness/4)
		}
		return nil, nil
	}
	return nil, h.Sender.Send(ctx, "contract", body.ID, w.Body)
}
