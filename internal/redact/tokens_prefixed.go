package redact

import (
	"regexp"
	"strconv"
)

// prefixedTokens are tokens with a prefix that their service documents. The number is the min number of characters
// after the prefix. The max is 300, so a service may make its tokens longer.
var prefixedTokens = []struct {
	name, prefix string
	min          int
}{
	{"gitlab-runner-registration-new", "glrtr-", 20}, {"gitlab-feature-flags", "glffct-", 20},
	{"gitlab-workspace", "glwt-", 20},
	{"slack-browser", "xoxc-", 20}, {"slack-workflow", "xwfp-", 20},
	{"figma-oauth", "figu_", 40}, {"figma-refresh", "figr_", 40},
	{"linear-oauth", "lin_oauth_", 40}, {"supabase-oauth", "sbp_oauth_", 40},
	{"vault-recovery", "hvr.", 24}, {"contentful", "CFPAT-", 40},
	{"atlassian-scoped", "ATSTT3", 100}, {"heroku-uuid", "HRKU-", 36},
	{"buildkite-cluster", "bkct_", 36},
	{"cloudflare-key", "cfk_", 40}, {"elastic-cloud", "essu_", 40},
	{"stripe-organization", "sk_org_live_", 20}, {"liveblocks", "sk_prod_", 20},
	{"liveblocks-development", "sk_dev_", 20}, {"langfuse", "sk-lf-", 36},
	{"helicone", "sk-helicone-", 20}, {"together", "tgp_v1_", 40},
	{"anyscale", "esecret_", 24}, {"cerebras", "csk-", 48}, {"wandb", "wandb_v1_", 40},
	{"rootly", "rootly_", 64}, {"atlas", "mdb_sa_sk_", 36}, {"aiven", "AVNS_", 15},
	{"jsr", "jsrp_", 32}, {"jsr-token", "jsrt_", 32}, {"depot", "depot_org_", 40},
	{"depot-project", "depot_project_", 40}, {"tigris", "tsec_", 40}, {"runpod", "rpa_", 40},
	{"bedrock", "bedrock-api-key-", 40}, {"google-key", "AQ.Ab8RN6", 40}, {"browserbase", "bb_live_", 20},
	{"instagram-2024", "IGAA", 100},
	{"socket", "sktsec_", 40}, {"paddle", "pdl_live_apikey_", 40}, {"polar", "polar_oat_", 32},
	{"mailersend", "mlsn.", 64}, {"brevo-smtp", "xsmtpsib-", 64},
	{"42", "s-s4t2ud-", 64}, {"amazon-oauth", "amzn1.oa2-cs.v1.", 64}, {"amazon-mws", "amzn.mws.", 36},
	{"amazon-login", "Atza|", 100}, {"instagram", "IGQV", 100}, {"yandex-key", "AQVN", 35},
	{"dropbox-short", "sl.u.", 100},
	{"plaid", "access-production-", 36}, {"plaid-development", "access-development-", 36},
	{"plaid-sandbox", "access-sandbox-", 36},
	{"sentry-integration", "sntryi_", 40}, {"sentry-app", "sntrya_", 40}, {"upcloud", "ucat_", 24},
	{"weblate", "wlu_", 32}, {"weblate-project", "wlp_", 32}, {"logfire", "pylf_v1_", 36}, {"logfire-2", "pylf_v2_", 36},
	{"cockroach", "CCDB1_", 40}, {"onesignal", "os_v2_app_", 40}, {"onesignal-organization", "os_v2_org_", 40},
	{"zuplo", "zpka_", 36}, {"codesandbox", "csb_v1_", 32}, {"stytch", "secret-live-", 36},
	{"stytch-test", "secret-test-", 36}, {"modrinth", "mrp_", 50}, {"dbt", "dbtc_", 30}, {"dbt-user", "dbtu_", 30},
	{"kaggle", "KGAT_", 32}, {"cursor-user", "crsr_", 40}, {"n8n", "n8n_api_", 40}, {"scrapfly", "scp-live-", 32},
	{"hex-tech", "hxtp_", 40}, {"persona", "persona_production_", 32}, {"persona-sandbox", "persona_sandbox_", 32},
	{"midtrans", "Mid-server-", 20}, {"xendit", "xnd_production_", 40}, {"xendit-development", "xnd_development_", 40},
	{"notify", "gcntfy-", 40}, {"volcengine", "AKLT", 30}, {"daytona", "dtn_", 40}, {"samsara", "samsara_api_", 24},
	{"wakatime", "waka_", 36}, {"val-town", "vtwn_", 20}, {"turbopuffer", "tpuf_", 30}, {"cartesia", "sk_car_", 20},
	{"context7", "ctx7sk-", 30}, {"linkedin", "WPL_AP1.", 14}, {"coralogix", "cxtp_", 24}, {"coralogix-user", "cxup_", 24},
	{"gitbook", "gb_api_", 30}, {"checkout", "sk_sbox_", 20}, {"percy", "web_", 64}, {"argos", "argos_", 34},
	{"namespace", "nsct_", 24}, {"namespace-runner", "nsrt_", 24}, {"open-vsx", "ovsxp_", 32},
	{"open-vsx-access", "ovsxat_", 32},
	{"adafruit", "aio_", 28}, {"headscale", "hskey-", 40}, {"swarm", "SWMTKN-1-", 50}, {"swarm-key", "SWMKEY-1-", 40},
	{"canva", "cnvca", 48}, {"baidu", "bce-v3/ALTAK-", 21},
}

