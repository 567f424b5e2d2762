// Package spelling finds the known word that was probably meant by an unknown one.
package spelling

import "strings"

// DidYouMean returns the end of a message about an unknown word: a semicolon, and the known word
// that was probably meant or all known words.
func DidYouMean[S ~string](word string, known []S) string { return "; " + Suggest(word, known, "") }

// Suggest returns a question for the known word that was probably meant, or names all known words. Each
// word gets the prefix.
func Suggest[S ~string](word string, known []S, prefix string) string {
	if best := Nearest(word, known); best != "" {
		return "did you mean " + prefix + best + "?"
	}
	words := make([]string, len(known))
	for i, k := range known {
		words[i] = prefix + string(k)
	}
	switch len(words) {
	case 0:
		return "remove it"
	case 1:
		return "use " + words[0]
	}
	return "use one of " + strings.Join(words, ", ")
}

// Nearest returns the known word that was probably meant, or "".
func Nearest[S ~string](word string, known []S) string {
	best, distance := "", len(word)/2+1
	for _, k := range known {
		if max(len(word), len(k))-min(len(word), len(k)) >= distance {
			continue // the distance is at least that
		}
		if d := editDistance(strings.ToLower(word), strings.ToLower(string(k))); d < distance {
			best, distance = string(k), d
		}
	}
	return best
}

// IsNear reports whether b differs from a in at most one byte that is added, removed or replaced, or in the
// order of two neighbors.
func IsNear(a, b string) bool {
	return max(len(a), len(b))-min(len(a), len(b)) <= 1 && editDistance(a, b) <= 1 || isSwapped(a, b)
}

// isSwapped reports whether two neighboring bytes of a, in the other order, make b.
func isSwapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// editDistance returns how many bytes must be added, removed or replaced to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
