package compare

import (
	"fmt"
	"regexp"
	"slices"

	"golang.org/x/mod/semver"
)

// Accepted is a way to differ that is meant.
type Accepted struct {
	// Pattern matches all of the line of a Difference.
	Pattern string
	Reason  string
	// Since is the first minor version of Kubernetes with the difference, such as v0.37, and Before the
	// first one without it again. Empty means no limit.
	Since, Before string
}

// kind is a name that begins with that of a kind.
const kind = `[A-Z]\w*`

// ClientGo is every difference that there may be with --informers=client-go. There is none for
// clientset/ and informers/, and none shall be added there: that is what code of users calls most.
var ClientGo = []Accepted{
	{
		Pattern: `listers/(imagepolicy/v1alpha1: missing: package|policy/v1(beta1)? (New)?Eviction\w+: missing: .*)`,
		Reason:  "Nobody can list an ImageReview or an Eviction, so nothing can fill a cache for such a lister.",
	},
	{
		Pattern: `applyconfiguration/internal Parser: missing: .*`,
		Reason:  "The schema is data that runtime/merge reads, so that no generated file names a version of structured-merge-diff. The package is internal.",
	},
	{
		Pattern: `applyconfiguration/(imagepolicy/v1alpha1: missing: package|policy/v1(beta1)? (Extract)?Eviction\w*: missing: .*)`,
		Reason:  "These kinds have +genclient:noVerbs, so no client has a method that takes the apply configuration.",
	},
	{
		Pattern: `applyconfiguration/(apps/v1beta2|extensions/v1beta1) \*?ScaleApplyConfiguration\.(With)?(Spec|Status): changed: theirs .*\.Scale(Spec|Status)\)?.*, ours .*\*applyconfiguration/\S+\.Scale(Spec|Status)ApplyConfiguration\)?.*`,
		Reason:  "Scale is only the input of a method. applyconfiguration-gen reads the fields of the kind with the method in place of those of Scale, so its Scale has structs without apply configurations, which always set the number of replicas.",
	},
	{
		Pattern: `applyconfiguration/\S+ Extract` + kind + `Status: missing: .*`,
		Reason:  "applyconfiguration-gen wrote it for kinds without a status too, where it extracts nothing.",
		Before:  "v0.35",
	},
}

