package ingesttest

var limitTests = map[string]func(f *fixture){}
var httpTests = map[string]func(f *fixture){}
var askTests = map[string]func(f *fixture){}
var webhookTests = map[string]func(f *fixture){}
var abuseTests = map[string]func(f *fixture){}
