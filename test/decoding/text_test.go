package decoding

import (
	"fmt"
	"strings"
	"testing"
)

// values are what a member may be, right or wrong.
var values = []string{
	`null`, `true`, `false`, `nul`, `nulll`, `True`, `t`, ``, `undefined`,
	`0`, `-0`, `1`, `-1`, `00`, `01`, `-`, `+1`, `1.`, `.5`, `1.5`, `1.0`, `1e3`, `1E+3`, `1e`, `1e-400`, `1e400`, `0x10`, `NaN`,
	`127`, `128`, `-128`, `-129`, `255`, `256`, `32767`, `32768`, `65535`, `65536`, `2147483647`, `2147483648`, `-2147483648`, `-2147483649`,
	`4294967295`, `4294967296`, `9007199254740993`, `999999999999999999`, `9223372036854775807`, `9223372036854775808`,
	`-9223372036854775808`, `-9223372036854775809`, `18446744073709551615`, `18446744073709551616`, `123456789012345678901234567890`,
	`3.4028236e38`, `0.1`, `-0.0`, `100000000000000000000e-20`,
	`""`, `"a"`, `"null"`, `"1"`, `"1.5"`, `"true"`, `"a b"`, `"\u0061"`, `"\"\\\/\b\f\n\r\t"`, `"\u00e9\u4e16\ud83d\ude00"`,
	`"\ud83d"`, `"\ude00\ud83d"`, `"\ud83dx"`, `"\ud83d\u0061"`, `"\u12"`, `"\x"`, `"\u12G4"`, "\"\xff\"", "\"\xc3\xa9\"", "\"\xed\xa0\x80\"", "\"\xe4\xb8\"", "\"\xc3\\u0061\"",
	"\"a\nb\"", "\"\x00\"", "\"\x1f\"", "\"\x7f\"", `"unterminated`, `"escaped end\"`, `'a'`,
	`"12345678"`, `"1234567"`, `"123456789"`, "\"1234567\xff\"", "\"12345678\n\"", `"1234567\n"`,
	`"2024-02-29T12:34:56Z"`, `"2023-02-29T12:34:56Z"`, `"2023-04-31T12:34:56Z"`, `"2023-12-31T23:59:59Z"`, `"2023-12-31T23:59:60Z"`,
	`"2023-12-31T24:00:00Z"`, `"2023-13-01T00:00:00Z"`, `"2023-00-01T00:00:00Z"`, `"2023-01-00T00:00:00Z"`, `"2023-01-32T00:00:00Z"`, `"0000-01-01T00:00:00Z"`, `"0001-01-01T00:00:00Z"`,
	`"1900-02-29T00:00:00Z"`, `"2000-02-29T00:00:00Z"`, `"9999-12-31T23:59:59Z"`, `"2023-12-31T23:59:59+01:00"`, `"2023-12-31T23:59:59.5Z"`, `"2023-12-31t23:59:59Z"`, `"2023-12-31T23:59:59z"`,
	`"2023-12-31T23:59:59.123456Z"`, `"2023-12-31T23:59:59.12345Z"`, `"2023-12-31T23:59:59.1234567Z"`, `"2023-12-31T23:59:59.00000xZ"`, `"2023-12-31T23:59:59,123456Z"`,
	`"2023-12-31T23:59:59\u005a"`, `"202-12-31T23:59:59ZZ"`,
	`"1h30m"`, `"100m"`, `"1Gi"`, `"1e3"`, `" 1 "`, `"1\u0030"`, `"0.5"`, `"1.2.3"`, `"80%"`, `"127.0.0.1"`, `"a/b"`, `"a/b/c"`,
	`"aGVsbG8="`, `"aGVsbG8"`, `"aGVsbG8=="`, `"aGVs\nbG8="`, `"aGVs\u0062G8="`, `"aGVsbG9="`, `"_-_-"`,
	`{}`, `{ }`, `{"a":"b"}`, `{"a":null}`, `{"a":1}`, `{"a":"b","a":"c"}`, `{"a":{"a":"b"}}`, `{"a":["b"]}`, `{"A":"b"}`, `{"\u0061":"b"}`, `{"a":"b",}`, `{,}`, `{"a"}`, `{"a":}`, `{"a" : "b" , "b" : {"a":"c"} }`,
	`{a:1}`, `{1:2}`, `{"1":"2"}`, `{"-1":"2"}`, `{"127.0.0.1":"2"}`, "{\"\xff\":\"b\"}", "{\"\xc3\xa9\":\"b\"}", `{"a":"b"`, `{"a":"b"]`, `{"a":"b" "b":"c"}`, "{\x00 1}", `{"a":true}`, `{"a":"1Gi"}`, `{"a":"YQ=="}`, `{"":""}`, `{"a":1.5,"b":-2,"c":[{}],"d":{"e":null}}`,
	`[]`, `[ ]`, `["a"]`, `["a","b","c"]`, `[null]`, `[null,"a"]`, `[1,2,3]`, `[1,2]`, `[1]`, `[true,false]`, `["a",]`, `[,]`, `["a"`, `["a"}`, `["a" "b"]`, `[[]]`, `[[1],[],null,[2,3]]`, `[{}]`, `[{},{}]`, `[{"a":"b"},{"b":{"a":"c"}},null]`,
	`[[[]],[]]`, `["2024-02-29T12:34:56Z",null]`, `[1,"a",null]`, `[1.5,{"a":[]},"x",null,true,1e2,12345678901234567890]`,
	`{"apiVersion":"v1","kind":"x","int":1,"self":{"int":2},"unknown":{"a":[1,{"b":"\ud83d"}]}}`, "\t\r\n 1 \t", "\v1", "\u00a01",
}

