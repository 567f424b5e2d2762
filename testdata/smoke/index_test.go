package smoke

import (
	"context"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"

	formsv1 "github.com/typedinformers/informer-gen/testdata/apis/forms/v1"
	plantv1 "github.com/typedinformers/informer-gen/testdata/apis/plant/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
	typedplantv1 "github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/typed/plant/v1"
	informers "github.com/typedinformers/informer-gen/testdata/generated/informers/externalversions"
	listers "github.com/typedinformers/informer-gen/testdata/generated/listers/plant/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// robots are one with a value everywhere, one with two where there can be several,
// and one with none.
func robots() (full, double, empty *plantv1.Robot) {
	color, paused := "blue", true
	full = &plantv1.Robot{
		ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "full", Labels: map[string]string{"app.kubernetes.io/name": "weld"}},
		Spec: plantv1.RobotSpec{
			Place:    plantv1.Place{Hall: "h1"},
			NodeName: "n1", Color: &color, Priority: -7, Paused: &paused,
			Charger: &plantv1.Charger{Volts: 230},
			Tools:   []*plantv1.Tool{nil, {Name: "saw", Parts: []string{"blade"}}},
			Spares:  map[string][]plantv1.Tool{"left": {{Name: "arm"}}, "right": {{Name: "leg"}}},
		},
		Status: plantv1.RobotStatus{Phase: "Busy"},
	}
	double = &plantv1.Robot{
		ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "double"},
		Spec: plantv1.RobotSpec{Tools: []*plantv1.Tool{
			{Name: "saw", Parts: []string{"blade", "grip"}}, {Name: "saw"}, {Name: "file", Parts: []string{"grip"}},
		}},
	}
	return full, double, &plantv1.Robot{ObjectMeta: metav1.ObjectMeta{Namespace: "west", Name: "empty"}}
}

// TestIndexes looks for each value through the listers' methods.
func TestIndexes(t *testing.T) {
	full, double, empty := robots()
	indexer := cache.NewIndexer(listers.RobotIndexers())
	indexer.Replace([]*plantv1.Robot{full, double, empty})
	lister := listers.NewRobotLister(indexer)
	for what, test := range map[string]struct {
		find func() ([]*plantv1.Robot, error)
		want []string
	}{
		"a string":                     {func() ([]*plantv1.Robot, error) { return lister.ByNodeName("n1") }, []string{"full"}},
		"an empty string":              {func() ([]*plantv1.Robot, error) { return lister.ByNodeName("") }, []string{"double", "empty"}},
		"a pointer":                    {func() ([]*plantv1.Robot, error) { return lister.ByColor("blue") }, []string{"full"}},
		"a nil pointer":                {func() ([]*plantv1.Robot, error) { return lister.ByColor("") }, nil},
		"an inlined struct":            {func() ([]*plantv1.Robot, error) { return lister.ByHall("h1") }, []string{"full"}},
		"an integer":                   {func() ([]*plantv1.Robot, error) { return lister.ByPriority(-7) }, []string{"full"}},
		"a zero":                       {func() ([]*plantv1.Robot, error) { return lister.ByPriority(0) }, []string{"double", "empty"}},
		"a boolean":                    {func() ([]*plantv1.Robot, error) { return lister.ByPaused(true) }, []string{"full"}},
		"a named string":               {func() ([]*plantv1.Robot, error) { return lister.ByPhase("Busy") }, []string{"full"}},
		"a field of a pointer":         {func() ([]*plantv1.Robot, error) { return lister.ByVolts(230) }, []string{"full"}},
		"each element":                 {func() ([]*plantv1.Robot, error) { return lister.ByTool("saw") }, []string{"double", "full"}},
		"each element of each element": {func() ([]*plantv1.Robot, error) { return lister.ByPart("grip") }, []string{"double"}},
		"each element of a key":        {func() ([]*plantv1.Robot, error) { return lister.BySpare("arm") }, []string{"full"}},
		"an element of another key":    {func() ([]*plantv1.Robot, error) { return lister.BySpare("leg") }, nil},
		"a label":                      {func() ([]*plantv1.Robot, error) { return lister.ByApp("weld") }, []string{"full"}},
		"a label that is not there":    {func() ([]*plantv1.Robot, error) { return lister.ByApp("") }, nil},
		"a value that no object has":   {func() ([]*plantv1.Robot, error) { return lister.ByPhase("Idle") }, nil},
	} {
		found, err := test.find()
		var names []string
		for _, robot := range found {
			names = append(names, robot.Name)
		}
		slices.Sort(names)
		if err != nil || !slices.Equal(names, test.want) {
			t.Errorf("%s finds %v, %v; want %v", what, names, err, test.want)
		}
	}
	east, west := lister.Robots("east"), lister.Robots("west")
	for what, test := range map[string]struct {
		find func() ([]*plantv1.Robot, error)
		want int
	}{
		"a value of two robots in one namespace":    {func() ([]*plantv1.Robot, error) { return east.ByTool("saw") }, 2},
		"the same value in another namespace":       {func() ([]*plantv1.Robot, error) { return west.ByTool("saw") }, 0},
		"a value of robots in both namespaces":      {func() ([]*plantv1.Robot, error) { return lister.ByPriority(0) }, 2},
		"an integer, here":                          {func() ([]*plantv1.Robot, error) { return east.ByPriority(0) }, 1},
		"an integer, there":                         {func() ([]*plantv1.Robot, error) { return west.ByPriority(0) }, 1},
		"a named string":                            {func() ([]*plantv1.Robot, error) { return east.ByPhase("Busy") }, 1},
		"a namespace without objects":               {func() ([]*plantv1.Robot, error) { return lister.Robots("north").ByPhase("Busy") }, 0},
		"a value of a namespace that no object has": {func() ([]*plantv1.Robot, error) { return east.ByPaused(false) }, 0},
	} {
		if found, err := test.find(); err != nil || len(found) != test.want {
			t.Errorf("%s finds %v, %v; want %d", what, found, err, test.want)
		}
	}
	indexer.Delete(double)
	if left, err := lister.ByTool("saw"); err != nil || len(left) != 1 {
		t.Errorf("after a delete there are %v, %v", left, err)
	}
}

