package packed_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/internal/packing"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/packed"
)

// vault is a kind with the members of a Secret.
type vault struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Data       map[string]string `json:"data,omitempty"`
	StringData map[string]string `json:"stringData,omitempty"`
}

func (v *vault) DeepCopyObject() apiruntime.Object { panic("no one copies it") }

// secretOf returns a text that occurs nowhere else.
func secretOf(n int) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(fmt.Sprint("secret ", n))))
}

func vaultText(n int) string {
	secret := secretOf(n)
	return fmt.Sprintf(`{"kind":"Vault","apiVersion":"example.com/v1","metadata":{"namespace":"a","name":"v%d","uid":"u%[1]d","resourceVersion":"%[1]d","annotations":{"kubectl.kubernetes.io/last-applied-configuration":%q}},"data":{"a":%q},"stringData":{"b":%[3]q}}`,
		n, `{"data":{"a":"`+secret+`"}}`, secret)
}

// TestDeletedSecretsAreNotRemembered looks for the data of objects in all of the memory, after most of them were deleted.
func TestDeletedSecretsAreNotRemembered(t *testing.T) {
	const all = 200
	defer func(before int32) { packing.KeptOfList = before }(packing.KeptOfList)
	for _, left := range []int{0, 20} {
		packing.KeptOfList = int32(all - 10*left) // some texts are decoded when they arrive, and some are only checked
		t.Run(fmt.Sprintf("%d are left", left), func(t *testing.T) {
			open := func(ctx context.Context, options metav1.ListOptions, _ string) (io.ReadCloser, error) {
				var text strings.Builder
				if !options.Watch {
					text.WriteString(`{"kind":"VaultList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"1000"},"items":[`)
					for n := range all {
						if n > 0 {
							text.WriteByte(',')
						}
						text.WriteString(vaultText(n))
					}
					return io.NopCloser(strings.NewReader(text.String() + "]}")), nil
				}
				reading, writing := io.Pipe()
				go func() {
					for n := left; n < all; n++ {
						fmt.Fprintf(writing, "{\"type\":\"DELETED\",\"object\":%s}\n", strings.Replace(vaultText(n), `"resourceVersion":"`, `"resourceVersion":"1`, 1))
					}
					<-ctx.Done()
					writing.Close()
				}()
				return reading, nil
			}
			kind := cache.Kind[*vault]{Resource: foos, Kind: "Vault", Namespaced: true, Open: func(string) bodies.OpenFunc { return open }}
			informer, err := kind.NewInformer(packed.WithPackedObjects())
			if err != nil {
				t.Fatal(err)
			}
			deleted := make(chan struct{}, all)
			if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*vault]{DeleteFunc: func(*vault, bool) { deleted <- struct{}{} }}); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				informer.Run(ctx)
			}()
			for range all - left {
				<-deleted
			}
			for range informer.GetIndexer().All() { // each read decompresses a text
			}
			for range 3 {
				runtime.GC()
			}
			dump := heap(t)
			found, live := 0, 0
			for n := range all {
				if isIn := bytes.Contains(dump, []byte(secretOf(n))); isIn && n >= left {
					found++
				} else if isIn {
					live++
				}
			}
			if found > 2 { // what the last event has left in its buffers
				t.Errorf("the data of %d of %d deleted objects is in memory", found, all-left)
			}
			if live < left/2 {
				t.Errorf("the data of %d of %d objects is found, so the search finds too little", live, left)
			}
			cancel()
			<-done
		})
	}
}

// heap returns the contents of the memory.
func heap(t *testing.T) []byte {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "heap"))
	if err != nil {
		t.Fatal(err)
	}
	debug.WriteHeapDump(file.Fd())
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	dump, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return dump
}
