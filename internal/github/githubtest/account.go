package githubtest

import (
	"net/http"
	"slices"
	"strings"
)

// account is the owner of a token.
type account struct {
	id    int64
	login string
	app   bool     // the installation of an app, or a job
	job   string   // the repository of the job
	self  *app     // set for an app that uses its own token
	repos []int64  // the repositories of an installation's token
	may   []string // permissions of an app or a job, such as "pull-requests: write"
}

// bot is the author of comments that are written with a job's token.
const bot = "github-actions[bot]"

const botID = 41898282

// Token returns a new token of a user.
func (g *GitHub) Token(user string) string {
	return g.add("ghp_"+user, &account{login: user, id: idOf(user)})
}

// Installation returns a new token of an app's installation, with permissions such as "checks: write". The app can
// read the repositories whose readers include its name.
func (g *GitHub) Installation(app string, permissions ...string) string {
	return g.add("ghs_"+app, &account{login: app, id: idOf(app), app: true, may: permissions})
}

// Job returns a new token of a job in a repository, with the given permissions. On GitHub, jobs for pull requests from
// forks have only read permissions.
func (g *GitHub) Job(repo string, permissions ...string) string {
	name := "ghs_job" + strings.NewReplacer("/", "", "-", "", ":", "", " ", "").Replace(repo+strings.Join(permissions, ""))
	return g.add(name, &account{login: bot, id: botID, app: true, job: repo, may: permissions})
}

func (g *GitHub) add(token string, a *account) string {
	g.lock.Lock()
	defer g.lock.Unlock()
	token += strings.Repeat("0", max(0, 40-len(token)))
	g.accounts[token] = a
	return token
}

// idOf returns a constant number for a name.
func idOf(name string) int64 {
	if name == bot {
		return botID
	}
	n := int64(7)
	for _, c := range name {
		n = (n*31 + int64(c)) % 1_000_003
	}
	return n + 10
}

// Revoke makes a token invalid.
func (g *GitHub) Revoke(token string) {
	g.lock.Lock()
	defer g.lock.Unlock()
	delete(g.accounts, token)
}

// seen calls the function if the caller can see the repository. Otherwise it answers 404.
func (c *call) seen(do func(*call, *repository)) {
	r := c.g.repos[c.PathValue("owner")+"/"+c.PathValue("name")]
	if r == nil || !r.shows(c.who) {
		c.notFound()
		return
	}
	do(c, r)
}

// allowed calls the function if the caller has a permission. An app has a list of permissions, and can read a public
// repository without a permission. A user has all permissions, with two exceptions: no user may write checks, and only
// writers of the repository may write actions. A caller without a token may only read.
func (c *call) allowed(r *repository, permission string, do func(*call, *repository)) {
	what, how, _ := strings.Cut(permission, ": ")
	switch {
	case c.who == nil && how == "read":
	case c.who == nil:
		c.refuse(http.StatusUnauthorized, "Requires authentication")
		return
	case c.who.app && !slices.Contains(c.who.may, permission) && !slices.Contains(c.who.may, what+": write") &&
		!(how == "read" && r.public):
		c.refuse(http.StatusForbidden, "Resource not accessible by integration")
		return
	case !c.who.app && what == "checks" && how == "write":
		c.refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
		return
	case !c.who.app && what == "actions" && how == "write" && !slices.Contains(r.writers, c.who.login):
		c.refuse(http.StatusForbidden, "Must have admin rights to Repository.")
		return
	}
	do(c, r)
}

func (c *call) user() {
	switch {
	case c.who == nil:
		c.refuse(http.StatusUnauthorized, "Requires authentication")
	case c.who.app:
		c.refuse(http.StatusForbidden, "Resource not accessible by integration")
	default:
		user := person(c.who.login)
		user["user_view_type"] = "private"
		c.say(http.StatusOK, user)
	}
}

// person describes an account.
func person(login string) object {
	kind := "User"
	if strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	return object{"login": login, "id": idOf(login), "type": kind}
}
