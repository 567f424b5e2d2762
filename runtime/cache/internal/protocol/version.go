package protocol

import "strings"

// This file compares resourceVersions as KEP-5504 (https://kep.k8s.io/5504) defines it: those of one
// resource are decimal numbers of any length, without a leading zero, and a greater number is a later
// version. apimachinery has the same comparison since v0.35, which is newer than the lowest version
// that this module supports.

// IsLater reports whether a version is later than the version before, which a watch has
// reached. A watch never resumes at an earlier version, even if an aggregated server sends
// a deleted object with the version of its last state. Only servers other than Kubernetes
// have versions that are not positive decimal numbers. Each of those counts as later, until
// the watch has reached a number.
func IsLater(version, before string) bool {
	if version == "" || version == before {
		return false
	}
	if !isNumber(version) || !isNumber(before) {
		return !isNumber(before)
	}
	return compare(version, before) > 0
}

// IsEarlier reports whether a version is known to be earlier than another one.
func IsEarlier(version, than string) bool {
	return isNumber(version) && isNumber(than) && compare(version, than) < 0
}

// Earlier returns the earlier one of two versions. An empty one is before all others.
func Earlier(a, b string) string {
	if b == "" || IsEarlier(b, a) {
		return b
	}
	return a
}

// compare returns -1, 0 or 1 for two numbers without leading zeros.
func compare(a, b string) int {
	if len(a) != len(b) {
		if len(a) < len(b) {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}

// isNumber reports whether a version is a positive decimal number. "0" is none: in a request it
// means any version, and no object has it.
func isNumber(version string) bool {
	if version == "" || version[0] == '0' {
		return false
	}
	for i := range len(version) {
		if version[i] < '0' || version[i] > '9' {
			return false
		}
	}
	return true
}
