package redact

import (
	"strings"
	"sync"
)

// shortestSecret is the min length in bytes of a value that counts as secret because of its name.
const shortestSecret = 6

// isOrdinary reports whether a value is not a secret, even if its name is the name of a secret. An ordinary value has
// fewer than six bytes, has fewer than four different bytes, is a sequence such as 123456, or is a placeholder.
func isOrdinary(value string) bool {
	return len(value) < shortestSecret || isMonotone(value) || isPlaceholder(value)
}

// isMonotone reports whether a value has fewer than four different bytes, or consists of successive bytes.
func isMonotone(value string) bool {
	var seen class
	different := 0
	up, down := true, true
	for i := range len(value) {
		if !seen[value[i]] {
			seen[value[i]] = true
			different++
		}
		if i > 0 {
			up = up && value[i] == value[i-1]+1
			down = down && value[i] == value[i-1]-1
		}
	}
	return different < 4 || up || down
}

// isPlaceholder reports whether a value is an access key ID from Amazon's documentation, or has fewer than 16 bytes and
// consists of common placeholders for secrets: changeme, postgres, test-key.
func isPlaceholder(value string) bool {
	if isDocumented(value) {
		return true
	}
	if len(value) >= 16 {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(value),
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 {
		return false
	}
	for _, w := range words {
		if !placeholders()[w] {
			return false
		}
	}
	return true
}

// isDocumented reports whether a value is one of the access key IDs in Amazon's documentation.
func isDocumented(value string) bool {
	return value == "AKIAIOSFODNN7EXAMPLE" || value == "AKIAI44QH8DHBEXAMPLE"
}

var placeholders = sync.OnceValue(func() map[string]bool {
	return wordSet(`
	true false yes no on off none null nil undefined empty unset enabled disabled default auto always never optional
	required
	string text value values int integer number bool boolean object array list map any type name id str bytes char void
	file path option command flag argument arguments parameter fail
	secret secrets password passwords passwd passphrase pass token tokens key keys apikey auth credential credentials user
	username login
	changeme changeit change me example sample placeholder dummy fake mock test testing tests tester demo foo bar baz
	foobar my your the a an here todo
	expired invalid missing incorrect wrong valid ok failed failure success successful denied accepted rejected refused
	unknown not found
	changed updated created deleted removed expires expiring revoked mismatch mismatched matches match is was are has have
	must should cannot can
	for to from with in of at by and or if as be it this that when while because will
	admin administrator root guest anonymous postgres postgresql mysql mariadb redis mongo mongodb rabbitmq minio minioadmin elastic
	sa sys system localhost
	basic bearer digest negotiate ntlm oauth oauth2 jwt oidc ssh publickey trust md5 scram
	production staging development release debug local remote public private internal latest stable main master build
	deploy ci linux windows macos
	github gitlab docker self this cls args kwargs config settings env environ os process options opts params input request
	response
	keyfile certfile same origin lambda function await
	redacted masked hidden removed omitted include cookie cookies passwd pw pwd
`)
})

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}
