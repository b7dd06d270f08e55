package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// downloadFormat reads curl, wget, the AWS command line, bower, and other programs that fetch or decrypt something.
var downloadFormat = parse.Format{
	Name:  "download",
	About: "curl, wget, aws, bower, svn, hg, gpg, openssl, nvm, RVM: what they cannot fetch or decrypt",
	Triggers: []string{
		" ERROR 4", " ERROR 5", "An error occurred (", "curl: (", "' not found - try `nvm ls-remote",
		"(do not know how to handle)", "Requested binary installation but no rubies are available",
	},
	Starts: []string{
		"wget: unable", "ERROR: no certificate", "ERROR: cannot verify", "ERROR: The certificate", "bower ", "svn: E",
		"abort: ", "gpg: ", "gpgkeys: ", "bad decrypt", "iv undefined",
	},
	Lines: fetchLines,
	Match: matchDownload,
}

func matchDownload(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	e := store.Event{Message: text, Category: store.CategoryBuild}
	switch {
	case strings.HasPrefix(text, "bower "):
		return matchBower(s, l)
	case strings.Contains(text, "curl: ("):
		_, rest, _ := strings.Cut(text, "curl: (") // a progress bar may precede the error
		code, message, ok := strings.Cut(rest, ") ")
		if !ok || !parse.AllDigits(code) {
			return false
		}
		e.Tool, e.Code, e.Message = "curl", code, message
	case strings.HasPrefix(text, "wget: "):
		e.Tool, e.Message = "wget", text[len("wget: "):]
	case strings.HasPrefix(text, "ERROR: "):
		e.Tool, e.Message = "wget", text[len("ERROR: "):]
	case strings.Contains(text, "An error occurred ("):
		_, rest, _ := strings.Cut(text, "An error occurred (")
		code, message, ok := strings.Cut(rest, ") when calling ")
		if !ok {
			return false
		}
		e.Tool, e.Code, e.Message = "aws", code, message
	default: // 2024-01-02 03:04:05 ERROR 404: Not Found.
		i := strings.Index(text, " ERROR ")
		if i < 19 || !parse.IsDigit(text[0]) || !parse.IsDigit(text[i-1]) {
			return false
		}
		rest := text[i+len(" ERROR "):]
		code, message, ok := strings.Cut(rest, ": ")
		if !ok || len(code) != 3 || !parse.AllDigits(code) {
			return false
		}
		e.Tool, e.Code, e.Message = "wget", code, code+" "+message
	}
	s.Add(parse.Draft{Weight: parse.Likely, Event: e})
	return true
}
