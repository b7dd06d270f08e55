package httpserver

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// ClientAddress returns a function that returns the origin of a request, for limits. The origin is an IPv4 address, or
// the /64 network of an IPv6 address. For a request through trusted proxies, the origin is the last address in
// X-Forwarded-For that is not a trusted proxy, because anybody can forge the addresses before it.
func ClientAddress(trusted []netip.Prefix) func(*http.Request) string {
	isProxy := func(a netip.Addr) bool {
		for _, p := range trusted {
			if p.Contains(a) {
				return true
			}
		}
		return false
	}
	return func(r *http.Request) string {
		at := addressOf(r.RemoteAddr)
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for i := len(hops) - 1; i >= 0 && at.IsValid() && isProxy(at); i-- {
			next := addressOf(strings.TrimSpace(hops[i]))
			if !next.IsValid() {
				break
			}
			at = next
		}
		return network(at)
	}
}

// addressOf parses an address with or without a port.
func addressOf(s string) netip.Addr {
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	a, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}

func network(a netip.Addr) string {
	switch {
	case !a.IsValid():
		return "unknown"
	case a.Is6():
		p, _ := a.Prefix(64)
		return p.String()
	}
	return a.String()
}

// NetworkOf returns the network of a connection's remote end, in the form of ClientAddress.
func NetworkOf(c net.Conn) string { return network(addressOf(c.RemoteAddr().String())) }
