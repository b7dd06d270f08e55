package main

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oasdiff/yaml"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/maintenance"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
)

// pooled is a store with a connection pool.
type pooled struct{}

func (pooled) Stats() postgres.Stats { return postgres.Stats{} }

// exported returns the metrics of the service with their labels.
func exported(t *testing.T) map[string][]string {
	t.Helper()
	m := newMetrics()
	m.Request("/mcp", "GET", 500, 0, 0, 0)
	m.called("status", "ok", 0)
	m.Lag(ingest.KindRun, 0)
	m.Received(ingest.KindRun, 1, 1)
	m.bounds(defaultLimits())
	m.ready.WithLabelValues("database")
	m.kept(maintenance.Round{Task: "orphan"})
	m.pool(pooled{})
	m.share(fair.NewShare(1))
	m.registry.MustRegister(described{live{}},
		&usages{now: time.Now, read: time.Now(), quotas: store.Quotas{Repo: store.Quota{Runs: 1}},
			list: []store.Usage{{Owner: "acme", Repo: store.AllRepos}, {Owner: "acme", Repo: "acme/shop"}}})
	families, err := m.registry.Gather()
	check(t, err)
	names := map[string][]string{}
	for _, f := range families {
		labels := []string{"job", "instance"}
		for _, metric := range f.GetMetric() {
			for _, l := range metric.GetLabel() {
				labels = append(labels, l.GetName())
			}
			if metric.GetHistogram() != nil {
				labels = append(labels, "le")
			}
		}
		names[f.GetName()] = labels
	}
	return names
}

var (
	metricName = regexp.MustCompile(`\b(blq|process|go)_[a-z_]+\b`)
	labelList  = regexp.MustCompile(`\b(?:by|ignoring) \(([^)]*)\)|\{([a-z_]+)[=!]|\{\{([a-z_]+)\}\}`)
)

// checkExpression checks that an expression names only exported metrics. The expression and the legend of its lines may
// name only labels of these metrics.
func checkExpression(t *testing.T, where, expression, legend string, metrics map[string][]string) {
	t.Helper()
	var labels []string
	names := metricName.FindAllString(expression, -1)
	for _, name := range names {
		base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		if metrics[name] == nil && metrics[base] == nil {
			t.Errorf("%s: blqd has no metric %s", where, name)
		}
		labels = slices.Concat(labels, metrics[name], metrics[base])
	}
	if len(names) == 0 {
		t.Errorf("%s names no metric", where)
	}
	for _, m := range labelList.FindAllStringSubmatch(expression+" "+legend, -1) {
		for label := range strings.SplitSeq(m[1]+m[2]+m[3], ",") {
			if label = strings.TrimSpace(label); !slices.Contains(labels, label) {
				t.Errorf("%s: its metrics have no label %q", where, label)
			}
		}
	}
}

func TestTheDashboardShowsMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/monitoring/dashboard.json")
	check(t, err)
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	check(t, json.Unmarshal(text, &board))
	metrics, shown := exported(t), 0
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			shown++
			checkExpression(t, "panel "+p.Title, target.Expr, target.LegendFormat, metrics)
		}
	}
	if shown < 20 {
		t.Errorf("the dashboard has %d expressions", shown)
	}
}

// The expressions of the alerts are equal to those in docs/service.md, and use only metrics of the service.
func TestAlertsAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/monitoring/alerts.yaml")
	check(t, err)
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr, For string
				Labels           map[string]string
				Annotations      map[string]string
			}
		}
	}
	_, err = yaml.Unmarshal(text, &file, yaml.DecodeOpts{})
	check(t, err)
	metrics, rules := exported(t), map[string]bool{}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			rules[r.Expr] = true
			checkExpression(t, r.Alert, r.Expr, "", metrics)
			if _, err := time.ParseDuration(r.For); err != nil || r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
				t.Errorf("%s: for %q, labels %v, annotations %v", r.Alert, r.For, r.Labels, r.Annotations)
			}
		}
	}
	doc, err := os.ReadFile("../../docs/service.md")
	check(t, err)
	_, table, _ := strings.Cut(string(doc), "| alert | means |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	listed := map[string]bool{}
	for line := range strings.Lines(table) {
		_, rest, _ := strings.Cut(line, "| `")
		expression, _, _ := strings.Cut(rest, "` |")
		listed[strings.ReplaceAll(expression, `\|`, "|")] = true
	}
	if !maps.Equal(rules, listed) {
		t.Errorf("rules %q\ndocument %q", slices.Sorted(maps.Keys(rules)), slices.Sorted(maps.Keys(listed)))
	}
}
