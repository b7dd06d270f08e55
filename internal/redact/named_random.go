package redact

import (
	"bytes"
	"strings"
	"sync"
)

const (
	minRandomPassword = 10
	minRandom         = 16 // min bytes of other random values
)

// readSentence reads a random value that follows a name in a sentence: token VALUE is expired, admin password VALUE.
// end is the end of the name, and rest is the text after it. undecided is true if further text is needed.
func (n *named) readSentence(end int, rest []byte) (undecided bool) {
	if n.quoted || blankLen(rest) != 1 || !isPassword(n.name) && !randomNouns()[strings.ToLower(n.name)] {
		return false
	}
	words := lastWords(thisLine(n.left), 1)
	if len(words) > 0 && hasTail(bytes.ToLower(words[0]), "expected") {
		return false // unexpected token: the value is a word of a program
	}
	n.style = styleSentence
	return n.readValue(end + 1)
}

// randomNouns are the names that readSentence accepts, besides passwords.
var randomNouns = sync.OnceValue(func() map[string]bool {
	return wordSet("token secret api_key access_key secret_key apikey")
})

// isRandomWord reports whether the value is random, and the whole of its word. The value ends before an escape.
func (n *named) isRandomWord(v string) bool {
	least := minRandom
	if isPassword(n.name) {
		least = minRandomPassword
	}
	if end := strings.IndexByte(v, '\\'); end > 0 { // an escape follows
		v, n.value, n.behind = v[:end], n.value[:end], n.text[n.from+end:]
	}
	return len(v) >= least && isMixed(v) && endsWord(n.behind)
}

// endsWord reports whether the text after a word ends the word. A dot or a colon does if no further word follows.
func endsWord(behind []byte) bool {
	if len(behind) == 0 {
		return true
	}
	if rest := bytes.TrimLeft(behind, ".:,"); len(rest) < len(behind) {
		return len(rest) == 0 || !nameBytes[rest[0]]
	}
	return !nameBytes[behind[0]] && strings.IndexByte("/@+=%#$(", behind[0]) < 0
}

// isMixed reports whether a value has only letters and digits, and looks random: capital letters, small letters and
// digits alternate more often than in a name of several words, and it has no word of small letters.
func isMixed(v string) bool {
	const (
		minWord = 5
		small   = 'z' >> 5
	)
	changes, run := 0, 0
	for i := range len(v) {
		if !alnum[v[i]] {
			return false
		}
		if run++; i > 0 && v[i]>>5 != v[i-1]>>5 {
			changes, run = changes+1, 1
		}
		if v[i]>>5 == small && run >= minWord {
			return false
		}
	}
	return isKey(v) && changes*20 >= len(v)*9
}

// publicKeys are words in names of headers that end in Key and are no secrets, such as X-Cache-Key.
var publicKeys = sync.OnceValue(func() map[string]bool {
	return wordSet("CACHE IDEMPOTENCY SURROGATE PARTITION ROUTING SORT SHARD PUBLIC PRIMARY TRACE CORRELATION OBJECT " +
		"HASH WEBSOCKET DEDUPLICATION GROUP LOCK STORAGE S3 REQUEST UNIQUE")
})

// isKeyHeader reports whether the name and the value are a header with the key of a service: X-RapidAPI-Key: VALUE.
func (n *named) isKeyHeader(v string) bool {
	const (
		hexKey = 32
		last   = "-KEY"
	)
	if len(n.name) < len(last) || !strings.EqualFold(n.name[len(n.name)-len(last):], last) ||
		n.style != styleColon && n.style != stylePair && n.style != styleGiven {
		return false
	}
	name := strings.ToUpper(n.name)
	if !strings.HasPrefix(name, "X-") && name != "FASTLY-KEY" {
		return false
	}
	for word := range strings.SplitSeq(name, "-") {
		if publicKeys()[word] {
			return false
		}
	}
	_, digits, _ := count(v)
	return len(v) >= minRandom && isKey(v) && isGiven(v) ||
		len(v) >= hexKey && digits > 4 && strings.Trim(v, "0123456789abcdef") == ""
}
