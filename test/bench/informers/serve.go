package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// serve prints its address. It ends with its standard input, and so with the process that
// started it. If certificate is not empty, it speaks TLS with a new certificate, which it
// writes to that file.
func serve(options podserver.Options, certificate string) error {
	server, err := podserver.New(options)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := &http.Server{Handler: server, HTTP2: limits}
	run, scheme := func() error { return web.Serve(listener) }, "http"
	if certificate != "" {
		own, err := newCertificate(certificate)
		if err != nil {
			return err
		}
		web.TLSConfig = &tls.Config{Certificates: []tls.Certificate{own}}
		run, scheme = func() error { return web.ServeTLS(listener, "", "") }, "https"
	}
	fmt.Printf("%s://%s\n", scheme, listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = web.Close()
	}()
	if err := run(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// limits are those of the API server.
var limits = &http.HTTP2Config{MaxConcurrentStreams: 100, MaxReadFrameSize: 256 << 10, MaxReceiveBufferPerStream: 256 << 10, MaxReceiveBufferPerConnection: 100 * 256 << 10}

// newCertificate writes the public part to a file.
func newCertificate(file string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(0, 0, 7), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}, os.WriteFile(file, text, 0o600)
}
