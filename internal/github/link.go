package github

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

const (
	perPage  = 100
	maxPages = 100
)

// pages returns the items of all pages of a list. The given function returns the items of one page. Errors: too_large
// when there are too many pages.
func pages[P, T any](ctx context.Context, c *Client, path string, query url.Values, items func(P) []T) ([]T, error) {
	var all []T
	asked := url.Values{"per_page": {strconv.Itoa(perPage)}, "page": {"1"}}
	maps.Copy(asked, query)
	for range maxPages {
		var page P
		header, err := c.ask(ctx, http.MethodGet, path+"?"+asked.Encode(), nil, &page)
		if err != nil {
			return nil, err
		}
		all = append(all, items(page)...)
		number, err := next(header, "page")
		if err != nil {
			return nil, err
		}
		if number == "" {
			return all, nil
		}
		asked.Set("page", number)
	}
	return nil, store.Errorf(store.TooLarge, "GitHub has more than %d of these", maxPages*perPage)
}

// next returns the value of a parameter in the link to the next page, or "" when there is no next page. It ignores
// the other parts of the link, so no request goes to a host or path from the link. If the link
// lacks the parameter, the error is Unavailable: there are more pages, but next cannot tell which.
func next(h http.Header, parameter string) (string, error) {
	address, ok := nextLink(strings.Join(h.Values("Link"), ", "))
	if !ok {
		return "", nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Query().Get(parameter) == "" {
		return "", store.Later(store.Errorf(store.Unavailable,
			"GitHub has another page of this list, but does not say its %s", parameter), errorWait)
	}
	return u.Query().Get(parameter), nil
}

// nextLink returns the address of the next page in a Link header (RFC 8288), and reports whether there is a next
// page.
func nextLink(header string) (string, bool) {
	for {
		_, link, ok := strings.Cut(header, "<")
		if !ok {
			return "", false
		}
		address, rest, _ := strings.Cut(link, ">")
		parameters, _, _ := strings.Cut(rest, "<")
		for p := range strings.FieldsFuncSeq(parameters, func(r rune) bool { return strings.ContainsRune(";, ", r) }) {
			if strings.EqualFold(p, `rel="next"`) || strings.EqualFold(p, "rel=next") {
				return address, true
			}
		}
		header = rest
	}
}
