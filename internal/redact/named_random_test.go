package redact

import (
	_ "embed"
	"strings"
	"testing"
)

//go:embed testdata/sentences.txt
var randomForms string

// A random value is hidden in more forms than a word, such as in a sentence.
func TestRandomValuesAreHidden(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	for _, line := range strings.Split(strings.TrimSpace(randomForms), "\n")[1:] {
		for _, v := range []string{"Zq8vT3xKm1N0pQrS", "a7Kx2ZpQ9vLm4TnB"} {
			text := strings.NewReplacer("{S}", v, `\n`, "\n").Replace(line) + "\nlast line\n"
			for _, got := range []string{whole(red, text), byBytes(red, text)} {
				if strings.Contains(got, v) || !strings.HasSuffix(got, "\nlast line\n") {
					t.Errorf("%q became %q", text, got)
				}
			}
		}
	}
}

// The addresses of webhooks and the keys of services are found by the text around them.
func TestKeysInTheirSurroundings(t *testing.T) {
	t.Parallel()
	uuid, hash := "9184ec35-65d4-9258-61e3-0c066d0a45c5", "1f0e9d8c7b6a59481f0e9d8c7b6a5948"
	changes(t, map[string]string{
		`"routing_key": "` + hash + `"`:                         `"routing_key": "***"`,
		"integration_key=" + hash:                               "integration_key=***",
		"POST https://n8n.example.com/webhook/" + uuid:          "POST https://n8n.example.com/webhook/***",
		"https://hc-ping.com/Zq8vT3xKm1N0pQrSaB4cD6/job":        "https://hc-ping.com/***/job",
		"victorops.com/integrations/generic/2013/alert/" + uuid: "victorops.com/integrations/generic/2013/alert/***",
		"userPassword: {SSHA}Zq8vT3xKm1N0pQrSaB4cD6eF8gH0iJ2k":  "userPassword: {SSHA}***",
		"userPassword: {SHA}Zq8vT3xKm1N0pQrSaB4cD6eF8gA=":       "userPassword: {SHA}***",
		"X-Service-Key: " + hash:                                "X-Service-Key: ***",
		"X-Cache-Key: " + hash:                                  "",
		`"routing_key": "orders.created"`:                       "",
	})
}
