package model

// Reserved holds names that generated code declares or uses itself. A name that is made from the
// input must not be among those of its sort.
type Reserved struct {
	// Group has the members of a factory, which has a method named after each group.
	Group []string
	// Plural has the members of clients of a version and of listers, which have a method named
	// after the plural of a kind.
	Plural []string
	// Index has the members of listers, which have a method named after each index.
	Index []string
	// Method has the members of clients of a kind, which have a method for each +genclient:method.
	Method []string
	// PluralPrivate has the identifiers that the package of a typed client uses where it names the
	// type of the client.
	PluralPrivate []string
	// Param has the parameters next to the one that is named after the kind.
	Param []string
	// File has the files, without ".go", that are next to the files of the kinds.
	File []string
	// GroupDir has the folders next to the folders of the groups.
	GroupDir []string
}

// ReservedNames returns the names in the templates. A test of package render compares them.
func ReservedNames() Reserved {
	return Reserved{
		Group: []string{
			"ForResource", "InformerFor", "InformerName", "Inner", "Retry", "SharedInformerFactory", "Shutdown", "Start", "StartWithContext",
			"Statuses", "WaitForCacheSync", "WaitForCacheSyncWithContext",
		},
		Plural: []string{"ByIndex", "Fake", "Get", "Invokes", "List", "Lister", "Namespace", "RESTClient", "ResourceIndexer"},
		Index:  []string{"ByIndex", "Get", "List", "Lister", "Namespace", "NamespaceLister", "ResourceIndexer"},
		Method: []string{"Fake", "GetClient", "GetNamespace", "Kind", "Namespace", "Resource"},
		PluralPrivate: []string{
			"apply", "c", "context", "fieldselector", "fmt", "gentype", "http", "metav1", "namespace", "redirect", "rest",
			"schema", "scheme", "time", "types", "watch",
		},
		Param:    []string{"ctx", "opts"},
		File:     []string{"expansion_generated", "generated_expansion", "interface"},
		GroupDir: []string{informersInternalDir},
	}
}
