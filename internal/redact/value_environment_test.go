package redact

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSecretsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	keyFile := strings.Repeat("MIIKWgIBAzCCCg12", 20)
	for _, tt := range []struct {
		entry string
		want  []string
	}{
		{"GITHUB_TOKEN=ghs_abc123", []string{"ghs_abc123"}},
		{"API_KEY=abc123XYZ", []string{"abc123XYZ"}},
		{"aws_secret_access_key=abc/123+XYZ", []string{"abc/123+XYZ"}},
		{"PGPASSWORD=hunter22", []string{"hunter22"}},
		{"MYSQL_PWD=hunter22", []string{"hunter22"}},
		{"npm_config__authToken=abc123XYZ", []string{"abc123XYZ"}},
		{"AUTHORIZATION=Basic abc123XYZ", []string{"Basic abc123XYZ"}},
		{"INPUT_API-KEY=abc123XYZ", []string{"abc123XYZ"}},
		{"SIGNING_KEY=correct-horse-battery-staple", []string{"correct-horse-battery-staple"}},
		{"MY_TOKEN=  abc123XYZ\n", []string{"abc123XYZ"}},
		{"DATABASE_URL=postgres://app:p%40ssw0rd@db/x", []string{"p@ssw0rd", "p%40ssw0rd"}},
		{"STORE=AccountName=a;AccountKey=abc123XYZ==;x=y", []string{"abc123XYZ=="}},
		{"SLACK_WEBHOOK=https://hooks.example.com/T1/abc", []string{"https://hooks.example.com/T1/abc"}},
		{"TEAMS_WEBHOOK_URL=https://hooks.example.com/T1/abc", []string{"https://hooks.example.com/T1/abc"}},
		{"SSHPASS=hunter22", []string{"hunter22"}},
		{"ADMIN_PW=hunter22", []string{"hunter22"}},
		{"TS_AUTHKEY=abc123XYZ", []string{"abc123XYZ"}},
		{"COMPASS=north-12", nil},
		{"KUBE_CONFIG=" + keyFile, []string{keyFile}},
		{"CERT_P12=" + keyFile, []string{keyFile}},
		{"KUBECONFIG=/home/bob/.kube/config-12", nil},
		{`CLOUD_CREDENTIALS={"type": "account", "private_key": "a1b2c3d4e5"}`,
			[]string{`{"type": "account", "private_key": "a1b2c3d4e5"}`, "a1b2c3d4e5"}},
		{"DB_PASSWORD=correcthorse", []string{"correcthorse"}},
		{"MY_PIN=482913", []string{"482913"}},
		{"SMTP_PASS=hunter", []string{"hunter"}},
		{"APP_SECRET=Correct-Horse", []string{"Correct-Horse"}},
		{"npm_config_otp=482913", []string{"482913"}},
		{"TF_VAR_db_password=hunter", []string{"hunter"}},
		{"CREDENTIALS=hunter", []string{"hunter"}},
		{"SIGNING_PASSPHRASE=battery", []string{"battery"}},
		{"ORIGIN=https://a1b2c3d4e5f6a7b8c9@git.example.com/r", []string{"a1b2c3d4e5f6a7b8c9"}},
		{"ORIGIN=https://continuous-integration@git.example.com/r", nil},
		{"SSO_JWT=abc123XYZ", []string{"abc123XYZ"}},
		{"MAX_TOKENS=200000", nil},
		{"TEST_KEY=test-key", nil},
		{"USE_TOKEN=true", nil},
		{"HAS_KEY=1", nil},
		{"POSTGRES_PASSWORD=postgres", nil},
		{"PASSWORD=Changeme", nil},
		{"PIN_SECRET=123456", nil},
		{"MY_SECRET=********", nil},
		{"DEPLOY_KEY=" + file, nil},
		{"DEPLOY_KEY=" + filepath.Join(filepath.Dir(file), "not-there-1"), nil},
		{"SSH_AUTH_SOCK=" + file, nil},
		{"TOKEN_URL=https://example.com/token1", nil},
		{"CACHE_KEY=linux-abc123", nil},
		{"SSH_PUBLIC_KEY=ssh-ed25519 AAAA1", nil},
		{"KEYBOARD=abc123XYZ", nil},
		{"GIT_AUTHOR_NAME=Jane Doe 2", nil},
		{"PWD=/home/jane2", nil},
		{"REGISTRY_PASS=jane-doe42", nil},
	} {
		got := FromEnvironment([]string{"USER=jane-doe42", tt.entry})
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.entry, got, tt.want)
		}
	}
}
