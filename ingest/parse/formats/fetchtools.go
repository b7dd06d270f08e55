package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// fetchLines are messages of Subversion, Mercurial, GnuPG, OpenSSL, nvm and RVM. A script may continue after some of
// these messages.
var fetchLines = parse.Lines{
	{Text: "svn: {code:E######}: {message}", Tool: "svn", Category: store.CategoryBuild, Weight: parse.Likely},
	{Text: "abort: {message}", Tool: "hg", Category: store.CategoryBuild, Weight: parse.Guess},
	{Text: "gpg: «{:no valid OpenPGP data found|keyserver timed out|no default secret key}{*}»", Tool: "gpg",
		Category: store.CategoryBuild, Weight: parse.Guess},
	{Text: "gpg: «{_} failed: {*}»", Tool: "gpg", Category: store.CategoryBuild, Weight: parse.Guess},
	{Text: "gpgkeys: «key {_} can't be retrieved»", Tool: "gpg", Category: store.CategoryBuild, Weight: parse.Guess},
	{Text: "^«{:bad decrypt|iv undefined}»", Tool: "openssl", Category: store.CategoryBuild, Weight: parse.Guess},
	{Text: "^«Version '{_}' not found» - try `nvm ls-remote{*}", Tool: "nvm", Category: store.CategoryBuild,
		Weight: parse.Likely},
	{Text: "^«Unknown ruby {_} (do not know how to handle): {*}»", Tool: "rvm", Category: store.CategoryBuild,
		Weight: parse.Guess},
	{Text: "^«Requested binary installation but no rubies are available {*}»", Tool: "rvm",
		Category: store.CategoryBuild, Weight: parse.Guess},
}

// matchBower reads "bower x#1.0      ECMDERR Failed to execute …". Some of these lines name no package.
func matchBower(s *parse.Scan, l parse.Line) bool {
	words := strings.Fields(l.Text)
	for _, word := range words[1:min(3, len(words))] {
		if len(word) < 4 || word[0] != 'E' || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			continue
		}
		_, message, _ := strings.Cut(l.Text, word)
		d := s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Message: strings.TrimSpace(message), Code: word,
			Tool: "bower", Category: store.CategoryBuild}})
		s.Block(bowerDetails(d))
		return true
	}
	return false
}

// bowerDetails reads the paragraph "Additional error details:" below an error.
func bowerDetails(d *parse.Draft) func(parse.Line) parse.Verdict {
	details := false
	return func(l parse.Line) parse.Verdict {
		switch {
		case l.Text == "" && !details:
		case l.Text == "Additional error details:" && !details:
			details = true
		case details && l.Text != "" && l.N < d.LogLine+8 && !strings.HasPrefix(l.Text, "bower "):
			d.Extend(l)
		default:
			return parse.Done
		}
		return parse.Take
	}
}
