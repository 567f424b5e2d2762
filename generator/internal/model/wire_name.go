package model

import (
	"regexp"
	"strings"
)

// maxLabel and maxSubdomain are the lengths of the longest DNS label and of the longest
// DNS subdomain that an API server takes.
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

// IsGroup reports whether a server takes s for the name of a group: a DNS-1123 subdomain,
// or nothing for the core group.
func IsGroup(s string) bool {
	return s == "" || len(s) <= maxSubdomain && groupPattern.MatchString(s)
}

// IsResource reports whether a server takes s for the plural of a resource: a DNS-1035
// label.
func IsResource(s string) bool { return isLabel(s) }

func isLabel(s string) bool { return len(s) <= maxLabel && labelPattern.MatchString(s) }

// IsKind reports whether a server takes s for a kind: a DNS-1035 label, in letters of any
// case.
func IsKind(s string) bool {
	// Of the letters that are no ASCII, two have an ASCII letter for lower case.
	return IsResource(strings.ToLower(s)) && len(s) == len(strings.ToLower(s))
}

// IsVersion reports whether s has the form that Kubernetes gives the names of API versions,
// and that no folder has that is not named after one. Servers take any DNS-1035 label.
func IsVersion(s string) bool { return len(s) <= maxLabel && versionPattern.MatchString(s) }

// looksLikeVersion reports whether s begins as IsVersion wants it and goes on otherwise,
// such as v1api20240901.
func looksLikeVersion(s string) bool {
	return isLabel(s) && len(s) > 1 && s[0] == 'v' && '0' <= s[1] && s[1] <= '9'
}

// isSubresource reports whether s is one part of a path that a client need not escape.
func isSubresource(s string) bool { return len(s) <= maxLabel && subresourcePattern.MatchString(s) }

// What to write instead of a name that a server does not take.
const (
	groupForm = "write a DNS name in lower case, such as shop.example.com"
	kindForm  = "rename the type: at most 63 ASCII letters and digits, and a letter first"
)
