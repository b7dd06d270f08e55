package main

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/blq-ci/blq/store"
)

// usages collects metrics about stored data and used quotas. The values are about all replicas together. If the
// database does not answer, these metrics are missing.
type usages struct {
	store  store.Meter
	quotas store.Quotas
	now    func() time.Time

	mu   sync.Mutex
	read time.Time
	list []store.Usage
}

// usagesFor is the time for which usages are reused after they have been read.
const usagesFor = 30 * time.Second

// shownOwners is the max number of owners with metrics of their own. They are the owners that store the most data.
const shownOwners = 50

var (
	storedRuns   = prometheus.NewDesc("blq_stored_runs", "Stored runs.", nil, nil)
	storedEvents = prometheus.NewDesc("blq_stored_events", "Stored events.", nil, nil)
	storedBytes  = prometheus.NewDesc("blq_stored_bytes", "Bytes of stored logs, texts and rows, roughly.", nil, nil)
	ownerBytes   = prometheus.NewDesc("blq_owner_stored_bytes",
		"Bytes that the repositories of an owner store, for the owners that store most.", []string{"owner"}, nil)
	quotaRatio = prometheus.NewDesc("blq_quota_used_ratio",
		"The highest part of a quota that a repository or an owner has used up; 1 is all of it.",
		[]string{"of", "quota"}, nil)
)

// Describe implements prometheus.Collector.
func (u *usages) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{storedRuns, storedEvents, storedBytes, ownerBytes, quotaRatio} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (u *usages) Collect(ch chan<- prometheus.Metric) {
	list, err := u.recent()
	if err != nil {
		return // the metric blq_ready shows that the database cannot be used
	}
	var all store.Usage
	var owners []store.Usage
	shares := map[[2]string]float64{}
	for _, v := range list {
		of := "repo"
		if v.IsOwner() {
			of = "owner"
			owners = append(owners, v)
			all.Runs, all.Events, all.Bytes = all.Runs+v.Runs, all.Events+v.Events, all.Bytes+v.Bytes
		}
		bytes, runs, events := u.quotas.Of(v).Shares(v)
		for quota, share := range map[string]float64{"storage": bytes, "runs": runs, "events": events} {
			shares[[2]string{of, quota}] = max(shares[[2]string{of, quota}], share)
		}
	}
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(storedRuns, float64(all.Runs))
	gauge(storedEvents, float64(all.Events))
	gauge(storedBytes, float64(all.Bytes))
	for labels, share := range shares {
		gauge(quotaRatio, share, labels[:]...)
	}
	slices.SortFunc(owners, func(a, b store.Usage) int {
		return cmp.Or(-cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Owner, b.Owner))
	})
	for _, v := range owners[:min(len(owners), shownOwners)] {
		gauge(ownerBytes, float64(v.Bytes), v.Owner)
	}
}

// recent returns usages that were read at most usagesFor ago.
func (u *usages) recent() ([]store.Usage, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.now().Sub(u.read) < usagesFor {
		return u.list, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), liveTimeout)
	defer cancel()
	list, err := u.store.Usages(ctx)
	if err == nil {
		u.list, u.read = list, u.now()
	}
	return list, err
}
