package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestTheDocumentHasEverySettingAndMetric(t *testing.T) {
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
	m := newMetrics()
	m.Request("/mcp", "GET", 500, 0, 0, 0)
	m.Limited("requests")
	families, err := m.registry.Gather()
	check(t, err)
	for _, f := range families {
		name := f.GetName()
		if strings.HasPrefix(name, "blq_") && !strings.Contains(doc, name) && !slices.Contains([]string{"blq_build_info", "blq_http_received_bytes_total", "blq_http_sent_bytes_total"}, name) {
			t.Errorf("docs/service.md does not say what %s is", name)
		}
	}
}