// sinkNames are the names of the members of a sink, and some that it has not.
var sinkNames = strings.Fields(`kind apiVersion metadata inner outer Both both named Text hidden Shown
	bool int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 bytes flags digits string Untagged untagged - Never never
	quotedInt quotedString quotedSlice any anys anyMap namedAny stringer raw number extension
	pointer pointerPointer pointerSlice pointerMap self selves selfMap selfPointers array matrix tree empty empties anonymous
	strings uids stringMap uidMap bytesMap boolMap intKeys textKeys quantities mapMap sliceMap pointerMaps
	time micro times timePtr goTime duration quantity intOrText intOrTexts fields address big own ownMap
	unknown Kind KIND kind\u0020 \u006bind`)

// forms are what a member stands in.
var forms = []string{
	`{"%s":%s}`, `{"kind":"sink","%s":%s,"string":"x"}`, ` { "%s" : %s } `, `{"%s":%s`, `{"%s":%s}}`, `{"%s":%s,"int":[]}`,
	`{"self":{"%s":%s}}`, `{"any":{"%s":%s}}`, `{"unknown":[{"%s":%s}]}`, `{"selfMap":{"a":{"%s":%s},"b":null}}`,
}

// seconds are values of a member that is there for the second time.
var seconds = []string{`null`, `{"a":"c"}`, `[]`, `"a"`, `1`}

// TestValues gives every member of a sink every value, in some form and twice.
func TestValues(t *testing.T) {
	t.Parallel()
	obj, err := sinkKind.ours([]byte(`{"metadata":{"finalizers":["a","b","c"]}}`))
	if err != nil || !decodedFast(obj) {
		t.Fatalf("the fast path has given up a sink: %v", err)
	}
	turn := 0
	for _, name := range sinkNames {
		for _, value := range values {
			turn++
			if testing.Short() && turn%8 != 0 {
				continue
			}
			for _, text := range []string{
				fmt.Sprintf(forms[0], name, value),
				fmt.Sprintf(forms[1+turn%(len(forms)-1)], name, value),
				fmt.Sprintf(`{"%s":%s,"%s":%s}`, name, value, name, seconds[turn%len(seconds)]),
			} {
				if difference := sinkKind.difference([]byte(text)); difference != "" {
					t.Errorf("%s: %s", text, difference)
				}
			}
		}
	}
}

// TestDepth nests values as deep as both allow, and deeper.
func TestDepth(t *testing.T) {
	t.Parallel()
	for _, form := range []struct {
		member, open, close string
		depths              []int
	}{
		{"unknown", `[`, `]`, allDepths}, {"unknown", `{"a":`, `}`, allDepths},
		{"any", `[`, `]`, allDepths}, {"any", `{"a":`, `}`, allDepths},
		{"raw", `[`, `]`, allDepths}, {"tree", `[`, `]`, fastDepths},
		{"self", `{"self":`, `}`, fastDepths}, {"selves", `[{"selves":`, `}]`, fastDepths},
	} {
		for _, depth := range form.depths {
			text := `{"` + form.member + `":` + strings.Repeat(form.open, depth) + `null` + strings.Repeat(form.close, depth) + `}`
			if difference := sinkKind.difference([]byte(text)); difference != "" {
				t.Errorf("%s nested %d times: %.200s", form.open, depth, difference)
			}
		}
	}
}

var (
	fastDepths = []int{255, 256, 257, 510, 511, 512, 513}
	allDepths  = append([]int{9998, 9999, 10000, 10001}, fastDepths...)
)
