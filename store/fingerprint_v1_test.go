package store

import "testing"

// strippedV1 maps messages to the results of stripVolatileV1.
var strippedV1 = map[string]string{
	"":                                     "",
	"no digits, no paths":                  "no digits, no paths",
	"0x7ffd12":                             "<addr>",
	"0x1f":                                 "0x1f",
	"0x1f0":                                "<addr>",
	"x0x7ffd12":                            "x0x7ffd12",
	"0x7ffg12":                             "0x7ffg12",
	"0x7FfDaA":                             "<addr>",
	"1x7ffd12":                             "1x7ffd12",
	"550e8400-e29b-41d4-a716-446655440000": "<uuid>",
	"550e8400-e29b-41d4-a716-44665544000g": "550e8400-e29b-41d4-a716-44665544000g",
	"550e840g-e29b-41d4-a716-446655440000": "550e840g-e29b-41d4-a716-446655440000",
	"550e8400-e29g-41d4-a716-446655440000": "550e8400-e29g-41d4-a716-446655440000",
	"550e8400-e29b-41g4-a716-446655440000": "550e8400-e29b-41g4-a716-446655440000",
	"550e8400-e29b-41d4-g716-446655440000": "550e8400-e29b-41d4-g716-446655440000",
	"550e8400-g29b-41d4-a716-446655440000": "550e8400-g29b-41d4-a716-446655440000",
	"2026-01-02":                           "<time>",
	"2026-x1-02":                           "2026-x1-02",
	"2026-01-x2":                           "2026-01-x2",
	"2026/01/02":                           "<time>",
	"2026/01-02":                           "2026/01-02",
	"2026.01.02":                           "2026.01.02",
	"on 2026-01-02":                        "on <time>",
	"2026-01-02T03:04:05Z.":                "<time>.",
	"2026-01-02 03:04:05":                  "<time>",
	"2026-01-02x03:04:05":                  "<time>x03:<n>:<n>",
	"2026-01-02 3 files":                   "<time> 3 files",
	"2026-01-02 03:04:05,123 x":            "<time> x",
	"2026-01-02T03:04:05.123Z":             "<time>",
	"03:04:05":                             "<time>",
	"03:04:05.090 end":                     "<time> end",
	"03:04:05.":                            "<time>",
	"03:04:05Z end":                        "<time> end",
	"03:04:05-07":                          "<time>-07",
	"03:04:5":                              "03:<n>:<n>",
	"03:4:05":                              "03:<n>:<n>",
	"0.03s":                                "<duration>",
	"in 12 ms":                             "in <duration>",
	"1.5 seconds ago":                      "<duration> ago",
	"9 secs, 90 sec":                       "<duration>, <duration>",
	"12ms":                                 "<duration>",
	"10us":                                 "<duration>",
	"90h":                                  "<duration>",
	"3 steps":                              "3 steps",
	"3x":                                   "3x",
	"s":                                    "s",
	"12 msecs":                             "12 msecs",
	"a.c:12:34":                            "a.c:<n>:<n>",
	":12":                                  ":12",
	"a:9":                                  "a:<n>",
	"a: 12":                                "a: 12",
	" :12":                                 " :12",
	"line 12":                              "line <n>",
	"lines (12":                            "lines (<n>",
	"line #12":                             "line #<n>",
	"offline 12":                           "offline 12",
	"port 8080":                            "port <n>",
	"column 7, col 8, offset 90":           "column <n>, col <n>, offset <n>",
	"PID 7":                                "PID <n>",
	"linear 7":                             "linear 7",
	"/tmp":                                 "/tmp",
	"/tmp/":                                "<tmp>",
	"/tmp/go-build1/x.c":                   "<tmp>/x.c",
	"open /tmp/a.b: no":                    "open <tmp>: no",
	"'/tmp/a'":                             "'<tmp>'",
	"a/tmp/b1":                             "a/tmp/b1",
	"/var/tmp/x1/y":                        "<tmp>/y",
	"/private/tmp/x1/y":                    "<tmp>/y",
	"/dev/shm/x1/y":                        "<tmp>/y",
	"/var/folders/zz/yy9/T/x1/y2/z":        "<tmp>/y2/z",
	"/private/var/folders/zz/yy9/T/x1/y2":  "<tmp>/y2",
	"/var/folders/zz/yy9":                  "<tmp>",
	"/var/folders/zz/yy9/T":                "<tmp>",
	"/var/folders/zz yy9/T/x":              "<tmp> yy9/T/x",
	"/tmpx/b1":                             "/tmpx/b1",
	"/usr/lib1/tmp/x":                      "/usr/lib1/tmp/x",
	"expected 2 arguments":                 "expected 2 arguments",
	"std::array2":                          "std::array2",
	"C2065":                                "C2065",
	"größe9 ":                              "größe9 ",
}

func TestVersion1StaysAsItWas(t *testing.T) {
	for in, want := range strippedV1 {
		if got := stripVolatileV1(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestFingerprintsOfVersion1StayAsTheyWere(t *testing.T) {
	test := Event{Tool: "pytest", Category: CategoryTest, Test: "t.py::test_x", File: "t.py", Message: "assert 1 == 2"}
	named := test
	named.Category = CategoryRuntime
	for want, e := range map[string]Event{
		"unknown_other_2bed45a91439be58": {},
		"gcc_compile_5c69c9809332dda0": {
			Tool: "gcc", Category: CategoryCompile, File: "src/a.c", Message: "'foo' undeclared at line 5",
		},
		"pytest_test_173ed57d444b5e07":    test,
		"pytest_runtime_354e973ffa9b32c0": named,
	} {
		if got := fingerprintV1(e); got != want {
			t.Errorf("%+v: got %q, want %q", e, got, want)
		}
	}
}
