package redact

import (
	"bytes"
	"slices"
	"strings"
)

// formShape returns the shape of a password in a form field whose name has one letter: u=bob&p=VALUE. A field with the
// user must come before it. Such fields are in the body of a form or in the query of a URL.
func formShape() *shape {
	s := &shape{name: "form", within: formValue}
	for c := '!'; c <= '~'; c++ {
		s.triggers = append(s.triggers, "&p="+string(c))
	}
	return s
}

// maxQuery is the max number of bytes before a password in which formValue searches for the field with the user.
const maxQuery = 256

// formUsers are names of the form field with the user.
var formUsers = []string{"u=", "user=", "username=", "login=", "email=", "usr=", "name="}

func formValue(p position) match {
	const head = len("&p=")
	query := thisLine(p.before[max(0, len(p.before)-maxQuery):])
	query = query[bytes.LastIndexAny(query, " \"'?")+1:]
	hasUser := false
	for field := range bytes.SplitSeq(query, []byte("&")) {
		for _, name := range formUsers {
			hasUser = hasUser || hasHead(field, name) && len(field) > len(name)
		}
	}
	if !hasUser {
		return match{}
	}
	text := p.text[head:min(len(p.text), head+maxWord)]
	end := bytes.IndexAny(text, "& \t\r\n\"'<>")
	if end < 0 {
		if !p.final && len(text) < maxWord {
			return match{more: true}
		}
		end = len(text)
	}
	return match{from: head, to: head + end, ok: isGiven(string(text[:end]))}
}

// codeShape returns the shape of an authorization code in a URL or a form: code=VALUE. A parameter of OAuth, such as
// state=, must be near.
func codeShape() *shape {
	return &shape{name: "code", within: authorizationCode, triggers: []string{"ode="}}
}

// codeFields are the parameters of OAuth that may be near an authorization code.
var codeFields = []string{"state=", "grant_type=", "redirect_uri=", "client_id=", "code_verifier="}

func authorizationCode(p position) match {
	const head = len("ode=")
	n := len(p.before) - 1
	if n < 0 || p.before[n] != 'c' || n > 0 && strings.IndexByte("?& \n\"'", p.before[n-1]) < 0 {
		return match{}
	}
	text := p.text[:min(len(p.text), maxWord)]
	end := bytes.IndexAny(text, " \t\r\n\"'<>")
	if end < 0 {
		if !p.final && len(text) < maxWord {
			return match{more: true}
		}
		end = len(text)
	}
	query := lastWord(p.before)
	beside := slices.ContainsFunc(codeFields, func(field string) bool {
		return bytes.Contains(query, []byte(field)) || bytes.Contains(text[:end], []byte(field))
	})
	code, _, _ := cutAt(text[head:end], "&")
	return match{from: head, to: head + len(code), ok: beside && len(code) >= minDocumented && isGiven(string(code))}
}
