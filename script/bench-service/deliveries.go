//go:build unix

package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// perDeliveries is the number of deliveries in a turn. blqd and the server for comparison take turns. hookSenders is
// the max number of deliveries that are sent at the same time.
const (
	perDeliveries = 2000
	hookSenders   = 16
)

const hookSecret = "bench"

// deliveries measures how fast blqd acknowledges deliveries of GitHub. The comparison is a server that writes the same
// bodies to files and calls fsync. blqd stores a delivery before it acknowledges it, and processes acknowledged
// deliveries at the same time.
func (b *bench) deliveries() (err error) {
	server, err := b.durable()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	engine, err := prepared(b.ctx, server.URL("postgres"))
	if err != nil {
		return err
	}
	if err := engine.Close(); err != nil {
		return err
	}
	fmt.Printf("### Deliveries of GitHub\n\n| engine | acknowledged a second | ms of blqd's processor each | received and " +
		"fsynced a second | ratio |\n| --- | --- | --- | --- | --- |\n")
	for name, database := range map[string]string{"SQLite": "", "PostgreSQL": server.URL("postgres")} {
		if err := b.deliveriesTo(name, database); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	fmt.Println()
	return nil
}

func (b *bench) deliveriesTo(name, database string) (err error) {
	dir := filepath.Join(b.dir, "hooks-"+name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	env := []string{"BLQ_DATABASE_URL=" + database, "BLQ_BLOBS=file://" + dir + "/blobs", "BLQ_DATA=" + dir,
		"BLQ_AUTH=required", "BLQ_GITHUB_API=", "BLQ_WEBHOOK_SECRET=" + hookSecret, "BLQ_LIMIT_REQUESTS=1000000",
		"BLQ_LIMIT_REQUESTS_BURST=1000000"}
	service, err := startChild(env, b.blqd, "serve", "--addr", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.stop()) }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bare, err := startChild(nil, self, receiverFlag, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.stop()) }()
	var sent atomic.Int64
	var worked time.Duration
	ours := func(int) error {
		before := service.processor()
		err := atOnce(hookSenders, perDeliveries, func(int) error {
			body, header := delivery(sent.Add(1))
			_, err := service.call(b.ctx, "", "POST", "/webhooks/github", body, header...)
			return err
		})
		worked += service.processor() - before
		return err
	}
	theirs := func(int) error {
		return atOnce(hookSenders, perDeliveries, func(int) error {
			body, _ := delivery(1)
			_, err := bare.call(b.ctx, "", "PUT", "/", body)
			return err
		})
	}
	mine, other, ratio, err := turns(b.rounds, ours, theirs)
	if err != nil {
		return err
	}
	fmt.Printf("| %s | %.0f | %.2f | %.0f | %.2f |\n", name, perDeliveries/mine.Seconds(),
		worked.Seconds()*1000/float64(sent.Load()), perDeliveries/other.Seconds(), ratio)
	return nil
}

// delivery returns the delivery for the end of a job, and its headers. GitHub sends many URLs and counters of the
// repository. In this delivery, a long description of the repository takes their place.
func delivery(n int64) (body []byte, header []string) {
	body = fmt.Appendf(nil, `{"action":"completed","workflow_job":{"id":%d,"run_id":%d,"run_attempt":1,"name":"build",`+
		`"head_sha":"%040x","status":"completed","conclusion":"failure","steps":[{"name":"Build","number":2,`+
		`"status":"completed","conclusion":"failure"}],"labels":["ubuntu-latest"]},"repository":{"id":1296269,`+
		`"full_name":"acme/shop","default_branch":"main","private":true,"description":%q},"installation":{"id":7}}`,
		n, n/5, n, strings.Repeat("urls and counters ", 350))
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write(body)
	return body, []string{"Content-Type", "application/json", "X-GitHub-Event", "workflow_job", "X-GitHub-Delivery",
		fmt.Sprintf("bench-%d", n), "X-Hub-Signature-256", "sha256=" + hex.EncodeToString(mac.Sum(nil))}
}
