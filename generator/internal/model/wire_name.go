package model

import (
	"regexp"
	"strings"
)

// maxLabel and maxSubdomain are the longest DNS label and the longest DNS subdomain that an
// API server accepts, in bytes.
const (
	maxLabel     = 63
	maxSubdomain = 253
)

var (
	groupPattern       = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	labelPattern       = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	subresourcePattern = regexp.MustCompile(`^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$`)
	versionPattern     = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)
)

// IsGroup reports whether a server accepts s as the name of a group: a DNS-1123 subdomain,
// or nothing for the core group.
func IsGroup(s string) bool {
	return s == "" || len(s) <= maxSubdomain && groupPattern.MatchString(s)
}

// IsLabel reports whether s is a DNS-1035 label, which servers accept as the name of a
// resource or of a version.
func IsLabel(s string) bool { return len(s) <= maxLabel && labelPattern.MatchString(s) }

// IsKind reports whether a server accepts s as a kind: a DNS-1035 label, with letters of any
// case.
func IsKind(s string) bool {
	// Two letters outside of ASCII have an ASCII letter as their lower case.
	return IsLabel(strings.ToLower(s)) && len(s) == len(strings.ToLower(s))
}

// IsVersion reports whether s has the form that Kubernetes gives to API versions. A folder
// with such a name is named after the version.
func IsVersion(s string) bool { return len(s) <= maxLabel && versionPattern.MatchString(s) }

// LooksLikeVersion reports whether s begins like a version of IsVersion and may continue in
// another way, such as v1api20240901.
func LooksLikeVersion(s string) bool {
	return IsLabel(s) && len(s) > 1 && s[0] == 'v' && '0' <= s[1] && s[1] <= '9'
}

// IsSubresource reports whether s is a single path element that a client need not escape.
func IsSubresource(s string) bool { return len(s) <= maxLabel && subresourcePattern.MatchString(s) }
