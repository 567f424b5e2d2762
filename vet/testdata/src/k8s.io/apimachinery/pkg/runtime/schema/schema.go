package schema

type GroupVersionKind struct{ Group, Version, Kind string }

type ObjectKind interface{ SetGroupVersionKind(kind GroupVersionKind) }
