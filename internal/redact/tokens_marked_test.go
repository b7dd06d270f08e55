package redact

import (
	"strings"
	"testing"
)

// Azure, Azure DevOps and New Relic mark their keys in the middle or at the end. Keys with these marks are removed.
func TestTokensByTheirMiddleOrEnd(t *testing.T) {
	t.Parallel()
	mixed, hex := strings.Repeat("aQ7xK2Zp9", 20), strings.Repeat("0a1b2c3d4e5f6789", 8)
	texts := map[string]string{}
	for _, token := range []string{
		mixed[:52] + "JQQJ99BHACYeBjFXJ3w3AAABACOGa7Bc", mixed[:52] + "JQQJ9DBHACYeBjFXJ3w3AAABACOGa7BcAB==",
		mixed[:76] + "AZDO4x7Q", hex[:36] + "NRAL", hex[:32] + "FFFFNRAL", "eu01xx" + hex[:30] + "NRAL",
		mixed[:40] + "/" + mixed[:35] + "+AStR3dQ7x==", mixed[:76] + "ACDbR3dQ7x==", mixed[:76] + "+ABaR3dQ7x==",
		mixed[:33] + "+ASbD3dQ7=", mixed[:33] + "+AEhD3dQ7=", mixed[:33] + "+ARmD3dQ7=", mixed[:33] + "AIoTD3dQ7=",
		mixed[:42] + "+ACRD3dQ7x", mixed[:42] + "AzSeD3dQ7x", mixed[:33] + "AzCaD3dQ7=", mixed[:20] + "_-" + mixed[:22] +
			"AzFuD3dQ7w==", mixed[:76] + "APIMD3dQ7x==", mixed[:76] + "AZEGD3dQ",
	} {
		texts["using "+token+" now"] = "using *** now"
		texts["key: \""+token+"\","] = "key: \"***\","
	}
	for _, text := range []string{"the word JQQJ9 and AZDO, ACDb", mixed[:20] + "AZDO4x7Q", "GENERAL and cNRAL",
		strings.Repeat("name", 20) + "AZDOabcd", strings.Repeat("long/path/of/a/", 8) + "+AStand/more"} {
		texts[text] = ""
	}
	changes(t, texts)
}

// The secret parts of webhook addresses are removed. Everyone who knows such an address can call the webhook.
func TestAddressesOfWebhooks(t *testing.T) {
	t.Parallel()
	mixed, hex := strings.Repeat("aQ7xK2Zp9", 20), strings.Repeat("0a1b2c3d4e5f6789", 8)
	uuid := "9184ec35-65d4-9258-61e3-0c066d0a45c5"
	slack := "https://hooks.slack.com/"
	changes(t, map[string]string{
		slack + "workflows/T016NEJQWE9/A01768L2QA0/298347298347298347/" + mixed[:24]: slack + "workflows/***",
		slack + "triggers/T016NEJQWE9/2983472983472/" + hex[:32]:                     slack + "triggers/***",
		"https://discord.com/api/v10/webhooks/123456789012345678/" + mixed[:68]: "https://discord.com/api/v10/webhooks/" +
			"123456789012345678/***",
		"https://discordapp.com/api/v6/webhooks/123456789012345678/" + mixed[:68]: "https://discordapp.com/api/v6/" +
			"webhooks/123456789012345678/***",
		"https://events.pagerduty.com/integration/" + hex[:32] + "/enqueue": "https://events.pagerduty.com/" +
			"integration/***/enqueue",
		"https://open.feishu.cn/open-apis/bot/v2/hook/" + uuid: "https://open.feishu.cn/open-apis/bot/v2/hook/***",
		"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=" + uuid: "https://qyapi.weixin.qq.com/cgi-bin/" +
			"webhook/send?key=***",
		"https://maker.ifttt.com/trigger/red/with/key/" + mixed[:22]:    "https://maker.ifttt.com/trigger/red/with/key/***",
		"https://discord.com/api/v10/webhooks/123456789012345678":       "",
		"https://github.com/bot/v2/hook/readme.md":                      "",
		`dotnet sonarscanner begin /d:sonar.login="` + mixed[:16] + `"`: `dotnet sonarscanner begin /d:sonar.login="***"`,
	})
}
