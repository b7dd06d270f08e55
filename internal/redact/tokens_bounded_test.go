package redact

import (
	"strings"
	"testing"
)

// TestTokensOfTheLastYears checks that tokens of recent formats are masked. Similar texts that are no tokens stay
// unchanged.
func TestTokensOfTheLastYears(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("0a1b2c3d4e5f6789", 8)
	mixed := strings.Repeat("aQ7xK2Zp9", 20)
	uuid := "9184ec35-65d4-9258-61e3-0c066d0a45c5"
	texts := map[string]string{
		"Secret ID    = " + uuid:              "Secret ID    = ***",
		"signkey-prod-" + hex[:64]:            "signkey-prod-***",
		"1/1234567890123456:" + hex[:32]:      "1/1234567890123456:***",
		"FLWSECK-" + hex[:32] + "-X":          "FLWSECK-***",
		"pa-" + mixed[:20]:                    "",
		"key_" + hex[:32]:                     "",
		"EAA" + mixed[:40]:                    "",
		"Accessor ID  = " + uuid:              "",
		"fc-" + hex[:31]:                      "",
		"pat" + mixed[:14] + ".example.com":   "",
		"bedrock-api-key-of-the-test-account": "",
	}
	for _, token := range []string{"pa-" + mixed[:43], "pat" + mixed[:14] + "." + hex[:64], "key_" + hex[:64],
		"slk_" + hex[:64], "fc-" + hex[:32], "tr_pat_" + hex[:40], "xaat-" + uuid, "xapt-" + uuid,
		"pk_12345678_" + strings.ToUpper(hex[:32]), "pk_" + hex[:34], "EAA" + mixed[:120], "AQEahmfx" + mixed[:80],
		"ddw_" + mixed[:36]} {
		texts["using "+token+" now"] = "using *** now"
	}
	changes(t, texts)
}
