package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/store"
)

// described has a value for each metric of a collector.
type described struct{ live }

func (d described) Collect(ch chan<- prometheus.Metric) {
	for _, desc := range []*prometheus.Desc{running, newest, partition} {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, 0)
	}
}

func TestTheDocumentHasEverySettingAndMetric(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/service.md")
	check(t, err)
	doc := string(text)
	for _, s := range slices.Concat(placeSettings, serveSettings) {
		flag := "`--" + s.name + "`"
		if s.secret {
			flag = "none"
		}
		if !strings.Contains(doc, "| `"+envName(s.name)+"` | "+flag+" | ") {
			t.Errorf("docs/service.md has no row for %s", envName(s.name))
		}
	}
	for limit, code := range ingest.LimitCodes() {
		if !strings.Contains(doc, "| `"+limit+"` | ") || !strings.Contains(doc, " `"+string(code)+"` | ") {
			t.Errorf("docs/service.md has no row for limit %s with code %s", limit, code)
		}
	}
	m := newMetrics()
	m.Request("/mcp", "GET", 500, 0, 0, 0)
	m.called("status", "ok", 0)
	m.Lag(ingest.KindRun, 0)
	m.bounds(defaultLimits())
	m.registry.MustRegister(described{live{}},
		&usages{now: time.Now, read: time.Now(), list: []store.Usage{{Owner: "acme", Repo: store.AllRepos}}})
	families, err := m.registry.Gather()
	check(t, err)
	for _, f := range families {
		name := f.GetName()
		if strings.HasPrefix(name, "blq_") && !strings.Contains(doc, name) {
			t.Errorf("docs/service.md does not say what %s is", name)
		}
	}
}
