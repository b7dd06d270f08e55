package github_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
)

func TestCommentsAreFoundOnAnyPage(t *testing.T) {
	p := newPlace(t, "pull-requests: write")
	for i := range 230 {
		p.github.AddComment(shop, 7, "octocat", fmt.Sprint("comment ", i))
	}
	p.github.AddComment(shop, 8, "octocat", "of another")
	created, err := p.CreateComment(t.Context(), shop, 7, "ours <!-- blq -->")
	check(t, err)
	list, err := p.Comments(t.Context(), shop, 7)
	check(t, err)
	if len(list) != 231 || list[229].Body != "comment 229" || list[229].Bot {
		t.Fatalf("%d comments", len(list))
	}
	if ours := list[230]; ours != created || ours.Author != "github-actions[bot]" || ours.AuthorID != 41898282 ||
		!ours.Bot || ours.URL == "" {
		t.Errorf("%+v, created %+v", ours, created)
	}
	if n := p.github.Asked()["/repos/acme/shop/issues/7/comments"]; n != 4 {
		t.Errorf("%d requests, want one to write and three to read", n)
	}
}

func TestCommentIsEditedAndDeleted(t *testing.T) {
	p := newPlace(t, "pull-requests: write")
	created, err := p.CreateComment(t.Context(), shop, 7, "one")
	check(t, err)
	edited, err := p.EditComment(t.Context(), shop, created.ID, "two")
	check(t, err)
	if edited.Body != "two" || edited.ID != created.ID || !edited.Updated.After(created.Updated) {
		t.Errorf("%+v", edited)
	}
	check(t, p.DeleteComment(t.Context(), shop, created.ID))
	if left := p.github.Comments(shop, 7); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
	refused(t, p.DeleteComment(t.Context(), shop, created.ID), store.NotFound, "cannot remove comments of acme/shop")
	_, err = p.EditComment(t.Context(), shop, created.ID, "three")
	refused(t, err, store.NotFound)
}

func TestCommentHasALimitInCharacters(t *testing.T) {
	p := newPlace(t, "pull-requests: write")
	_, err := p.CreateComment(t.Context(), shop, 7, strings.Repeat("é", 65_536))
	check(t, err)
	p.github.Asked()
	_, err = p.CreateComment(t.Context(), shop, 7, strings.Repeat("é", 65_537))
	refused(t, err, store.TooLarge, "65536 characters at most, not 65537")
	if len(p.github.Asked()) != 0 {
		t.Error("GitHub was asked")
	}
}

func TestTokenOfAForkMayNotComment(t *testing.T) {
	p := newPlace(t, "pull-requests: read")
	_, err := p.CreateComment(t.Context(), shop, 7, "x")
	refused(t, err, store.Forbidden, "the token may not write comments of acme/shop",
		"Resource not accessible by integration", "give the job `permissions: pull-requests: write`")
	if _, err := p.Comments(t.Context(), shop, 7); err != nil {
		t.Error(err)
	}
}
