package main

import (
	"net"
	"net/netip"
	"strings"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/web"
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

// runURL returns the public URL of a run. It returns "" if there is no public address.
func (c *Config) runURL(r store.Run) string {
	return c.pageURL(r.Ref(), "")
}

// remoteFlag returns the flag with which commands ask the service. Without a public address, the flag
// has no value, so that the commands ask the server in BLQ_SERVER.
func (c *Config) remoteFlag() string {
	if c.PublicURL == "" {
		return "--remote"
	}
	return "--remote=" + strings.TrimRight(c.PublicURL, "/")
}

// pageURL returns the public URL of the page about a run, an event, or lines of a log's stream. It returns "" if there
// is no public address.
func (c *Config) pageURL(ref store.Ref, stream string) string {
	if c.PublicURL == "" {
		return ""
	}
	return strings.TrimRight(c.PublicURL, "/") + pagesPath + web.PathOf(ref, stream)
}

// pastURL returns the public URL of the page about the history of a fingerprint. It returns "" if there is no public
// address, or if the fingerprint is not valid.
func (c *Config) pastURL(repo, fingerprint string) string {
	path := web.PathOfFingerprint(repo, fingerprint)
	if c.PublicURL == "" || path == "" {
		return ""
	}
	return strings.TrimRight(c.PublicURL, "/") + pagesPath + path
}
