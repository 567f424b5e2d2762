package input

// Library describes the client-go of a module.
type Library struct {
	// DiscoveryType is the type that the method Discovery of a clientset returns, as client-gen of the
	// same version writes it: DiscoveryInterfaces since client-go v0.37, which adds methods with a context, and
	// DiscoveryInterface before. Code with the latter compiles with all versions.
	DiscoveryType string
	// HasInformerNames, HasTypedInformers and HasShardSelectors report whether informers of code-generator of the
	// same version have names, since v0.36, typed methods, since v0.37, and shard selectors, since v0.38.
	HasInformerNames, HasTypedInformers, HasShardSelectors bool
	// HasDeleteWithResult reports whether clients of client-gen of the same version have the method DeleteWithResult,
	// since v0.38. Since then they also keep the NegotiatedSerializer of their config.
	HasDeleteWithResult bool
	// Problem is the reason why generated code cannot compile, and the command that removes it. It is
	// usually empty.
	Problem string
	// Missing is the message that the go command does not find client-go, with the command that adds it. It
	// is usually empty.
	Missing string
	// Warning is the message that client-go may not compile with the module's apimachinery, with the fix. It
	// is usually empty.
	Warning string
	// InlineTag is the tag of a field whose members JSON inlines, as applyconfiguration-gen of the same version
	// writes it: empty since client-go v0.37, whose structured-merge-diff inlines each embedded struct without a name,
	// and ",inline" before. The latter works with all versions.
	InlineTag string
}
