package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/oasdiff/yaml"
)

const chart = "../../deploy/helm/blqd"

// objects returns the objects in a file, by kind.
func objects(t *testing.T, text string) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for part := range strings.SplitSeq("\n"+text, "\n---") {
		o := map[string]any{}
		if _, err := yaml.Unmarshal([]byte(part), &o, yaml.DecodeOpts{}); err != nil {
			t.Fatalf("%v:\n%s", err, part)
		}
		if kind, _ := o["kind"].(string); kind != "" {
			all[kind] = o
		}
	}
	return all
}

// at returns the value at a path in an object.
func at(o any, path ...string) any {
	for _, key := range path {
		m, _ := o.(map[string]any)
		o = m[key]
	}
	return o
}

// The chart installs objects of all kinds in the manifest, with the same pod. Its egress rules are those of
// networkpolicy.yaml.
func TestTheChartRunsWhatTheManifestRuns(t *testing.T) {
	t.Parallel()
	text, err := render(chart, []string{"testdata/least.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile("../../deploy/kubernetes/blqd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, want := objects(t, text), objects(t, string(manifest))
	for _, part := range []string{"containers", "initContainers", "volumes", "securityContext",
		"terminationGracePeriodSeconds", "automountServiceAccountToken", "serviceAccountName"} {
		path := []string{"Deployment", "spec", "template", "spec", part}
		if diff := cmp.Diff(at(tree(want), path...), at(tree(got), path...)); diff != "" {
			t.Errorf("%s (-manifest +chart):\n%s", part, diff)
		}
	}
	for kind := range want {
		if got[kind] == nil {
			t.Errorf("the chart has no %s", kind)
		}
	}
	policy, err := os.ReadFile("../../deploy/kubernetes/networkpolicy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	egress := []string{"NetworkPolicy", "spec", "egress"}
	if diff := cmp.Diff(at(tree(objects(t, string(policy))), egress...), at(tree(got), egress...)); diff != "" {
		t.Errorf("egress (-manifest +chart):\n%s", diff)
	}
}

func tree(m map[string]map[string]any) any {
	all := map[string]any{}
	for key, value := range m {
		all[key] = value
	}
	return all
}

func TestTheChartSaysWhatItNeeds(t *testing.T) {
	t.Parallel()
	if _, err := render(chart, nil); err == nil || !strings.Contains(err.Error(), "blobs is needed") {
		t.Errorf("without values: %v", err)
	}
	odd := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(odd, []byte("blobs: gs://b/l\npublicURL: https://x\ningress: { enabled: true }\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := render(chart, []string{odd}); err == nil || !strings.Contains(err.Error(), "ingress.host is needed") {
		t.Errorf("an ingress without a host: %v", err)
	}
}

func TestTheChartCanBeToldEverything(t *testing.T) {
	t.Parallel()
	text, err := render(chart, []string{"testdata/all.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	got := objects(t, text)
	for _, kind := range []string{"Ingress", "NetworkPolicy", "ServiceAccount", "PodDisruptionBudget"} {
		if got[kind] == nil {
			t.Errorf("there is no %s", kind)
		}
	}
	for _, want := range []string{"@sha256:1111", `BLQ_KEEP_DAYS: "90"`, "name: BLQ_WEBHOOK_SECRET", "name: other",
		"kubernetes.io/arch: arm64", "key: ci", "secretName: tls"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %s", want)
		}
	}
}
