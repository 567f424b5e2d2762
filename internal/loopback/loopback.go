// Package loopback recognizes the hosts that name this machine. A server that authenticates no one and listens on
// a loopback address still gets requests of web pages that a browser on the machine shows, because the owner of a name can let
// it resolve to 127.0.0.1 (DNS rebinding). The Host header has that name.
package loopback

import (
	"net"
	"net/netip"
	"strings"
)

// Hostname returns the host of a Host header, without its port.
func Hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// Is reports whether host, which has no port, is localhost or a loopback address.
func Is(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}
