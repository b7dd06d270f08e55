package main

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// signingFor is the max time that a person may take to sign in at GitHub.
const signingFor = 10 * time.Minute

// checkSignIn checks the settings of the sign-in.
func (c *Config) checkSignIn() error {
	switch {
	case c.Client == "":
		return nil
	case c.ClientSecret == "":
		return wrong("app-client-id", "signing in needs the client's secret in "+envName("app-client-secret"),
			"export BLQ_APP_CLIENT_SECRET_FILE=/etc/blqd/client-secret")
	case c.PublicURL == "":
		return wrong("app-client-id", "GitHub sends browsers back to the public URL",
			"blqd serve --public-url https://blq.example.com")
	case c.GitHubAPI == "":
		return wrong("app-client-id", "signing in needs GitHub's API, and it is turned off",
			"blqd serve --github-api https://api.github.com")
	}
	return nil
}

// signIn redirects the browser to GitHub. The browser gets a cookie with the state and the verifier. GitHub returns a
// code, which is useless without the verifier. So only the same browser can use the code.
func (p *pages) signIn(w http.ResponseWriter, r *http.Request) error {
	if p.client == nil {
		return store.Hint(store.Errorf(store.NotFound, "nobody can sign in here"),
			"the operator sets app-client-id and app-client-secret; blqd app create prints them")
	}
	state, verifier := rand.Text(), rand.Text()+rand.Text() // RFC 7636 requires at least 43 characters for the verifier
	to := base64.RawURLEncoding.EncodeToString([]byte(r.FormValue("to")))
	if len(to) > 2048 {
		to = ""
	}
	http.SetCookie(w, cookie(cookieSigning, state+"."+verifier+"."+to, signingFor))
	http.Redirect(w, r, p.client.SignInURL(p.app, state, verifier), http.StatusSeeOther)
	return nil
}

// signedIn handles the redirect back from GitHub.
func (p *pages) signedIn(w http.ResponseWriter, r *http.Request) error {
	parts := strings.Split(valueOf(r, cookieSigning), ".")
	if p.client == nil || len(parts) != 3 ||
		subtle.ConstantTimeCompare([]byte(parts[0]), []byte(r.FormValue("state"))) != 1 {
		return store.Hint(store.Errorf(store.Forbidden, "this browser did not begin to sign in, or long ago"),
			"sign in again")
	}
	http.SetCookie(w, cookie(cookieSigning, "", -1))
	if r.FormValue("error") != "" || r.FormValue("code") == "" {
		return store.Errorf(store.Forbidden, "GitHub did not sign you in")
	}
	if after := p.codes.Take(httpserver.Tenant(r.Context()), 1); after > 0 {
		return store.Later(store.Errorf(store.RateLimited, "too many people sign in from this address"), after)
	}
	given, err := p.client.UserToken(r.Context(), p.app, r.FormValue("code"), parts[1])
	if err != nil {
		return err
	}
	secret, until, err := p.auth.SignIn(r.Context(), given.Token, given.For)
	if err != nil {
		return err
	}
	if old := valueOf(r, cookieSignedIn); old != "" {
		if err := p.auth.SignOut(r.Context(), old); err != nil {
			return err
		}
	}
	http.SetCookie(w, cookie(cookieSignedIn, secret, time.Until(until)))
	to, _ := base64.RawURLEncoding.DecodeString(parts[2])
	http.Redirect(w, r, p.base+pathHere(string(to)), http.StatusSeeOther)
	return nil
}

// signOut ends the sign-in of the browser that sends the form.
func (p *pages) signOut(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	secret := valueOf(r, cookieSignedIn)
	if !auth.IsFormKey(secret, r.PostFormValue("key")) {
		return store.Errorf(store.Forbidden, "this form does not come from a page of this browser")
	}
	if err := p.auth.SignOut(r.Context(), secret); err != nil {
		return err
	}
	http.SetCookie(w, cookie(cookieSignedIn, "", -1))
	http.Redirect(w, r, p.base+"/", http.StatusSeeOther)
	return nil
}

// cookie returns a cookie that only this service gets, and that scripts cannot read. Browsers send the cookie if a
// person follows a link from another site, but not with a POST request from a page of another site.
func cookie(name, value string, lasts time.Duration) *http.Cookie {
	age := int(lasts / time.Second)
	if lasts < 0 {
		age = -1
	}
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode}
}

// pathHere returns a path within the pages. It returns "/" for any other text.
func pathHere(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || !strings.HasPrefix(u.Path, "/") ||
		strings.HasPrefix(u.Path, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return "/"
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}