// ByDesign is every difference that there may be with typed informers.
var ByDesign = slices.Concat(ClientGo, []Accepted{
	{
		Pattern: `listers/\S+ New` + kind + `Lister: changed: theirs func\(indexer client-go/tools/cache\.Indexer\) .*, ours func\(indexer \*runtime/cache\.Indexer\[.*\]\) .*`,
		Reason:  "A lister reads a typed cache, which cannot hold anything else. Programs get theirs from an informer.",
	},
	{
		Pattern: `informers/externalversions/\S+ ` + kind + `Informer\.Informer: changed: .*, ours func\(\) \*runtime/cache\.SharedIndexInformer\[.*\]`,
		Reason:  "The informer is typed: that is what this generator is for.",
	},
	{
		Pattern: `informers/externalversions/\S+ Interface\.` + kind + `: changed: theirs func\(\) \S+\.Typed(` + kind + `Informer), ours func\(\) .*Informer`,
		Reason:  "FooInformer is typed, so there is no second TypedFooInformer.",
		Since:   "v0.37",
	},
	{
		Pattern: `informers/externalversions/\S+ (Typed` + kind + `Informer|ToTyped` + kind + `Informer|To` + kind + `IndexInformer|` +
			kind + `(IndexInformer|Indexers|HandlerFuncs|DetailedHandlerFuncs|FilteringHandler)|Deleted` + kind + `): missing: .*`,
		Reason: "Typed wrappers around the untyped informer of each kind; cache.SharedIndexInformer[*Foo], ResourceEventHandlerFuncs[*Foo] and the like are one generic type for all.",
		Since:  "v0.37",
	},
	{
		Pattern: `informers/externalversions/\S+ New(Typed|Filtered|TypedFiltered)?` + kind + `Informer(WithOptions)?: missing: .*`,
		Reason:  "Constructors, six to a kind, that bypass the factory and so make a second cache of the same; where one is wanted, FooKind(client).NewInformer takes options.",
	},
	{
		Pattern: `informers/externalversions/\S+ New: changed: theirs func\(f .*, namespace string, tweakListOptions .*\) (\S+), ours func\(factory .*\) \S+`,
		Reason:  "Called by the factory only, which knows the namespace and the list options itself.",
	},
	{
		Pattern: `informers/externalversions/internalinterfaces (InformerOptions|NewInformerFunc|SharedInformerFactory): .*`,
		Reason:  "What generated packages say to one another; its documentation has always called it internal.",
	},
	{
		Pattern: `informers/externalversions GenericInformer\.(Informer|Lister): changed: .*`,
		Reason:  "The informer behind ForResource hands over metav1 objects, and its lister is that of runtime/cache.",
	},
	{
		Pattern: `informers/externalversions NewSharedInformerFactory: changed: .*, options \.\.\.\S+\) \S+|informers/externalversions New(FilteredSharedInformerFactory|SharedInformerFactoryWithOptions): missing: .*`,
		Reason:  "One constructor with options instead of three; a call of the first compiles unchanged.",
	},
	{
		Pattern: `informers/externalversions SharedInformerFactory\.(Start|WaitForCacheSync): changed: .*\(ctx context\.Context\).*|informers/externalversions SharedInformerFactory\.(Start|WaitForCacheSync)WithContext: missing: .*`,
		Reason:  "A context instead of a channel, so no twin WithContext; and waiting answers with the names and reasons of those that are not synced.",
	},
	{
		Pattern: `informers/externalversions SharedInformerFactory\.InformerFor: missing: .*`,
		Reason:  "How generated code shares an untyped informer; the runtime does that by type.",
	},
	{
		Pattern: `informers/externalversions SharedInformerFactory\.Retry: extra: func\(\)`,
		Reason:  "Tries at once what waits to be tried again, for example when a CRD was installed.",
	},
	{
		Pattern: `informers/externalversions SharedInformerFactory\.(Inner|Statuses): extra: func\(\) .*`,
		Reason:  "One factory holds the informers of several packages, and lists the states of all of them.",
	},
	{
		Pattern: `informers/externalversions (SharedInformerFactory\.|With)InformerName: missing: .*`,
		Reason:  "A label for client-go's own metrics of queues that there are none of here.",
		Since:   "v0.36",
	},
	{
		Pattern: `informers/externalversions WithShardSelector: missing: .*`,
		Reason:  "Options are those of runtime/cache: WithShard.",
		Since:   "v0.38",
	},
	{
		Pattern: `informers/externalversions (SharedInformerOption|WithTransform): changed: .*|informers/externalversions WithCustomResyncConfig: missing: .*`,
		Reason:  "Options are those of runtime/cache. Transforms and resync periods are set by type: WithTransform[*Foo], cache.WithOptionsFor[*Foo](cache.WithResync(d)).",
	},
})

// For returns the entries that a version of Kubernetes needs.
func For(version string, accepted []Accepted) []Accepted {
	minor := semver.MajorMinor(version)
	return slices.DeleteFunc(slices.Clone(accepted), func(entry Accepted) bool {
		return semver.Compare(minor, entry.Since) < 0 || entry.Before != "" && semver.Compare(minor, entry.Before) >= 0
	})
}

// Sift returns the differences that are not accepted, and the entries that accept
// none: these are to be deleted.
func Sift(differences []Difference, accepted []Accepted) (left []Difference, unused []Accepted, err error) {
	patterns := make([]*regexp.Regexp, len(accepted))
	for i, entry := range accepted {
		if entry.Reason == "" {
			return nil, nil, fmt.Errorf("no reason is given for %s", entry.Pattern)
		}
		if patterns[i], err = regexp.Compile(`^(?:` + entry.Pattern + `)$`); err != nil {
			return nil, nil, err
		}
	}
	used := make([]bool, len(accepted))
	for _, difference := range differences {
		line, isAccepted := difference.String(), false
		for i, pattern := range patterns {
			if pattern.MatchString(line) {
				used[i], isAccepted = true, true
			}
		}
		if !isAccepted {
			left = append(left, difference)
		}
	}
	for i, entry := range accepted {
		if !used[i] {
			unused = append(unused, entry)
		}
	}
	return left, unused, nil
}
