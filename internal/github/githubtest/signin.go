package githubtest

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// oauth is an app with which people sign in.
type oauth struct {
	client, secret, redirect string
	person                   string           // person who uses the browser
	codes                    map[string]grant // grants by code
	expires                  int              // seconds, 0 for never
}

// grant is a person's consent to sign in.
type grant struct{ person, challenge string }

// SignIns enables signing in with an app. client and secret are the app's credentials. redirect is the address to
// which browsers go afterwards.
func (g *GitHub) SignIns(client, secret, redirect string) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.oauth = &oauth{client: client, secret: secret, redirect: redirect, codes: map[string]grant{}, expires: 8 * 3600}
}

// Browses sets the person in front of the browser.
func (g *GitHub) Browses(person string) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.oauth.person = person
}

// signIn answers a request to GitHub's website.
func (g *GitHub) signIn(r *http.Request, body []byte) answer {
	g.lock.Lock()
	app := g.oauth
	g.lock.Unlock()
	sent, err := url.ParseQuery(string(body))
	if app == nil || err != nil {
		return refuse(http.StatusNotFound, "Not Found")
	}
	if r.Method == http.MethodGet && r.URL.Path == "/login/oauth/authorize" {
		return g.agree(app, r.URL.Query())
	}
	return g.redeem(app, sent)
}

// agree sends the browser back with a code.
func (g *GitHub) agree(app *oauth, q url.Values) answer {
	g.lock.Lock()
	defer g.lock.Unlock()
	if q.Get("client_id") != app.client || q.Get("redirect_uri") != app.redirect ||
		q.Get("code_challenge_method") != "S256" || q.Get("state") == "" {
		return refuse(http.StatusNotFound, "Not Found")
	}
	code := fmt.Sprintf("code%d", g.nextID())
	app.codes[code] = grant{app.person, q.Get("code_challenge")}
	back := app.redirect + "?" + url.Values{"code": {code}, "state": {q.Get("state")}}.Encode()
	return answer{status: http.StatusFound, header: http.Header{"Location": {back}}}
}

// redeem exchanges a code for a token. Each code is valid once.
func (g *GitHub) redeem(app *oauth, sent url.Values) answer {
	g.lock.Lock()
	given, known := app.codes[sent.Get("code")]
	delete(app.codes, sent.Get("code"))
	g.lock.Unlock()
	sum := sha256.Sum256([]byte(sent.Get("code_verifier")))
	switch {
	case sent.Get("client_id") != app.client || sent.Get("client_secret") != app.secret:
		return answer{status: http.StatusOK, body: object{"error": "incorrect_client_credentials"}}
	case sent.Get("redirect_uri") != app.redirect:
		return answer{status: http.StatusOK, body: object{"error": "redirect_uri_mismatch"}}
	case !known || base64.RawURLEncoding.EncodeToString(sum[:]) != given.challenge:
		return answer{status: http.StatusOK, body: object{"error": "bad_verification_code"}}
	}
	name := "ghu_" + strings.ReplaceAll(given.person, "-", "")
	return answer{status: http.StatusOK, body: object{"token_type": "bearer", "scope": "", "expires_in": app.expires,
		"access_token": g.add(name, &account{login: given.person, id: idOf(given.person)})}}
}
