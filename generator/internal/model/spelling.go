package model

import "strings"

// ourMarkers are those whose misspelling would go unnoticed, because markers of
// others are none of our business.
var ourMarkers = []string{"genclient", "resourceName", "groupName", "groupGoName", "informer"}

// Misspelt returns the marker of ours that was probably meant by the name of one
// that is not; empty for none.
func Misspelt(name string) string {
	first, option, hasOption := strings.Cut(name, ":")
	for _, word := range informerMarkers { // +informer-view
		if ours := "informer:" + word; isNear(strings.ToLower(first), ours) {
			return strings.TrimSuffix(ours+":"+option, ":")
		}
	}
	for _, ours := range ourMarkers {
		if first == ours || hasOption && ours != "genclient" && ours != "informer" {
			continue
		}
		// One letter more, less or other, or a hyphen; and never mind the case.
		if isNear(strings.ToLower(first), strings.ToLower(ours)) {
			if hasOption {
				return ours + ":" + option
			}
			return ours
		}
	}
	return ""
}

// DidYouMean ends a message on an unknown word: with the known one that was
// probably meant, or with all of them.
func DidYouMean(word string, known []string) string { return didYouMean(word, known) }

// didYouMean ends a message on an unknown word: with the word that was probably
// meant, or with all of them.
func didYouMean[S ~string](word string, known []S) string { return "; " + meantOneOf(word, known, "") }

// meantOneOf asks whether one of the known words was meant, or names all of them.
func meantOneOf[S ~string](word string, known []S, prefix string) string {
	if best := nearest(word, known); best != "" {
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

// nearest is the known word that was probably meant; empty for none.
func nearest[S ~string](word string, known []S) string {
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

// isNear reports whether one letter at most has to be added, removed or replaced to make
// b of a.
func isNear(a, b string) bool {
	return max(len(a), len(b))-min(len(a), len(b)) <= 1 && editDistance(a, b) <= 1
}

// editDistance is how many letters have to be added, removed or replaced to
// make b of a.
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
