package redact

// markedTokens are tokens that are recognised by a mark in their middle or at their end. The fields before and after
// are the min numbers of characters on the two sides of the mark. A plain token has only letters, digits and padding.
var markedTokens = []struct {
	mark          string
	before, after int
	plain         bool
}{
	{"JQQJ9", 52, 26, true},                                              // keys of several services of Azure
	{"AZDO", 76, 4, true},                                                // personal access tokens of Azure DevOps
	{"NRAL", 34, 0, true},                                                // license keys of New Relic
	{"AzSe", 42, 6, true}, {"AzCa", 33, 6, true}, {"AzFu", 44, 6, false}, // Azure's search, caches, functions
	{"+ASt", 76, 6, false}, {"+ABa", 76, 6, false}, {"ACDb", 76, 6, false}, // storage, batch, Cosmos
	{"+ASb", 33, 6, false}, {"+AEh", 33, 6, false}, {"+ARm", 33, 6, false}, // service bus, event hubs, relay
	{"AIoT", 33, 6, false}, {"AZEG", 33, 4, false}, {"+ACR", 42, 6, false}, // IoT hub, event grid, registries
	{"APIM", 76, 4, false},      // API management
	{"_mmk", 34, 0, false},      // license keys of MaxMind
	{"T3BlbkFJ", 20, 20, false}, // keys of OpenAI
}

// maxMarked is the max number of characters of a marked token before its mark. It is also the max number from the
// beginning of the mark on.
const maxMarked = 100

// markedShapes returns the shapes of markedTokens.
func markedShapes() []*shape {
	list := make([]*shape, 0, len(markedTokens))
	for _, t := range markedTokens {
		list = append(list, &shape{name: "marked", triggers: []string{t.mark[:gramSize]}, within: func(p position) match {
			bytes := &base64Bytes
			if t.plain {
				bytes = &alnum
			}
			from, to := 0, 0
			for from < min(len(p.before), maxMarked) && bytes[p.before[len(p.before)-1-from]] {
				from++
			}
			if from < t.before || !isGenerated(string(p.before[len(p.before)-from:])) {
				return match{}
			}
			for to < min(len(p.text), maxMarked) && (bytes[p.text[to]] || p.text[to] == '=') {
				to++
			}
			if to == len(p.text) && !p.final {
				return match{more: true}
			}
			return match{from: -from, to: to, ok: to >= len(t.mark)+t.after && hasHead(p.text, t.mark)}
		}})
	}
	return list
}
