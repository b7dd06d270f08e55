package realms

import (
	"context"
	"encoding/json"
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

// postDelay is the min time between queueing and posting a notification. The notification is usually stored in this
// time.
const postDelay = time.Second

// storeTimeout is the max time between queueing and storing a notification. A notification that is not stored by then
// is never posted. Such a notification repeats a stored one, or the service crashed before storing it.
const storeTimeout = time.Minute

// enqueue queues a job for each notification before the notification is stored. So a crash of the service does not
// lose a stored notification. The jobs belong to the repository whose commit is announced, even if the commit changes
// contracts of other members. So if the queue of one owner is full, the commits of other owners are still announced.
func (h *Hook) enqueue(ctx context.Context, repo string, told []store.Told) error {
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
			DueAt: h.Now().Add(postDelay)})
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
	stored, err := h.Store.Notified(ctx, body.Repositories[0], body.ID)
	if err != nil {
		return nil, err
	}
	if !stored {
		if h.Now().Sub(w.CreatedAt) < storeTimeout {
			return nil, store.Later(store.Errorf(store.Unavailable, "the notification is not stored yet"), storeTimeout/4)
		}
		return nil, nil
	}
	return nil, h.Sender.Send(ctx, "contract", body.ID, w.Body)
}
