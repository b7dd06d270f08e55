package parse

import "strings"

// weights says how common texts are in logs.
type weights struct {
	bytes [256]uint8
	grams [1 << (weightBits - 6)]uint64 // a bit for the hash of each common gram; few other grams have the same hash
}

const weightBits = 14

func newWeights() *weights {
	w := &weights{}
	for b := range w.bytes {
		w.bytes[b] = commonness(byte(b))
	}
	for i := 0; i+4 <= len(commonGrams); i += len("ing |") {
		place, bit := weightPlace(commonGrams[i:])
		w.grams[place] |= bit
	}
	return w
}

func weightPlace(text string) (place uint32, bit uint64) {
	hash := gramOf(text) * gramMul >> (32 - weightBits)
	return hash >> 6, 1 << (hash & 63)
}

// rarestGrams returns the offset of the five consecutive bytes in a text that are the rarest in logs. It counts the
// five bytes and the two grams of four bytes.
func (w *weights) rarestGrams(text string) int {
	best, lowest := 0, 1<<30
	for i := 0; i+5 <= len(text); i++ {
		sum := 0
		for j := i; j < i+5; j++ {
			sum += int(w.bytes[text[j]])
		}
		for j := i; j < i+2; j++ {
			if place, bit := weightPlace(text[j:]); w.grams[place]&bit != 0 {
				sum += 100
			}
		}
		if sum < lowest {
			best, lowest = i, sum
		}
	}
	return best
}

// commonGrams are sequences of four bytes that many lines contain.
const commonGrams = "ing |tion|test|Test|ting|atio|sion|ding|ving| in | com| tes|from|comp|form|load|rror|able|" +
	"ator|vers|comm|ated|ning|ring|ling|exec|xecu|date|time|Time|ion |ted |ed: |s:  |te: |ng d|ng a|ng o|port|ject|" +
	"bjec|unit|work|file|urce|ence|lass|ount|lect|main|back|buil|uild| for| fro| Tes|thub|gith|   -|    |.jav|" +
	"java|ava:|.py:|ote:|rame|Name|name|INFO|inst|stal|pack|ckag|modu|conf|nfig|func|unct|line|ment|est |ests|ies |" +
	"ess |ther|this|that|with|have| the|the | not|----|====|http|.com|crip|kipp|ailu|ecut|│ |sing|s://|PASS|cond|" +
	" ...|upli|─\xe2|solv|--- |ndle|... |mpil| pro|undl|bund|Runn|vice|ippe|pped|lvin|clud|uted|Task|ng f| run|" +
	" lea|SKIP|atch|fail|roce|code|ervi|Fail| fai| Fai|and |─ |ded |Read|dule|pile|cted|ile |ance|aram|ound|pera|" +
	"al: |omma|mand| INF|NFO |ing:|ng: |hrow|ings|===>|igur|ed, |loca|appl|labl|hub/|requ|sted|alle|call|evic|andl|" +
	"ermi|prot|lock|mple|ssin|unti|alid| htt| bui| is |nner|ersi|ples|:tes|ub.c|adle|ppor| KB | Gra| PAS|vali|chec|" +
	"rom |tjso|WARN|Erro|ase | /ho|/run|RNIN|ript|amew|You |caba|lure|read|roto|lica|on: |-com|led | SKI|.fas" +
	"|ampl|xamp|lity|   1|NING|info| fil| val|utio|lega|iled|ng t|t fo|cuti|: Ex|abal|vide|nval| WAR| Err|scal| You" +
	"|inva|ING:|ynta|ntax|aile|onne|rope|ask |erro| mod|irec|prop|utor|hell|ocke|cuto|xcep|ING]|dler|warn|spec|Exce" +
	"|all |nabl|): C|ulti|mark|ble |cord|er -|Load|anno|less|TIME|ile:|red |ped |roje"

// commonness returns a rough measure of how often a byte occurs in logs.
func commonness(b byte) uint8 {
	switch {
	case b == ' ' || strings.IndexByte("etaoinsr", b) >= 0:
		return 10
	case IsLower(b):
		return 7
	case IsDigit(b) || strings.IndexByte("./-:_=", b) >= 0:
		return 5
	case 'A' <= b && b <= 'Z':
		return 3
	}
	return 2
}
