package githubtest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// App is an app with its secrets.
type App struct {
	ID     int64
	Slug   string
	Key    string // PEM
	Secret string // webhook secret
}

type app struct {
	App
	key       *rsa.PrivateKey
	installed []*installation
	sent      []Sent
}

type installation struct {
	id      int64
	account string
	repos   []string
	may     []string
}

// Sent is a delivery to the app's webhook, successful or not.
type Sent struct {
	ID     int64
	GUID   string
	Event  string
	Action string
	Status int // status of the webhook's answer
	Asked  int // number of requests to send the delivery again
	At     time.Time
}

var appKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // the system gives no random numbers
	}
	return key
})

// AddApp adds an app and returns it with its secrets.
func (g *GitHub) AddApp(slug string) App {
	g.lock.Lock()
	defer g.lock.Unlock()
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(appKey())})
	known := App{ID: idOf(slug + "[bot]"), Slug: slug, Key: string(text), Secret: "secret of " + slug}
	a := &app{App: known, key: appKey()}
	g.apps[a.ID] = a
	return a.App
}

// Install installs an app on repositories of an account, with permissions such as "checks: write". It replaces an
// earlier installation of the account, and returns the ID of the new installation.
func (g *GitHub) Install(id int64, account string, repos []string, permissions ...string) int64 {
	g.lock.Lock()
	defer g.lock.Unlock()
	a := g.apps[id]
	a.installed = slices.DeleteFunc(a.installed, func(i *installation) bool { return i.account == account })
	i := &installation{g.nextID(), account, repos, permissions}
	a.installed = append(a.installed, i)
	return i.id
}

// SetDeliveries replaces the list of deliveries to the webhook of an app.
func (g *GitHub) SetDeliveries(id int64, list ...Sent) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.apps[id].sent = list
}

// Deliveries returns the deliveries to the app's webhook.
func (g *GitHub) Deliveries(id int64) []Sent {
	g.lock.Lock()
	defer g.lock.Unlock()
	return slices.Clone(g.apps[id].sent)
}

// byJWT returns the app that signed a JWT, and reports whether the JWT is valid.
func (g *GitHub) byJWT(token string) (*account, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, false
	}
	var claims struct {
		Iss      string
		Iat, Exp int64
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	signature, signErr := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || signErr != nil || json.Unmarshal(text, &claims) != nil {
		return nil, false
	}
	id, err := strconv.ParseInt(claims.Iss, 10, 64)
	a := g.apps[id]
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	now := time.Now().Unix()
	if err != nil || a == nil || rsa.VerifyPKCS1v15(&a.key.PublicKey, crypto.SHA256, sum[:], signature) != nil ||
		claims.Iat > now || claims.Exp < now || claims.Exp > now+600 {
		return nil, false
	}
	return &account{login: a.Slug, id: a.ID, app: true, self: a}, true
}

// asApp calls the function for an app that uses its own token.
func asApp(do func(*call, *app)) handled {
	return func(c *call) {
		if c.who == nil || c.who.self == nil {
			c.refuse(http.StatusUnauthorized, "A JSON web token could not be decoded")
			return
		}
		do(c, c.who.self)
	}
}

func (c *call) describeSelf(a *app) {
	c.say(http.StatusOK, object{"id": a.ID, "slug": a.Slug, "name": a.Slug, "owner": person("acme")})
}

func (c *call) describeInstallation(i *installation) object {
	return object{"id": i.id, "account": person(i.account), "repository_selection": "selected",
		"permissions": object{}, "events": []string{}}
}

func (c *call) installations(a *app) {
	list := []object{}
	for _, i := range page(c, a.installed) {
		list = append(list, c.describeInstallation(i))
	}
	c.say(http.StatusOK, list)
}

func (c *call) installation(a *app) {
	name := c.PathValue("owner") + "/" + c.PathValue("name")
	for _, i := range a.installed {
		if slices.Contains(i.repos, name) {
			c.say(http.StatusOK, c.describeInstallation(i))
			return
		}
	}
	c.notFound()
}

func (c *call) accessToken(a *app) {
	for _, i := range a.installed {
		if i.id != c.number("id") {
			continue
		}
		who := &account{login: a.Slug + "[bot]", id: a.ID, app: true, may: i.may}
		for _, name := range i.repos {
			if r := c.g.repos[name]; r != nil {
				who.repos = append(who.repos, r.id)
			}
		}
		token := fmt.Sprintf("ghs_%032d%04d", c.g.nextID(), i.id)
		c.g.accounts[token] = who
		c.say(http.StatusCreated, object{"token": token, "expires_at": time.Now().Add(time.Hour).UTC(),
			"permissions": object{}})
		return
	}
	c.notFound()
}

func (c *call) deliveries(a *app) {
	list := []object{}
	for _, d := range a.sent {
		list = append(list, object{"id": d.ID, "guid": d.GUID, "event": d.Event, "action": orNull(d.Action),
			"status_code": d.Status, "status": "x", "delivered_at": d.At, "redelivery": false, "duration": 0.1})
	}
	c.say(http.StatusOK, list)
}

func (c *call) redeliver(a *app) {
	for i := range a.sent {
		if a.sent[i].ID == c.number("id") {
			a.sent[i].Asked++
			c.say(http.StatusAccepted, object{})
			return
		}
	}
	c.notFound()
}

// convert answers with the app for the code of a manifest. The code is the app's slug.
func (c *call) convert() {
	for id, a := range c.g.apps {
		if a.Slug == c.PathValue("code") {
			c.say(http.StatusCreated, object{"id": id, "slug": a.Slug, "pem": a.Key, "webhook_secret": a.Secret,
				"client_id": "x", "client_secret": "x", "html_url": c.g.address("/apps/%s", a.Slug), "owner": person("acme"),
				"name": a.Slug})
			return
		}
	}
	c.notFound()
}
