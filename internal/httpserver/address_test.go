package httpserver_test

import (
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/blq-ci/blq/internal/httpserver"
)

func TestClientAddress(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for _, tt := range []struct {
		remote string
		hops   []string
		want   string
	}{
		{"1.2.3.4:5", nil, "1.2.3.4"},
		{"1.2.3.4:5", []string{"9.9.9.9"}, "1.2.3.4"}, // anybody can write the header
		{"10.1.1.1:5", []string{"9.9.9.9"}, "9.9.9.9"},
		{"10.1.1.1:5", []string{"8.8.8.8, 9.9.9.9"}, "9.9.9.9"},
		{"10.1.1.1:5", []string{"8.8.8.8, 9.9.9.9, 10.2.2.2"}, "9.9.9.9"},
		{"10.1.1.1:5", []string{"8.8.8.8", "9.9.9.9"}, "9.9.9.9"},
		{"10.1.1.1:5", []string{"nonsense"}, "10.1.1.1"},
		{"10.1.1.1:5", []string{"9.9.9.9:1234"}, "9.9.9.9"},
		{"10.1.1.1:5", nil, "10.1.1.1"},
		{"[2001:db8:1:2:3:4:5:6]:7", nil, "2001:db8:1:2::/64"},
		{"[::1]:7", []string{"2001:db8:1:2::9"}, "2001:db8:1:2::/64"},
		{"[::ffff:1.2.3.4]:7", nil, "1.2.3.4"},
		{"[fe80::1%eth0]:7", nil, "fe80::/64"},
		{"@", nil, "unknown"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.RemoteAddr = tt.remote
		for _, h := range tt.hops {
			r.Header.Add("X-Forwarded-For", h)
		}
		if got := httpserver.ClientAddress(trusted)(r); got != tt.want {
			t.Errorf("%s through %q: %s, want %s", tt.remote, tt.hops, got, tt.want)
		}
	}
}
