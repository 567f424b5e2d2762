package decoding

import (
	"bytes"
	"math/rand"
	"regexp"
	"testing"
)

var (
	scalarValue = regexp.MustCompile(`:("[^"\\]*"|[0-9]+|true|false|null)`)
	wholeMember = regexp.MustCompile(`"[^"\\]*":("[^"\\]*"|[0-9]+|true|false|null),`)
)

// mutations break a text, or make it another one.
var mutations = []func(r *rand.Rand, text []byte) []byte{
	func(r *rand.Rand, text []byte) []byte { // a bit
		text[r.Intn(len(text))] ^= 1 << r.Intn(8)
		return text
	},
	func(r *rand.Rand, text []byte) []byte { // a byte that means something
		const bytes = "\"\\{}[]:,0-.e \n\x00\xff"
		text[r.Intn(len(text))] = bytes[r.Intn(len(bytes))]
		return text
	},
	func(r *rand.Rand, text []byte) []byte { // cut
		return text[:r.Intn(len(text))]
	},
	func(r *rand.Rand, text []byte) []byte { // without some
		i := r.Intn(len(text))
		return append(text[:i], text[min(i+1+r.Intn(20), len(text)):]...)
	},
	func(r *rand.Rand, text []byte) []byte { // some of it twice
		i := r.Intn(len(text))
		j := min(i+1+r.Intn(60), len(text))
		return append(bytes.Clone(text[:j]), text[i:]...)
	},
	func(r *rand.Rand, text []byte) []byte { // another value, often of a wrong type
		return replaced(r, text, scalarValue, func([]byte) []byte { return []byte(":" + values[r.Intn(len(values))]) })
	},
	func(r *rand.Rand, text []byte) []byte { // a member twice
		return replaced(r, text, wholeMember, func(found []byte) []byte { return append(bytes.Clone(found), found...) })
	},
	func(r *rand.Rand, text []byte) []byte { // without a member
		return replaced(r, text, wholeMember, func([]byte) []byte { return nil })
	},
	func(r *rand.Rand, text []byte) []byte { // an unknown member
		return replaced(r, text, wholeMember, func(found []byte) []byte {
			return append([]byte(`"unknown":`+values[r.Intn(len(values))]+`,`), found...)
		})
	},
	func(r *rand.Rand, text []byte) []byte { // white space
		return replaced(r, text, wholeMember, func(found []byte) []byte {
			return bytes.ReplaceAll(found, []byte(":"), []byte(" :\t\r\n "))
		})
	},
}

// replaced replaces one of the places that match.
func replaced(r *rand.Rand, text []byte, pattern *regexp.Regexp, by func(found []byte) []byte) []byte {
	places := pattern.FindAllIndex(text, -1)
	if len(places) == 0 {
		return text
	}
	place := places[r.Intn(len(places))]
	return bytes.Join([][]byte{text[:place[0]], by(text[place[0]:place[1]]), text[place[1]:]}, nil)
}

// TestMutations decodes broken objects of all kinds.
func TestMutations(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 20
	}
	for _, k := range kinds {
		t.Run(k.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewSource(1))
			var whole []byte
			for round := range rounds {
				if round%20 == 0 {
					whole = k.encoded(t, k.filled(r))
				}
				text := bytes.Clone(whole)
				for range 1 + r.Intn(2) {
					if len(text) > 0 {
						text = mutations[r.Intn(len(mutations))](r, text)
					}
				}
				if difference := k.difference(bytes.Clone(text)); difference != "" {
					t.Fatalf("round %d: %s\n%q", round, difference, text)
				}
				if difference := k.limitedDifference(bytes.Clone(text)); difference != "" {
					t.Fatalf("round %d, limited: %s\n%q", round, difference, text)
				}
			}
		})
	}
}
