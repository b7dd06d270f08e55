package source

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// Policy decides which addresses may be fetched. The zero Policy allows nothing.
type Policy struct {
	Schemes []string // http, https
	Private bool     // addresses of this machine and of private networks are allowed
	Hosts   []string // allowed hosts, and hosts below "*.example.org"; nil for all
	Ports   []int    // allowed ports, nil for all
}

// Local is the policy of a laptop. The user of a laptop may fetch everything that a browser may fetch.
func Local() Policy { return Policy{Schemes: []string{"http", "https"}, Private: true} }

// Hosted is the policy of a service that fetches for its callers. Without hosts it allows all public hosts.
func Hosted(hosts ...string) Policy {
	return Policy{Schemes: []string{"https"}, Hosts: hosts, Ports: []int{443}}
}

// Client returns an HTTP client that connects only to allowed addresses, also after redirects. It uses neither
// cookies nor proxies.
func (p Policy) Client(timeout time.Duration) *http.Client {
	d := &dialer{policy: p, resolver: net.DefaultResolver, connect: (&net.Dialer{Timeout: timeout}).DialContext}
	return &http.Client{Timeout: timeout, Transport: &http.Transport{DialContext: d.dial, TLSHandshakeTimeout: timeout,
		MaxResponseHeaderBytes: maxHeaders, DisableKeepAlives: true, DisableCompression: true},
		CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			_, err := p.Check(r.URL.String())
			return err
		}}
}

// maxURL is the max length of an address.
const maxURL = 2000

// Check parses an address, and returns the form that is fetched. The error is Forbidden if the policy allows no
// address, and Malformed if it does not allow this address.
func (p Policy) Check(address string) (*url.URL, error) {
	refuse := func(why, hint string) error {
		return store.Hint(store.Errorf(store.Malformed, "%q cannot be fetched: %s", shown(address), why), "%s", hint)
	}
	if len(p.Schemes) == 0 {
		return nil, store.Hint(store.Errorf(store.Forbidden, "this server fetches no documentation"),
			"its operator can allow that; the repository's own documentation is in the source docs")
	}
	u, err := url.Parse(address)
	allowed := strings.Join(p.Schemes, " or ")
	switch {
	case len(address) > maxURL:
		return nil, refuse("it is longer than 2,000 bytes", "give the address of a text file")
	case err != nil || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return nil, refuse("it is no URL", "write it like https://example.org/llms.txt")
	case u.User != nil:
		return nil, refuse("it has a user name or a password", "give an address that needs none")
	case !slices.Contains(p.Schemes, strings.ToLower(u.Scheme)):
		return nil, refuse("the scheme is not "+allowed, "write it like https://example.org/llms.txt")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, refuse("it names no host", "write it like https://example.org/llms.txt")
	}
	u.Scheme, u.Host, u.Fragment, u.RawFragment = strings.ToLower(u.Scheme), strings.ToLower(u.Host), "", ""
	if !isHostname(u.Hostname()) {
		return nil, refuse("its host is not written in ASCII", "write the name of the host as DNS has it: xn--…")
	}
	if !p.allowsHost(u.Hostname()) {
		return nil, refuse("this server does not fetch from "+u.Hostname(), "it may fetch from "+strings.Join(p.Hosts, ", "))
	}
	if !p.allowsPort(u) {
		return nil, refuse("its port is not allowed", "give an address without a port")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !p.allows(ip) {
		return nil, refuse("it is not a public address", "give an address that everybody can fetch")
	}
	return u, nil
}

// isHostname reports whether a host has only characters of host names and IP addresses.
func isHostname(host string) bool {
	return !strings.ContainsFunc(host, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-_:[]%", r)
	})
}

func (p Policy) allowsHost(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return len(p.Hosts) == 0 || slices.ContainsFunc(p.Hosts, func(h string) bool {
		below, wild := strings.CutPrefix(strings.ToLower(h), "*")
		return host == strings.ToLower(h) || wild && strings.HasPrefix(below, ".") && strings.HasSuffix(host, below)
	})
}

