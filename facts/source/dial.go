package source

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"

	"github.com/blq-ci/blq/store"
)

// Resolver looks up the IP addresses of a host. net.Resolver implements it.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// dialer opens the connections of one fetch or one receiver. For each connection it resolves the host once, checks
// all addresses, and connects to one of them. So an attacker cannot change the DNS answer between check and
// connection.
type dialer struct {
	policy   Policy
	resolver Resolver
	connect  func(ctx context.Context, network, address string) (net.Conn, error)
	outside  atomic.Bool // a public host was contacted, so later redirects must not lead to a private host
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ips, err := d.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	if err := d.check(host, ips); err != nil {
		return nil, err
	}
	var failed error
	for _, ip := range ips {
		c, err := d.connect(ctx, network, net.JoinHostPort(ip.String(), port))
		if err == nil {
			return c, nil
		}
		failed = err
	}
	return nil, failed
}

func (d *dialer) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	ips, err := d.resolver.LookupNetIP(ctx, "ip", host)
	var missing *net.DNSError
	switch {
	case errors.As(err, &missing) && missing.IsNotFound, err == nil && len(ips) == 0:
		return nil, store.Hint(store.Errorf(store.Failed, "there is no host %s", host), "check the spelling of the address")
	case err != nil:
		return nil, fmt.Errorf("look up %s: %w", host, err)
	}
	return ips, nil
}

// check checks the addresses of a host. The error is Failed for an address that the policy forbids, and for a private
// address if an earlier host had a public address.
func (d *dialer) check(host string, ips []netip.Addr) error {
	outside := d.outside.Load()
	for _, ip := range ips {
		if r := reachOf(ip); !d.policy.allows(ip) || r == private && d.outside.Load() {
			return store.Hint(store.Errorf(store.Failed, "the address of %s is not a public one", host),
				"give the address of a text that everybody can fetch")
		} else if r == public {
			outside = true
		}
	}
	if outside {
		d.outside.Store(true)
	}
	return nil
}
