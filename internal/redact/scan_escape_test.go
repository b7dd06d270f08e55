package redact

import (
	"strings"
	"testing"
)

// A token begins behind an escape, although the escape ends with a letter or a digit.
func TestTokensBehindEscapes(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	mixed := strings.Repeat("aQ7xK2Zp9", 20)
	for _, token := range []string{"npm_" + mixed[:36], "AKIAQYLPMN5HHHFPZAM2", "glc_" + mixed[:40],
		"hvs." + mixed[:90], "sk_org_" + mixed[:24], "BSA" + mixed[:28], "MHcCAQEEI" + mixed[:60], "figd_" + mixed[:40],
		webTokenHeader + ".\n" + webTokenClaims + ".\n" + webTokenSign, "cog_" + strings.Repeat("a7xk2zp4q", 6)[:52]} {
		for _, escape := range []string{`\n`, `\t`, `\r\n`, `\\n`, "%3D", "%3a", `\u003d`, `\x3d`, `\075`,
			"\x1b[32m", `\x1b[1;32m`, `\033[0m`, `\u001b[31m`, `\e[0m`, `\0`} {
			for _, head := range []string{"", "the value: "} {
				text := head + escape + token + "\nlast line\n"
				for _, got := range []string{whole(red, text), inLines(red, text), byBytes(red, text)} {
					if strings.Contains(got, token[len(token)-8:]) || !strings.HasSuffix(got, "\nlast line\n") {
						t.Errorf("%q became %q", text, got)
					}
				}
			}
		}
	}
}

// Names and paths that contain the characters of an escape stay unchanged.
func TestWordsBehindEscapesStay(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, text := range []string{`C:\new\npm_cache\file`, `C:\tools\glc_settings`, `100%AAlive_streaming`,
		`\npm_config_registry`, `in[3mAKIA of the list`, `\nkey_of_the_map: value`,
		`{"a":"first\nsecond_line_of_it\tthird"}`,
		`name[32mpackage_of_the_year_2024`} {
		texts[text] = ""
	}
	changes(t, texts)
}

// The name of a secret begins behind an escape, and its value ends before one.
func TestNamesAndValuesBesideEscapes(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	const v = "Zq8vT3xKm1N0pQrS"
	for _, form := range []string{"Api-Key: {S}", "Secret key: {S}", "Recovery Key 1: {S}", "signing_key: {S}",
		"token {S} is expired", "admin password {S}", "Created API key {S}", "X-RapidAPI-Key: {S}",
		"(user=bob, password={S})",
		"User(name=bob, password={S})", "map[Authorization:[token {S}]]", "map[Authorization:[Bearer {S}]]"} {
		form = strings.ReplaceAll(form, "{S}", v)
		for _, text := range []string{`{"msg":"first line\n` + form + `\nlast line"}`,
			`'first line\n` + form + `\nlast line'`, `{"msg":"` + form + `"}`, "\x1b[32m" + form + "\x1b[0m",
			"\x1b[1;32m" + form + "\x1b[0m",
			`\x1b[32m` + form + `\x1b[0m`} {
			for _, got := range []string{whole(red, text+"\n"), inLines(red, text+"\n"), byBytes(red, text+"\n")} {
				if strings.Contains(got, v) {
					t.Errorf("%q became %q", text, got)
				}
			}
		}
	}
}
