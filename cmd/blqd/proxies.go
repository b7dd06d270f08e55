package main

import (
	"fmt"
	"net/netip"
)

// privateNetworks are the networks of trusted reverse proxies if Config.Proxied is set and Config.Proxies is empty.
var privateNetworks = []string{"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"}

// proxies returns the networks of trusted reverse proxies. The error is Invalid if a network cannot be parsed.
func (c *Config) proxies() ([]netip.Prefix, error) {
	texts := c.Proxies
	if len(texts) == 0 && c.Proxied {
		texts = privateNetworks
	}
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		p, err := netip.ParsePrefix(text)
		if a, plain := netip.ParseAddr(text); plain == nil {
			p, err = a.Prefix(a.BitLen())
		}
		if err != nil {
			return nil,
				wrong("trusted-proxies", fmt.Sprintf("%q is not a network", text),
					"blqd serve --trusted-proxies 10.0.0.0/8")
		}
		list[i] = p
	}
	return list, nil
}
