package main

import "github.com/typedinformers/informer-gen/test/compare"

// Common are ways to differ that many published clientsets have in common, because
// an older client-gen made them. They need not occur.
var Common = []compare.Accepted{
	{
		Pattern: `(fake \*Clientset|\. (\*Clientset|Interface))\.Discovery: changed: theirs func\(\) client-go/discovery\.DiscoveryInterface, ours func\(\) client-go/discovery\.DiscoveryInterfaces`,
		Reason:  "The method Discovery: client-gen before v0.37 generates it with a smaller interface as its result. informer-gen uses the interface of client-gen v0.37.",
	},
	{
		Pattern: `typed/\S+/fake \*?Fake[A-Z]\w*: missing: struct`,
		Reason:  "client-gen before v0.32 exports the type of each fake client. Later versions and informer-gen do not export it. Code uses the interface of the client.",
	},
	{
		Pattern: `typed/\S+ \w+Interface\.Apply(Status)?: extra: .*`,
		Reason:  "The published clientset was generated without apply configurations. `--with-applyconfig` generates them, and the methods Apply and ApplyStatus.",
	},
}
