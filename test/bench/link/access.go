package link

import (
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
)

// Access is how clients reach the API server.
type Access struct{ URL, Token, CA string }

// Flags defines the flags of a command for an access.
func (a *Access) Flags() {
	pflag.StringVar(&a.URL, "url", "", "`URL` of the API server")
	pflag.StringVar(&a.Token, "token", "", "bearer `TOKEN` of an administrator")
	pflag.StringVar(&a.CA, "ca", "", "`FILE` with the certificate of the API server")
}

// Args are these flags.
func (a *Access) Args() []string {
	return []string{"--url=" + a.URL, "--token=" + a.Token, "--ca=" + a.CA}
}

// Config returns a configuration of client-go as programs have it, without a limit of rate.
func (a *Access) Config() *rest.Config {
	return &rest.Config{Host: a.URL, BearerToken: a.Token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAFile: a.CA}}
}
