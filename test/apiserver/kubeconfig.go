package apiserver

import (
	"fmt"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// WriteKubeconfig writes a kubeconfig for the server, with one context that is current, over whatever is at
// path.
func (s *Server) WriteKubeconfig(path string) error {
	const name = "informer-gen-test"
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{Server: s.URL()}
	config.AuthInfos[name] = api.NewAuthInfo()
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name, Namespace: "default"}
	config.CurrentContext = name
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	return nil
}
