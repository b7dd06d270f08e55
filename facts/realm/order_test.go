package realm_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts/realm"
)

// chain returns a realm with imports. Each pair is a consumer and a provider.
func chain(imports ...[2]string) *realm.Realm {
	domain := func(i int, file, text string) realm.File {
		return realm.File{Path: fmt.Sprintf("domains/d%d/%s.yaml", i, file), Text: []byte(text)}
	}
	files := []realm.File{{Path: "realm.yaml", Text: []byte("name: r")}}
	for i, pair := range imports {
		files = append(files, domain(i, "domain", "members: ["+pair[0]+", "+pair[1]+"]"),
			domain(i, "contracts/c", "version: 1.0.0\nowner: "+pair[1]), domain(i, "bindings/"+pair[0], "imports: [c]"))
	}
	return realm.Read(files)
}

func TestProvidersAreMergedFirst(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		imports [][2]string
		members []string
		want    realm.Order
	}{
		{"nobody", nil, nil, realm.Order{}},
		{"by name", nil, []string{"c", "a", "b", "a"}, realm.Order{Members: []string{"a", "b", "c"}}},
		{"a chain", [][2]string{{"a", "b"}, {"b", "c"}, {"a", "c"}}, []string{"a", "b", "c"}, realm.Order{
			Members: []string{"c", "b", "a"}, After: map[string][]string{"a": {"b", "c"}, "b": {"c"}}}},
		{"only those that are asked for", [][2]string{{"a", "b"}, {"b", "c"}}, []string{"a", "c"}, realm.Order{
			Members: []string{"a", "c"}}},
		{"a circle, its provider and its consumer", [][2]string{{"b", "c"}, {"c", "b"}, {"b", "z"}, {"a", "c"}},
			[]string{"a", "b", "c", "z"}, realm.Order{Members: []string{"z", "b", "c", "a"},
				After: map[string][]string{"a": {"c"}, "b": {"z"}}, Cycles: [][]string{{"b", "c"}}}},
		{"own contracts", [][2]string{{"a", "a"}}, []string{"a"}, realm.Order{Members: []string{"a"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := chain(tt.imports...).Order(tt.members)
			if len(got.After) == 0 {
				got.After = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestNamesOfRFCs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"rfc-0042-new-api": true, "rfc/42": true, "a": true, "0.1_x": true, "feature/_x/-y": true,
		"": false, "../x": false, "a/../b": false, "a..b": false, "/a": false, "a/": false, "a//b": false, "-a": false,
		".a": false, "a/.b": false, "a.lock": false, "a.": false, "a b": false, "a\x00": false, "~/a": false, "a@{1}": false,
		"HEAD": false, "ä": false, "a\\b": false, "_a": false, "C:": false,
	} {
		if got := realm.IsRFC(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
	for _, tt := range [][3]string{
		{"", "new-api", "rfc/new-api"}, {"", "rfc-0042", "rfc-0042"}, {"", "rfc/0042", "rfc/0042"},
		{"feature/{rfc}", "x", "feature/x"}, {"feature/{rfc}", "feature/x", "feature/x"}, {"{rfc}-work", "x", "x-work"},
	} {
		if got := realm.BranchOf(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%v: %s", tt, got)
		}
	}
}

func TestTheTemplateOfBranchesIsOne(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]bool{"x/{rfc}": true, "{rfc}": true, "x": false, "../{rfc}": false,
		"{rfc} y": false} {
		_, err := realm.ParseConfig([]byte("realm: r\nrepo: a\nrfc_branch: '" + template + "'"))
		if (err == nil) != want {
			t.Errorf("%s: %v", template, err)
		}
	}
}
