package client

import (
	"net"
	"net/http"
	"time"

	"github.com/blq-ci/blq/store"
)

// hardened returns a copy of an HTTP client with two safeguards. The copy refuses redirects, so that it never sends a
// token to another host. Unless the client has a transport of its own, the copy gives up on hosts that do not answer.
func hardened(given *http.Client) *http.Client {
	h := &http.Client{}
	if given != nil {
		*h = *given
	}
	if h.Transport == nil {
		h.Transport = transport()
	}
	h.CheckRedirect = refuseRedirect
	return h
}

// transport returns a transport that uses the environment's proxy, and that waits a limited time for a connection and
// for an answer.
func transport() http.RoundTripper {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       60 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: time.Minute,
		ExpectContinueTimeout: time.Second,
	}
}

// refuseRedirect refuses redirects. A followed redirect could send the token to another host, or change the method.
func refuseRedirect(r *http.Request, via []*http.Request) error {
	to := *r.URL
	to.RawQuery, to.Fragment, to.User = "", "", nil
	return store.Hint(store.Errorf(store.Invalid, "%s sends us on to %s", via[0].URL.Host, clean(to.String())),
		"use that URL if you know it: redirects are not followed")
}