// TestFieldSelectors looks at what informers ask the server for.
func TestFieldSelectors(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	full, _, _ := robots()
	paper := &formsv1.Paper{}
	paper.Namespace, paper.Name, paper.Spec.Author = "east", "p", "ann"
	client := fake.NewSimpleClientset(full, paper)
	factory := informers.NewSharedInformerFactory(client, 0,
		cache.WithFieldSelector(typedplantv1.RobotFieldSpecColor.Is("blue").And(typedplantv1.RobotFieldSpecPriority.IsNot(3))),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.FieldSelector = "metadata.name!=x" }),
		cache.WithFieldSelector(typedplantv1.RobotFieldStatusPhase.Is("Busy")),
	)
	robots, papers := factory.Plant().V1().Robots(), factory.Forms().V1().Papers()
	robots.Informer()
	papers.Informer()
	factory.Start(ctx)
	defer factory.Shutdown()
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
	if busy, err := robots.Lister().ByPhase("Busy"); err != nil || len(busy) != 1 {
		t.Errorf("the busy robots are %v, %v", busy, err)
	}
	if ofAnn, err := papers.Lister().ByAuthor("ann"); err != nil || len(ofAnn) != 1 {
		t.Errorf("the papers of ann are %v, %v", ofAnn, err)
	}
	for _, action := range client.Actions() {
		var got string
		switch action := action.(type) {
		case clienttesting.ListActionImpl:
			got = action.ListRestrictions.Fields.String()
		case clienttesting.WatchActionImpl:
			got = action.WatchRestrictions.Fields.String()
		}
		want := "metadata.name!=x"
		if action.GetResource().Resource == "robots" {
			want += ",spec.color=blue,spec.priority!=3,status.phase=Busy"
		}
		if got != want {
			t.Errorf("%s of %s selects %q, want %q", action.GetVerb(), action.GetResource().Resource, got, want)
		}
	}
}
