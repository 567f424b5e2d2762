package testserver

import (
	"fmt"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig is the path of a kubeconfig file for the server. Stop removes it if the server's directory is a
// temporary one. Only the user that runs the server can read it.
func (s *Server) Kubeconfig() string { return filepath.Join(s.settings.dir, "kubeconfig") }

// WriteKubeconfig writes a kubeconfig for the server, with one context that is current, over whatever is at
// path.
func (s *Server) WriteKubeconfig(path string) error {
	const name = "testserver"
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{Server: s.URL()}
	config.AuthInfos[name] = api.NewAuthInfo()
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name, Namespace: "default"}
	config.CurrentContext = name
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("write kubeconfig %s: %w", path, err)
	}
	return nil
}