// boundedTokens are tokens whose prefix also occurs in ordinary text. Their length or their characters show that
// they are tokens.
var boundedTokens = []struct{ name, pattern string }{
	{"packagist", `ckagist_[a-z]{3}_([0-9a-f]{60,80})`}, // few lines have these four letters
	{"netlify-kinds", `\bnf[bcou]_[0-9A-Za-z]{36,64}`},
	{"vercel", `\bvc[aikpr]_[0-9A-Za-z]{24,100}`},
	{"prefect-service", `\bpnb_[0-9A-Za-z]{36}`},
	{"deno", `\bdd[opw]_[0-9A-Za-z]{36}`},
	{"adyen", `\bAQE[a-z]hmfx[\w+/-]{60,}`},
	{"voyage", `\bpa-[\w-]{43}\b`},
	{"airtable", `\bpat[0-9A-Za-z]{14}\.[0-9a-f]{64}\b`},
	{"cursor", `\bkey_[0-9a-f]{64}\b`},
	{"sourcegraph-license", `\bslk_[0-9a-f]{64}\b`},
	{"firecrawl", `\bfc-[0-9a-f]{32}\b`},
	{"inngest", `\bsignkey-[a-z]{4,8}-([0-9a-f]{64})\b`},
	{"trigger", `\btr_pat_[0-9a-z]{40}\b`},
	{"axiom", `\bxa[ap]t-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`},
	{"clickup", `\bpk_[0-9]{6,10}_[0-9A-Z]{32}\b`},
	{"klaviyo", `\bpk_[0-9a-f]{34}\b`},
	{"facebook", `\bEAA[0-9A-Za-z]{100,}`},
	{"flutterwave-key", `\bFLWSECK-([0-9a-f]{32}-X)\b`},
	{"asana", `\b1/[0-9]{15,17}:([0-9a-f]{32})\b`},
	{"asana-account", `\b2/[0-9]{15,17}/[0-9]{15,17}:([0-9a-f]{32})\b`},
	{"xata", `\bxau_[0-9A-Za-z]{20,64}`},
	{"snyk", `\bsnyk_[us]at\.[0-9a-f]{8}\.[\w.-]{20,300}`},
	{"databricks-oauth", `\bdose[0-9a-f]{32}`},
	{"dropbox", `\bsl\.[\w-]{130,300}`},
	{"age-post-quantum", `AGE-SECRET-KEY-PQ-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,300}`},
	{"minisign", `\bRWRTY0Iy([0-9A-Za-z+/]{150,}={0,2})`},
	{"signify", `\bRWRCSw([0-9A-Za-z+/]{100,}={0,2})`},
	{"slack-cookie", `\bxoxd-[\w%-]{20,400}`},
	{"azure-sas-first", `\bsig=([\w%+/-]{43,90})`},
	{"discordapp-webhook", `discordapp\.com/api/webhooks/[0-9]{17,20}/([\w-]{60,80})`},
	{"zapier-webhook", `hooks\.zapier\.com/hooks/catch/([0-9]{3,12}/\w{5,20})`},
	{"tailscale-old", `\btskey-[0-9A-Za-z]{10,40}-[0-9A-Za-z]{20,64}`},
	{"honeycomb", `\bhcaik_[0-9a-z]{32,80}`},
	{"honeycomb-classic", `\bhcaic_[0-9a-z]{32,80}`},
	{"honeycomb-management", `\bhcamk_[0-9a-z]{32,80}`},
	{"deepseek", `\bsk-[0-9a-f]{32}\b`},
	{"elevenlabs", `\bsk_[0-9a-f]{48}\b`},
	{"mapbox", `\bsk\.eyJ[\w-]{30,300}\.[\w-]{20,40}`},
	{"confluent", `\bcflt[0-9A-Za-z+/]{60}`},
	{"clickhouse", `\b4b1d[0-9A-Za-z]{38}\b`},
	{"dynatrace-platform", `\bdt0s[0-9]{2}\.[0-9A-Z]{8,24}\.[0-9A-Z]{64}`},
	{"aws-session-token", `\bIQoJb3JpZ2lu([\w+/%=]{80,})`},
	{"aws-session-token-old", `\bF[wQ]oGZXIvYXdz([\w+/%=]{80,})`},
	{"aws-appsync", `\bda2-[0-9a-z]{26}\b`},
	{"intercom", `\bdG9rOm[\w+/=]{30,100}`},
	{"salesforce", `\b00D[0-9A-Za-z]{12}!([\w.]{80,200})`},
	{"harness", `\b[ps]at\.[\w-]{22}\.[0-9a-f]{24}\.[0-9A-Za-z]{20}\b`},
	{"octopus", `\bAPI-[0-9A-Z]{25,36}\b`},
	{"teamcity", `\beyJ0eXAiOiAiVENWMiJ9\.[\w-]{20,300}\.[\w-]{20,300}`},
	{"k3s", `\bK10[0-9a-f]{64}::[\w.-]{1,40}:([\w.-]{8,200})`},
	{"portainer", `\bptr_[0-9A-Za-z+/]{43}=`},
	{"jwe", `\beyJ[\w-]{14,}\.[\w-]{0,1000}\.[\w-]{12,24}\.[\w-]{1,}\.[\w-]{16,}`},
	{"paseto", `\bv[1-4]\.local\.[\w-]{40,}`},
	{"paseto-public", `\bv[1-4]\.public\.[\w-]{60,}`},
	{"paserk", `\bk[1-4]\.local\.[\w-]{40,}`},
	{"paserk-secret", `\bk[1-4]\.secret\.[\w-]{40,}`},
	// A macaroon begins with the length of its first field, in four hex digits, and the name of the field, location.
	{"macaroon", `\bMDA[w-z][0-9A-Za-z]{2}xvY2F0aW9u([\w+/-]{40,}={0,2})`},
	{"saml", `\bPHNhbWx([\w+/]{60,}={0,2})`}, // <saml in base64
	{"conda", `/t/([a-z]{2}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/`},
	{"verification-code", `erification code is ([0-9]{4,8})\b`},
	{"verification-code-field", `erification code: ([0-9]{4,8})\b`},
	{"werkzeug-pin", `PIN: ([0-9]{3}-[0-9]{3}-[0-9]{3})\b`},
	{"yandex-oauth", `\by0_[\w-]{55,70}`},
	{"yandex-iam", `\bt1\.[\w-]{40,400}\.[\w-]{86}`},
	{"trello", `\bATTA[0-9a-f]{60,100}\b`},
	{"youtrack", `\bperm[:-][\w+/=]{4,60}\.[\w+/=-]{2,60}\.(\w{20,60})\b`},
	{"tinybird", `\bp\.eyJ[\w-]{20,300}\.([\w-]{20,60})`},
	{"roblox", `_\|WARNING:-DO-NOT-SHARE-THIS[^\n|]{0,200}\|_([0-9A-Za-z]{100,1000})`},
	{"metabase", `\bmb_[0-9A-Za-z+/]{43}=`},
	{"localstack", `\bls-[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}\b`},
	{"tencent", `\bAKID[0-9A-Za-z]{32}\b`},
	{"asaas", `\$aact_([\w:=-]{60,300})`},
	{"chroma", `\bck-[0-9A-Za-z]{43,44}\b`},
	{"woocommerce", `\bc[ks]_[0-9a-f]{40}\b`},
	{"openai-session", `\bsess-[0-9A-Za-z]{40}\b`},
	{"runway", `\bkey_[0-9a-f]{128}\b`},
	{"convex", `\bprod:[a-z]{1,30}-[a-z]{1,30}-[0-9]{1,4}\|([\w+/=]{40,300})`},
	{"zoho", `\b1000\.[0-9a-f]{32}\.[0-9a-f]{32}\b`},
	{"buildkite-job", `\bbka[jt]_[0-9A-Za-z]{36,60}\b`},
	{"proxmox", `PVEAPIToken=[^\s=]{3,80}=([0-9a-f-]{36})`},
	{"porkbun", `\b[ps]k1_[0-9a-f]{64}\b`},
	{"backblaze", `\bK00[0-9][0-9A-Za-z+/]{27}\b`},
	{"miro", `\beyJtaXJv[\w-]{20,200}`},
	{"statsig", `\bsecret-[0-9A-Za-z]{40,50}\b`},
	{"lob", `\blive_[0-9a-f]{35}\b`},
	{"netbird", `\bnbp_[0-9A-Za-z]{36}\b`},
	{"chromatic", `\bchpt_[0-9a-z]{10,20}\b`},
	{"laravel", `e64:([0-9A-Za-z+/]{43}=)`}, // APP_KEY begins with base64:
	{"firebase-messaging", `:APA91b([\w-]{120,200})`},
	{"nostr", `\bnsec1[023456789acdefghjklmnpqrstuvwxyz]{58}\b`},
	{"wallet", `\b[tx-z]prv[1-9A-HJ-NP-Za-km-z]{100,112}\b`},
	{"sui", `\bsuiprivkey1[0-9a-z]{50,80}\b`},
	{"aptos", `ed25519-priv-0x([0-9a-f]{64})`},
	{"aptos-secp256k1", `secp256k1-priv-0x([0-9a-f]{64})`},
	{"near", `\bed25519:([1-9A-HJ-NP-Za-km-z]{85,90})\b`},
	{"nix-key", `-1:([0-9A-Za-z+/]{86}==)`},
	{"adobe", `\bp8e-[0-9A-Za-z_-]{32}`},
	{"mattermost-hook", `/hooks/([0-9a-z]{26})\b`},
	{"rocket-hook", `/hooks/[0-9A-Za-z]{17,24}/([0-9A-Za-z]{40,70})\b`},
	{"office-webhook", `office\.com/webhook/([0-9a-zA-Z@/-]{80,300})`},
	{"make-hook", `\.make\.com/([0-9a-z]{32})\b`},
	{"healthchecks", `hc-ping\.com/([0-9a-f-]{36})`},
	// These are private keys in base64 without a first line: RSA, EC and Ed25519 in DER, and OpenSSH's own format.
	{"key-rsa", `IBAAKCA[gQ]EA([0-9A-Za-z+/]{40,}={0,2})`},
	{"key-pkcs8", `IBADANBgkqhkiG9w0BAQEFAASC([0-9A-Za-z+/]{40,}={0,2})`},
	{"key-ec", `\bMHcCAQEEI([0-9A-Za-z+/]{40,}={0,2})`},
	{"key-ec-pkcs8", `\bMIGHAgEAMBMGByqGSM49([0-9A-Za-z+/]{40,}={0,2})`},
	{"key-ed25519", `\bMC4CAQAwBQYDK2VwBCIEI([0-9A-Za-z+/]{40,}={0,2})`},
	{"key-openssh", `\bb3BlbnNzaC1rZXktdjEA([0-9A-Za-z+/]{40,}={0,2})`},
}

// compilePrefixed returns the shapes of prefixedTokens, boundedTokens and markedTokens.
func compilePrefixed(r *patternReader) []*shape {
	var list []*shape
	for _, t := range prefixedTokens {
		c := r.compile(t.name, `\b`+regexp.QuoteMeta(t.prefix)+`[\w.=+-]{`+strconv.Itoa(t.min)+`,300}`)
		c.check = func(token string) bool { return isGenerated(token[len(t.prefix):]) }
		list = append(list, c)
	}
	for _, t := range boundedTokens {
		list = append(list, r.compile(t.name, t.pattern))
	}
	return append(list, markedShapes()...)
}

// isGenerated reports whether a text looks generated, and not like a name that somebody chose. A generated text has
// letters in both cases, capital letters with digits, or at least four digits.
func isGenerated(text string) bool {
	letters, digits, _ := count(text)
	upper := 0
	for i := range len(text) {
		if text[i] >= 'A' && text[i] <= 'Z' {
			upper++
		}
	}
	return digits > 3 || upper > 0 && (digits > 0 || upper < letters)
}
