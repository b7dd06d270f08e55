package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestUsageShowsSharesOfQuotas(t *testing.T) {
	t.Parallel()
	env := []string{"BLQ_DATA=" + t.TempDir(), "BLQ_QUOTAS=ACME runs=4 mb=0\nacme/shop mb=1"}
	p := serve(t, env)
	for n, repo := range []string{"acme/shop", "Acme/web", "other/x", ""} {
		id := strings.Replace(anAttempt, "0001", "000"+string(rune('1'+n)), 1)
		if status, text := p.start(id, repo, "build"); status != 201 {
			t.Fatal(status, text)
		}
	}
	out, err := command(t.Context(), env, "usage", "--json", "--owner", "Acme").CombinedOutput()
	check(t, err)
	var lines []usageLine
	check(t, json.Unmarshal(out, &lines))
	var got []string
	for _, l := range lines {
		got = append(got, l.Owner+" "+l.Repo)
		if l.Bytes < store.RunRow || l.Repo == "" && l.Bytes != lines[1].Bytes+lines[2].Bytes {
			t.Errorf("%+v", l)
		}
	}
	if diff := cmp.Diff([]string{"acme ", "acme Acme/web", "acme acme/shop"}, got); diff != "" {
		t.Fatal(diff)
	}
	if o := lines[0]; o.Runs != 2 || o.Quota.DayRuns != 4 || o.Quota.Bytes != 0 || o.Share.Bytes != 0 {
		t.Errorf("of the owner: %+v", o)
	}
	if r := lines[2]; r.Quota.Bytes != 1<<20 || r.Share.Bytes != float64(r.Bytes)/(1<<20) ||
		r.Quota.DayRuns != defaultQuotas().RepoRuns {
		t.Errorf("of a repository: %+v", r)
	}
	out, err = command(t.Context(), env, "usage").CombinedOutput()
	check(t, err)
	text := string(out)
	for _, want := range []string{
		"acme ", "  acme/shop  ", "0.0 MB (0%)", "2 (50%)", "  Acme/web", "other", "  other/x", "\n(none) ",
		"\n  (none) ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
}

func TestMetricsShowHowMuchOfTheQuotasIsUsed(t *testing.T) {
	t.Parallel()
	b := newBounded(t, func(*limits) {})
	b.start(anAttempt, "acme/shop", "build")
	text := b.metrics()
	for _, want := range []string{
		"blq_stored_runs 1\n", "blq_stored_events 0\n", "blq_stored_bytes ", `blq_owner_stored_bytes{owner="acme"} `,
		`blq_quota_used_ratio{of="owner",quota="runs"} 1e-06`, `blq_quota_used_ratio{of="repo",quota="storage"} `,
		`blq_quota_used_ratio{of="repo",quota="events"} 0`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	lint(t, text)
}
