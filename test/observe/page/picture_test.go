package page

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/observe/debugpage"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

var picture = flag.Bool("picture", false, "write docs/observability.png, in a minute; it needs -images")

// shop has the informers of the picture. The number of events goes up and down with the time.
type shop struct{}

func (shop) Statuses() iter.Seq[status.Informer] {
	seconds := time.Since(began).Seconds()
	informer := func(group, version, resource, kind string, objects int, perSecond float64) status.Informer {
		wave := perSecond * (seconds + 4*math.Sin(seconds/7+float64(objects)) + math.Sin(seconds/3)) // it never goes down
		return status.Informer{
			Resource: schema.GroupVersionResource{Group: group, Version: version, Resource: resource}, Kind: kind, Object: "*" + version + "." + kind, Server: "https://10.0.0.1:6443",
			Status: cache.Status{Phase: status.Watching, Since: time.Now().Add(-9 * time.Hour), Objects: objects, ResourceVersion: "48213377"},
			Stats: status.Stats{
				Synced: true, Staleness: time.Duration(objects%40) * time.Second / 3, ObjectBytes: int64(objects) * 5200, Updated: uint64(max(wave+100*perSecond, 0)),
				Handlers: []status.HandlerStats{{Name: "enqueue", Synced: true, Processed: 91, Slowest: 3 * time.Millisecond}},
			},
		}
	}
	databases := informer("data.example.com", "v1", "databases", "Database", 0, 0)
	forbidden := errors.New(`User "system:serviceaccount:data:database-operator" cannot list resource "databases" in API group "data.example.com" at the cluster scope`)
	databases.Status = cache.Status{
		Phase: status.Degraded, Since: time.Now().Add(-200 * time.Second), Reason: status.Forbidden, Verb: "list", NextAttempt: time.Now().Add(12500 * time.Millisecond),
		Err: apierrors.NewForbidden(databases.Resource.GroupResource(), "", forbidden),
	}
	databases.Stats.Synced, databases.Stats.Staleness = false, 0
	pods := informer("", "v1", "pods", "Pod", 18412, 45)
	pods.Stats.Handlers[0] = status.HandlerStats{Name: "enqueue", Synced: true, Backlog: 4813, Processed: 80247, Running: 94 * time.Second, Slowest: 94 * time.Second}
	secrets := informer("", "v1", "secrets", "Secret", 312, 0.4)
	secrets.Namespaces = []string{"billing", "orders", "users"}
	all := []status.Informer{
		databases, pods, secrets, informer("apps", "v1", "statefulsets", "StatefulSet", 127, 2),
		informer("data.example.com", "v1", "databaseclasses", "DatabaseClass", 4, 0), informer("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", 381, 1),
	}
	return slices.Values(all)
}

// TestPicture writes the picture of the documentation, after the page has refreshed itself for long
// enough that the lines of events show something.
func TestPicture(t *testing.T) {
	if !*picture || *images == "" {
		t.Skip("it takes a minute; run it with -picture and -images")
	}
	tab := open(t, desktop, serve(t, shop{}, debugpage.WithTitle("database-operator")))
	tab.wait(`/over (5\ds|1m)/.test(document.querySelector(".spark + .sub")?.textContent)`)
	tab.check()
	tab.screenshot("picture", desktop)
	large, err := os.ReadFile(filepath.Join(*images, "picture.png"))
	if err != nil {
		t.Fatal(err)
	}
	small := withPalette(t, large)
	if len(small) > 150_000 {
		t.Errorf("the picture has %d bytes", len(small))
	}
	if err := os.WriteFile("../../../docs/observability.png", small, 0o644); err != nil {
		t.Fatal(err)
	}
}

// withPalette returns a PNG with the 256 colors that most of its pixels have. The others become the
// nearest of these.
func withPalette(t *testing.T, content []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	bounds := full.Bounds()
	count := map[color.Color]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[full.At(x, y)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return cmp.Compare(count[b], count[a]) })
	reduced := image.NewPaletted(bounds, colors[:min(len(colors), 256)])
	draw.Draw(reduced, bounds, full, bounds.Min, draw.Src)
	var small bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&small, reduced); err != nil {
		t.Fatal(err)
	}
	return small.Bytes()
}
