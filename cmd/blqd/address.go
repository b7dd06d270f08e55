package main

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/blq-ci/blq/store"
)

// base returns the URL of the service for callers on this machine.
func (a *app) base(addr net.Addr) string {
	if a.config.PublicURL != "" {
		return a.config.PublicURL
	}
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return "http://" + addr.String()
	}
	host := at.Addr().Unmap()
	if host.IsUnspecified() {
		host = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return "http://" + netip.AddrPortFrom(host, at.Port()).String()
}

// runURL returns the public URL of a run, or "" without a public address.
func (c *Config) runURL(r store.Run) string {
	if c.PublicURL == "" {
		return ""
	}
	asWritten := strings.NewReplacer("%2F", "/", "%40", "@", "%3A", ":")
	return strings.TrimRight(c.PublicURL, "/") + "/v1/info?ref=" + asWritten.Replace(url.QueryEscape(r.Ref().String()))
}
