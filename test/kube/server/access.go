package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// access is how clients reach the server, and how it knows them.
type access struct {
	dir   string
	token string
	port  int
	// socket reserves the port.
	socket int
}

// prepareAccess writes a key and a token to dir, if it has none yet, and reserves a port.
func prepareAccess(dir string, port int) (*access, error) {
	a := &access{dir: dir}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := a.prepareKey(); err != nil {
		return nil, fmt.Errorf("make a key for service accounts: %w", err)
	}
	if err := a.prepareToken(); err != nil {
		return nil, fmt.Errorf("make a token: %w", err)
	}
	if err := a.reserve(port); err != nil {
		return nil, fmt.Errorf("reserve port %d: %w", port, err)
	}
	return a, nil
}

func (a *access) keyFile() string     { return filepath.Join(a.dir, "service-accounts.pem") }
func (a *access) tokenFile() string   { return filepath.Join(a.dir, "tokens.csv") }
func (a *access) certificate() string { return filepath.Join(a.dir, "certificates", "apiserver.crt") }
func (a *access) url() string         { return fmt.Sprintf("https://127.0.0.1:%d", a.port) }

func (a *access) prepareKey() error {
	if _, err := os.Stat(a.keyFile()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	return os.WriteFile(a.keyFile(), pem.EncodeToMemory(block), 0o600)
}

func (a *access) prepareToken() error {
	line, err := os.ReadFile(a.tokenFile())
	if errors.Is(err, fs.ErrNotExist) {
		secret := make([]byte, 16)
		_, _ = rand.Read(secret) // it never fails
		line = fmt.Appendf(nil, "%s,admin,admin,system:masters\n", hex.EncodeToString(secret))
		err = os.WriteFile(a.tokenFile(), line, 0o600)
	}
	a.token, _, _ = strings.Cut(string(line), ",")
	return err
}

// reserve binds a socket to the port, or to a free one, but does not listen. So no other
// process gets the port before the API server listens, which --permit-port-sharing allows.
func (a *access) reserve(port int) (err error) {
	if a.socket, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			a.release()
		}
	}()
	if err = unix.SetsockoptInt(a.socket, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return err
	}
	// A port whose old connections have not timed out yet can be taken again.
	if err = unix.SetsockoptInt(a.socket, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return err
	}
	if err = unix.Bind(a.socket, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	bound, err := unix.Getsockname(a.socket)
	if err != nil {
		return err
	}
	a.port = bound.(*unix.SockaddrInet4).Port
	return nil
}

func (a *access) release() { _ = unix.Close(a.socket) }

// flags are those that kube-apiserver needs.
func (a *access) flags(etcd string) []string {
	return []string{
		"--etcd-servers=" + etcd,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", a.port),
		"--permit-port-sharing",
		"--permit-address-sharing",
		"--cert-dir=" + filepath.Dir(a.certificate()),
		// It needs an address that is not a loopback address, even if no one uses it.
		"--advertise-address=192.0.2.1",
		"--endpoint-reconciler-type=none",
		"--service-account-key-file=" + a.keyFile(),
		"--service-account-signing-key-file=" + a.keyFile(),
		"--service-account-issuer=https://test",
		"--token-auth-file=" + a.tokenFile(),
		"--authorization-mode=RBAC",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--disable-admission-plugins=ServiceAccount",
		// Without it, the end of the server waits a minute for watches to end.
		"--shutdown-watch-termination-grace-period=1s",
	}
}

// awaitReady asks for /readyz until the server is ready, or ctx ends.
func (a *access) awaitReady(ctx context.Context) error {
	const interval = 20 * time.Millisecond
	// The certificate is written while the server starts. Only its own process can have
	// the reserved port.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url()+"/readyz", nil)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+a.token)
		if response, err := transport.RoundTrip(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
