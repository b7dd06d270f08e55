package web_test

import (
	"testing"

	"github.com/blq-ci/blq/web"
)

func TestDurations(t *testing.T) {
	t.Parallel()
	for s, want := range map[float64]string{
		0: "0 s", 0.00001: "0.00001 s", 0.0123: "0.012 s", 1: "1 s", 9.94: "9.9 s", 9.96: "10 s", 59.4: "59 s", 59.7: "1m",
		60: "1m", 70: "1m10s", 90.4: "1m30s", 600: "10m", 3600: "1h", 3605: "1h0m5s", 4200: "1h10m", 36000: "10h",
		100 * 3600: "100h",
	} {
		if got := web.Seconds(s); got != want {
			t.Errorf("%v seconds are shown as %q, want %q", s, got, want)
		}
	}
}

func TestStripsInWords(t *testing.T) {
	t.Parallel()
	for want, words := range map[string][]string{
		"": nil, "b:1: there": {"there"}, "b:1 to b:3: there": {"there", "there", "there"},
		"b:1: fail; b:2 to b:3: ok; b:4: fail": {"fail", "ok", "ok", "fail"},
	} {
		if got := web.InWords(words...); got != want {
			t.Errorf("%v: %q, not %q", words, got, want)
		}
	}
}
