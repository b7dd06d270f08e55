package ingesttest

var abuseTests = map[string]func(f *fixture){}
