package redact

import (
	"strings"
	"testing"
)

// The lengths and the characters of tokens are those that their services document, or that several scanners of secrets
// agree on.
func TestTokensInTheirDocumentedLengths(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("0a1b2c3d4e5f6789", 30)
	mixed := strings.Repeat("aQ7xK2Zp9", 80)
	lower := strings.Repeat("a7xk2zp9q", 20)
	uuid := "9184ec35-65d4-9258-61e3-0c066d0a45c5"
	texts := map[string]string{}
	for _, token := range []string{
		"glptt-" + mixed[:20], "glimt-" + lower[:22], "glagent-" + mixed[:20],
		"glagent-" + mixed[:40] + ".01.0w1234567",
		"xapp-123456789012-" + mixed[:24], "AKCp" + mixed[:68], "AKCp" + mixed[:70], "whsec_" + mixed[:70],
		"shpat_" + mixed[:64], "gsk_" + mixed[:50], "gsk_" + mixed[:54], "xai-" + mixed[:30] + "_-" + mixed[:50],
		"ops_eyJ" + mixed[:200] + "_-" + mixed[:200], "LTAI" + mixed[:12], "LTAI" + mixed[:17], "LTAI" + mixed[:21],
		"bkua_" + lower[:53], "bkaj_" + mixed[:333], "bkar_" + mixed[:73], "bkpt_" + mixed[:199],
		"bkps_" + mixed[:64],
		"bkpat_" + mixed[:54], "figd_" + mixed[:38], "figp_" + mixed[:54], "eyJrIjoi" + mixed[:40],
		"lin_api_" + mixed[:64], "phx_" + mixed[:49], "apify_api_" + mixed[:34],
		"tskey-webhook-" + mixed[:16] + "-" + mixed[:32],
		"napi_" + mixed[:64], "sgd_" + hex[:64], "sgs_" + hex[:64], "pk_1234567_" + lower[:32],
		"1001." + hex[:32] + "." + hex[:32],
		"pat." + mixed[:22] + "." + mixed[:24] + "." + mixed[:20], "t1." + mixed[:90] + "==." + mixed[:86],
		"1/1234567890123456:" + mixed[:32], "s-s4t2af-" + hex[:64], "mlsn." + mixed[:30], "Mid-server-" + mixed[:10],
		"SWMTKN-2-1-" + lower[:50] + "-" + lower[:25], "polar_pat_" + mixed[:20], "polar_at_" + mixed[:30],
		"pdl_sdbx_apikey_" + lower[:26] + "_" + mixed[:22] + "_" + mixed[:3], "persona_sandbox_" + lower[:20],
		"sk_org_" + mixed[:24], "rk_prod_" + mixed[:24], "hcamk_" + lower[:26] + ":" + mixed[:32],
		"hcxmk_" + lower[:26], "hcbik_" + lower[:58], "$aact_hmlg_" + mixed[:20],
		"vck_" + mixed[:20] + "_-" + mixed[:34],
	} {
		texts["using "+token+" now"] = "using *** now"
	}
	for _, kept := range []string{"$aact_", "1/1234567890123456:"} {
		for text, want := range texts {
			if strings.HasPrefix(text, "using "+kept) {
				texts[text] = strings.Replace(want, "***", kept+"***", 1)
			}
		}
	}
	for text, want := range map[string]string{
		"hooks.slack-gov.com/services/T016NEJQWE9/B01768L2QA0/" + mixed[:24]: "hooks.slack-gov.com/services/***",
		"glptt-of-the-job": "", "figp_is_no_token": "", "bkar_the_name": "", "t1.micro": "", "1001.5 and 1003.25": "",
		"live_" + uuid: "",
	} {
		texts[text] = want
	}
	changes(t, texts)
}

// Tokens of these services are hidden. The documentation of each service says how its tokens begin.
func TestTokensOfFurtherServices(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("0a1b2c3d4e5f6789", 30)
	mixed := strings.Repeat("aQ7xK2Zp9", 80)
	upper := strings.Repeat("A7XK2ZP9Q", 10)
	texts := map[string]string{
		"AstraCS:" + mixed[:24] + ":" + hex[:64]:            "AstraCS:***",
		"git&202601021530&" + mixed[:86] + "==":             "git&202601021530&***",
		"sc_aq7xk2.1fv0.acc-" + hex[:16] + "." + mixed[:64]: "sc_aq7xk2.1fv0.acc-" + hex[:16] + ".***",
		"configcat-sdk-1/" + mixed[:22] + "/" + mixed[:22]:  "configcat-sdk-1/***",
		"ZXlKaGJHY2lPaU" + mixed[:80]:                       "ZXlKaGJHY2lPaU***",
		"ZXlKMGVYQWlPaU" + mixed[:80]:                       "ZXlKMGVYQWlPaU***",
		"ZXlKcmFXUWlP" + mixed[:80]:                         "ZXlKcmFXUWlP***",
	}
	for _, token := range []string{
		"api_live." + mixed[:40], "api_live_us." + mixed[:40], "api_sandbox." + mixed[:40], "llx-" + mixed[:48],
		"csa_" + hex[:30] + mixed[:6], "tss_" + mixed[:36], "apk_" + mixed[:84] + "=",
		"apk_user_" + mixed[:140] + "==",
		"cog_" + strings.Repeat("a7xk2zp4q", 6)[:52], "odt_" + mixed[:32], "bb_pr_" + hex[:30], "bb_ma_" + hex[:30],
		"BBDC-" + mixed[:20] + "/@+" + mixed[:21], "sk_2x1_" + hex[:64], "sk_1234_123456_" + hex[:32],
		"live_auth_" + hex[:32], "live_123456789_" + mixed[:30], "sqco_" + mixed[:59], "spu-" + hex[:32],
		"hawk." + mixed[:20] + "." + mixed[:20], "VF." + hex[:24] + "." + mixed[:16],
		"VF.DM." + hex[:24] + "." + mixed[:16],
		"hf_oauth_eyJ" + mixed[:30] + ".eyJ" + mixed[:60] + "." + mixed[:86],
		"hf_jwt_eyJ" + mixed[:30] + "." + mixed[:60],
		"GOOG1E" + strings.Repeat(upper, 2)[:55], "EXO" + hex[:24], "CAIS" + mixed[:300] + "=",
		"endr+" + mixed[:16], "BSA" + mixed[:28], "lip_" + mixed[:20],
		"live_" + mixed[:30], "sk-" + mixed[:30] + "T3BlbkFJ" + mixed[:30],
		"sk-None-" + mixed[:20] + "T3BlbkFJ" + mixed[:20],
	} {
		texts["using "+token+" now"] = "using *** now"
	}
	for _, text := range []string{"api_live.go", "api_sandbox.test.ts",
		"BSAFE and BSA_PROCESSOR_DEFAULT_SETTINGS_OF_TESTS", "EXO",
		"lip_sync_of_the_avatar", "lip_synchronizationOfTheAvatar", "live_streaming_of_the_conference_room",
		"hf_oauth_scopes",
		"hf_oauth_expiration_minutes: 480", "0.Alpha and 1.Asset", "hawk.js", "VF.DM.md", "git&&make",
		"src/main.acc_test.go",
		"live_" + hex[:32], "sk_1234_test", "apk_build/outputs/apk/release/app-release-unsigned.apk", "csa_list",
		"live_VideoStreamingConfigurationManager", "T3BlbkFJ"} {
		texts[text] = ""
	}
	changes(t, texts)
}
