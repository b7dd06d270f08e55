package githubtest

import (
	"net/http"
	"slices"
	"time"
	"unicode/utf8"
)

// Comment is a comment of an issue or pull request.
type Comment struct {
	ID      int64
	Number  int // number of the issue
	Author  string
	Body    string
	Created time.Time
	Updated time.Time
}

// maxComment is the max number of characters in a comment. GitHub's OpenAPI description does not have this limit.
const maxComment = 65_536

// AddComment adds a comment. The author may be any account.
func (g *GitHub) AddComment(repo string, number int, author, body string) Comment {
	var added *Comment
	g.change(repo, func(r *repository) { added = g.comment(r, number, author, body) })
	return *added
}

func (g *GitHub) comment(r *repository, number int, author, body string) *Comment {
	id := g.nextID()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(id) * time.Second)
	c := &Comment{id, number, author, body, at, at}
	r.comments = append(r.comments, c)
	return c
}

// Comments returns the comments of an issue or pull request.
func (g *GitHub) Comments(repo string, number int) []Comment {
	var list []Comment
	g.change(repo, func(r *repository) {
		for _, c := range r.commentsOf(number) {
			list = append(list, *c)
		}
	})
	return list
}

func (r *repository) commentsOf(number int) []*Comment {
	return slices.DeleteFunc(slices.Clone(r.comments), func(c *Comment) bool { return c.Number != number })
}

// Lock locks the conversation of a pull request, so that nobody can comment.
func (g *GitHub) Lock(repo string, number int) {
	g.change(repo, func(r *repository) { r.locked = append(r.locked, number) })
}

func (c *call) describeComment(r *repository, m *Comment) object {
	return object{
		"id": m.ID, "body": m.Body, "user": person(m.Author), "created_at": m.Created, "updated_at": m.Updated,
		"html_url": c.g.address("/%s/pull/%d#issuecomment-%d", r.name, m.Number, m.ID),
	}
}

func (c *call) comments(r *repository) {
	list := []object{}
	for _, m := range page(c, r.commentsOf(int(c.number("number")))) {
		list = append(list, c.describeComment(r, m))
	}
	c.say(http.StatusOK, list)
}

// body returns the text of the comment in the request. If the text is too long, body sends an error response and
// returns false.
func (c *call) body() (string, bool) {
	var sent struct{ Body string }
	c.read(&sent)
	if utf8.RuneCountInString(sent.Body) <= maxComment {
		return sent.Body, true
	}
	c.say(http.StatusUnprocessableEntity, object{
		"message": "Validation Failed", "documentation_url": "https://docs.github.com/rest", "status": "422",
		"errors": []object{{"resource": "IssueComment", "code": "unprocessable", "field": "data",
			"message": "Body is too long (maximum is 65536 characters)"}},
	})
	return "", false
}

func (c *call) addComment(r *repository) {
	number := int(c.number("number"))
	if !slices.ContainsFunc(r.pulls, func(p Pull) bool { return p.Number == number }) {
		c.notFound()
		return
	}
	if slices.Contains(r.locked, number) {
		c.refuse(http.StatusForbidden, "Unable to create comment because issue is locked.")
		return
	}
	if body, ok := c.body(); ok {
		c.say(http.StatusCreated, c.describeComment(r, c.g.comment(r, number, c.who.login, body)))
	}
}

// own returns the requested comment. If there is no such comment, or if the caller may not change the comment, own
// answers with an error and returns nil.
func (c *call) own(r *repository) *Comment {
	at := slices.IndexFunc(r.comments, func(m *Comment) bool { return m.ID == c.number("id") })
	if at < 0 {
		c.notFound()
		return nil
	}
	m := r.comments[at]
	if m.Author != c.who.login && !slices.Contains(r.writers, c.who.login) && !c.who.app {
		c.refuse(http.StatusForbidden, "Must have admin rights to Repository.")
		return nil
	}
	return m
}

func (c *call) editComment(r *repository) {
	m := c.own(r)
	if m == nil {
		return
	}
	if body, ok := c.body(); ok {
		m.Body, m.Updated = body, m.Updated.Add(time.Minute)
		c.say(http.StatusOK, c.describeComment(r, m))
	}
}

func (c *call) deleteComment(r *repository) {
	m := c.own(r)
	if m == nil {
		return
	}
	r.comments = slices.DeleteFunc(r.comments, func(other *Comment) bool { return other == m })
	c.say(http.StatusNoContent, nil)
}
