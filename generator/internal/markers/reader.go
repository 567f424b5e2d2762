package markers

// Names of markers for messages.
const (
	ViewName            = "informer:view"
	IndexName           = "informer:index"
	SelectableFieldName = "kubebuilder:selectablefield"
)

// reader holds the text of a marker from which its value is read.
type reader struct {
	*Marker
	// value is the text after the = that follows the name.
	value string
	// rest is the name after the name in the registry. It begins with a colon, or is empty.
	rest string
	// on is the name of the type that has the marker, or "" for a package.
	on string
	// options are the options of the marker's family.
	options []string
}
