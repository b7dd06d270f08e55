package web

import (
	"io"
	"strings"

	g "maragu.dev/gomponents"
)

// address is an HTML attribute with a URL. If the URL begins with a slash, the base of the site is added before it.
type address struct{ attribute, path string }

var _ g.Node = address{}

// Type makes gomponents treat address as an attribute.
func (address) Type() g.NodeType { return g.AttributeType }

// Render implements g.Node.
func (a address) Render(w io.Writer) error {
	path := a.path
	if p, ok := w.(*pageWriter); ok && strings.HasPrefix(path, "/") {
		path = p.base + path
	}
	return g.Attr(a.attribute, path).Render(w)
}

func href(path string) g.Node { return address{"href", path} }

// action returns the attribute with the address to which a form is sent.
func action(path string) g.Node { return address{"action", path} }

// pageWriter collects the HTML of a page. base is the prefix of the addresses in the page's links.
type pageWriter struct {
	strings.Builder
	base   string
	repo   string // repository that the page is about, "" for none
	styled int    // number of parts of lines with a style, see maxStyled
}

// inRepo is a node that sets the repository of the page. It shows nothing.
type inRepo string

// Render implements g.Node.
func (r inRepo) Render(w io.Writer) error {
	if p, ok := w.(*pageWriter); ok {
		p.repo = string(r)
	}
	return nil
}

// shortRef is a reference that a page shows as text. A page about a repository shows the references of this repository
// without its name.
type shortRef string

// Render implements g.Node.
func (r shortRef) Render(w io.Writer) error {
	text := string(r)
	if p, ok := w.(*pageWriter); ok && p.repo != "" {
		text = strings.TrimPrefix(text, p.repo+"@")
	}
	return g.Text(text).Render(w)
}