func (p Policy) allowsPort(u *url.URL) bool {
	if len(p.Ports) == 0 {
		return true
	}
	port, err := strconv.Atoi(portOf(u))
	return err == nil && slices.Contains(p.Ports, port)
}

// portOf returns the port of an address, by default the port of its scheme.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// allows reports whether a connection to an address may be opened.
func (p Policy) allows(ip netip.Addr) bool {
	switch reachOf(ip) {
	case public:
		return true
	case private:
		return p.Private
	}
	return false
}

// reach is the class of an IP address: it says who can connect to the address.
type reach int

const (
	never   reach = iota // never allowed: cloud metadata, multicast, reserved ranges
	private              // this machine and private networks
	public
)

// special lists the ranges of IANA's registries of special-purpose addresses. The first matching range decides.
var special = []struct {
	prefix netip.Prefix
	reach  reach
}{
	{netip.MustParsePrefix("127.0.0.0/8"), private},
	{netip.MustParsePrefix("10.0.0.0/8"), private},
	{netip.MustParsePrefix("172.16.0.0/12"), private},
	{netip.MustParsePrefix("192.168.0.0/16"), private},
	{netip.MustParsePrefix("100.64.0.0/10"), private}, // carrier-grade NAT
	{netip.MustParsePrefix("198.18.0.0/15"), private}, // benchmarks
	{netip.MustParsePrefix("0.0.0.0/8"), never},
	{netip.MustParsePrefix("169.254.0.0/16"), never}, // link-local, and cloud metadata
	{netip.MustParsePrefix("192.0.0.0/24"), never},
	{netip.MustParsePrefix("192.0.2.0/24"), never},
	{netip.MustParsePrefix("192.88.99.0/24"), never}, // 6to4 relays
	{netip.MustParsePrefix("198.51.100.0/24"), never},
	{netip.MustParsePrefix("203.0.113.0/24"), never},
	{netip.MustParsePrefix("224.0.0.0/3"), never}, // multicast and reserved
	{netip.MustParsePrefix("::1/128"), private},
	{netip.MustParsePrefix("fd00:ec2::/32"), never}, // metadata of a cloud
	{netip.MustParsePrefix("fc00::/7"), private},    // unique local addresses
	{netip.MustParsePrefix("64:ff9b:1::/48"), never},
	{netip.MustParsePrefix("2001::/23"), never}, // Teredo and protocol assignments
	{netip.MustParsePrefix("2001:db8::/32"), never},
	{netip.MustParsePrefix("3fff::/20"), never},
	{netip.MustParsePrefix("2000::/3"), public},
	{netip.MustParsePrefix("::/0"), never}, // everything except global unicast
}

// reachOf returns the class of an IP address. An IPv6 address that embeds an IPv4 address is public if the IPv4 address
// is public. Otherwise the IPv6 address is never allowed.
func reachOf(ip netip.Addr) reach {
	if !ip.IsValid() || ip.Zone() != "" {
		return never
	}
	ip = ip.Unmap()
	if v4, ok := embedded(ip); ok {
		if reachOf(v4) == public {
			return public
		}
		return never
	}
	for _, s := range special {
		if s.prefix.Contains(ip) {
			return s.reach
		}
	}
	return public
}

var (
	nat64  = netip.MustParsePrefix("64:ff9b::/96")
	sixTo4 = netip.MustParsePrefix("2002::/16")
)

// embedded returns the IPv4 address that is embedded in an IPv6 address of NAT64 or 6to4, and reports whether there
// is such an address.
func embedded(ip netip.Addr) (netip.Addr, bool) {
	if !ip.Is6() {
		return ip, false
	}
	b := ip.As16()
	switch {
	case nat64.Contains(ip):
		return netip.AddrFrom4([4]byte(b[12:])), true
	case sixTo4.Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return ip, false
}
