package typecheck

import "testing"

// TestEncodesItself checks fields by which a server may select. If a value encodes itself, the server
// compares the text for any Go type. An index needs the Go value.
func TestEncodesItself(t *testing.T) {
	const others = `
-- other/t.go --
package other
import "third"
type Time struct { third.Time }
type Meta struct { Time ` + "`json:\",inline\"`" + ` }
type Amount struct { n int; Format string }
type Sum = Amount
func (*Sum) MarshalJSON() ([]byte, error) { return nil, nil }
type Address []byte
func (Address) MarshalText() ([]byte, error) { return nil, nil }
type Plain struct { Name string }
type Decodes struct{}
func (*Decodes) UnmarshalJSON([]byte) error { return nil }
type Level int
func (Level) MarshalText() ([]byte, error) { return nil, nil }
-- third/t.go --
package third
type Time struct { wall uint64 }
func (t Time) MarshalJSON() ([]byte, error) { return nil, nil }
func (t Time) hidden() missing
`
	for _, test := range []struct {
		typ      string
		encodes  bool
		problem  string
		inSyntax bool
	}{
		{"other.Time", true, "x is of type other.Time, which is a struct; name a field of it that is a string, an integer or a boolean", false},
		{"*other.Time", true, "x is of type other.Time, which is a struct; name a field of it that is a string, an integer or a boolean", false},
		{"other.Meta", true, "x is of type other.Meta, which is a struct; name a field of it that is a string, an integer or a boolean", false},
		{"other.Amount", true, "x is of type other.Amount, which is a struct; name a field of it that is a string, an integer or a boolean", false},
		{"other.Address", true, "x is of type []byte; name a string, an integer or a boolean", false},
		{"other.Level", true, "", false},
		{"other.Plain", false, "x is of type other.Plain, which is a struct; name a field of it that is a string, an integer or a boolean", false},
		{"other.Decodes", false, "x is of type other.Decodes, which is a struct; name a field of it that is a string, an integer or a boolean", false},
		{"Stamp", true, "x is of type shop.Stamp, which is a struct; name a field of it that is a string, an integer or a boolean", false},
		{"Own", true, "x is of type shop.Own, which is a struct; name a field of it that is a string, an integer or a boolean", true},
		{"Without", false, "x is of type shop.Without, which is a struct; name a field of it that is a string, an integer or a boolean", true},
		{"map[string]string", false, "x is a map; add a key in brackets, such as x[app.kubernetes.io/name]", true},
	} {
		t.Run(test.typ, func(t *testing.T) {
			pkg, open, err := answered(t, kindOf+`import "other"
// +genclient
// +kubebuilder:selectablefield:JSONPath=x
type Order struct { metav1.TypeMeta; metav1.ObjectMeta; X `+test.typ+" `json:\"x\"` }"+`
type Stamp struct { Inner `+"`json:\"inner\"`"+`}
type Inner struct { other.Time }
type Own struct { A, B int }
func (Own) MarshalJSON() ([]byte, error) { return nil, nil }
type Without Own
`+others)
			if err != nil {
				t.Fatal(err)
			}
			field := pkg.Types[0].Fields["x"]
			if field.EncodesItself != test.encodes || field.Problem != test.problem {
				t.Errorf("the value encodes itself: %t, problem %q; want %t, %q", field.EncodesItself, field.Problem, test.encodes, test.problem)
			}
			if (open == "") != test.inSyntax {
				t.Errorf("the syntax of the package leaves open %q", open)
			}
		})
	}
}
