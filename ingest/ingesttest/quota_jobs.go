package ingesttest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/store"
)

// withJobs starts a service with quotas and a queue for deliveries.
func (f *fixture) withJobs(q store.Quotas) {
	f.serve(func(c *ingest.Config) {
		c.Quotas, c.WebhookSecrets = q, secrets()
		c.Deliver = func(ctx context.Context, d payload.Delivery) error {
			body, err := json.Marshal(d)
			if err != nil {
				return err
			}
			_, err = f.store.(store.Queue).PutWork(ctx, f.now,
				store.Work{Kind: "delivery", Key: d.ID, Repo: d.Payload.Repository.FullName, Body: body})
			return err
		}
	})
}

// ofAccount returns a payload about an installation, with repositories.
func ofAccount(login string, repos int) string {
	var list []string
	for i := range repos {
		list = append(list, fmt.Sprintf(`{"id":%d,"full_name":"o/%s%d"}`, i, strings.Repeat("n", 90), i))
	}
	return fmt.Sprintf(`{"action":"created","installation":{"id":1,"account":{"login":%q}},"repositories":[%s]}`, login,
		strings.Join(list, ","))
}

var jobQuotaTests = map[string]func(f *fixture){
	"deliveries of an owner, until its storage is used up": func(f *fixture) {
		f.withJobs(store.Quotas{Owner: store.Quota{Bytes: 16 << 10}})
		attempt := f.ofJob("o/a", "9", 1, "10")
		n := 0
		for ; n < 100; n++ {
			a := f.hook("workflow_job", jobPayload([]string{"o/a", "O/b"}[n%2], 1000+n, "success"))
			if a.status != 204 {
				f.is(a, 507, `"code":"insufficient_storage"`, "owner o may store 16384 bytes")
				break
			}
		}
		_, owner, err := f.store.Usage(f.Context(), "o/a")
		f.ok(err)
		if n == 0 || owner.Bytes > 17<<10 || owner.Bytes < 15<<10 {
			f.Errorf("%d deliveries were taken, the owner has %d bytes", n, owner.Bytes)
		}
		jobs, err := f.store.(store.Queue).Works(f.Context(), store.WorkFilter{})
		f.ok(err)
		f.equal(len(jobs), n)
		f.is(f.hook("workflow_job", jobPayload("p/a", 1, "success")), 204) // another owner
		f.is(f.hook("workflow_job", jobPayload("o/a", 9, "cancelled")), 507)
		f.equal(f.statuses(attempt), []store.Status{cancelled}) // the cancellation in the delivery still ends the run
	},
	"jobs beyond the quota of a full owner, a few": func(f *fixture) {
		f.start()
		_, owner, err := f.store.Usage(f.Context(), "o/a")
		f.ok(err)
		quota := owner.Bytes * 16
		f.withJobs(store.Quotas{Owner: store.Quota{Bytes: quota}})
		f.is(f.startOf("a", "o/a"), 201)
		for range 16 {
			f.startOf("a", "o/a")
		}
		f.is(f.startOf("a", "o/a"), 507)
		f.is(f.hook("workflow_job", jobPayload("o/a", 1, "success")), 204)
		f.is(f.hook("workflow_job", jobPayload("o/a", 2, "success")), 507)
	},
	"what is kept of a delivery": func(f *fixture) {
		f.withJobs(store.Quotas{})
		f.is(f.hook("installation", ofAccount("o", 20_000)), 204)
		f.is(f.hook("installation", ofAccount("o", 60_000)), 413, `"code":"too_large"`)
		f.is(f.hook("installation", ofAccount("", 1)), 204)
		for _, name := range []string{"o/" + strings.Repeat("x", 400), "o", "o /a"} {
			f.is(f.hook("workflow_job", jobPayload(name, 1, "success")), 400, "no repository and no account")
		}
		jobs, err := f.store.(store.Queue).Works(f.Context(), store.WorkFilter{})
		f.ok(err)
		f.equal(len(jobs), 1)
	},
}
