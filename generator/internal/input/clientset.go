package input

import "github.com/typedinformers/informer-gen/generator/internal/model"

// Clientset is a package with a clientset that exists.
type Clientset struct {
	// Path is the import path, and Name the name in the package clause.
	Path, Name string
	// Problem is the reason why the package has no clientset that can be read, and the fix. It is
	// empty if Clients is set.
	Problem string
	// Clients are the methods of its Interface that have no parameter and return a named type, by name.
	Clients map[string]*Client
}

// Packages returns the import paths of the clientset and of its clients.
func (c *Clientset) Packages() []string {
	paths := []string{c.Path}
	for _, client := range c.Clients {
		paths = append(paths, client.Type.Path)
	}
	return paths
}

// Client is an interface that a clientset returns, such as the client of a group version.
type Client struct {
	// Type is the name of the interface.
	Type model.TypeRef
	// Problem is the reason why Params is incomplete, and the fix. It is empty if Params is complete.
	Problem string
	// Params has the number of parameters of each method, by name.
	Params map[string]int
}

// DiscoveryMethod is the method of a clientset that returns the client for the discovery API.
const DiscoveryMethod = "Discovery"
