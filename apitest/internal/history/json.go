package history

import (
	"encoding/json"
	"slices"
	"strconv"
)

// appendJSON appends value as encoding/json writes it. Most time of a create is spent here, so it
// handles the values in an object without reflection.
func appendJSON(to []byte, value any) ([]byte, error) {
	switch value := value.(type) {
	case nil:
		return append(to, "null"...), nil
	case bool:
		return strconv.AppendBool(to, value), nil
	case int64:
		return strconv.AppendInt(to, value, 10), nil
	case string:
		return appendString(to, value)
	case []any:
		return appendSlice(to, value)
	case map[string]any:
		return appendMap(to, value)
	}
	return appendOther(to, value)
}

// appendOther appends a value of a type that has no case of its own.
func appendOther(to []byte, value any) ([]byte, error) {
	encoded, err := json.Marshal(value)
	return append(to, encoded...), err
}

// appendString appends a string.
func appendString(to []byte, value string) ([]byte, error) {
	for i := range len(value) {
		if c := value[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return appendOther(to, value)
		}
	}
	to = append(to, '"')
	to = append(to, value...)
	return append(to, '"'), nil
}

func appendSlice(to []byte, values []any) ([]byte, error) {
	if values == nil {
		return append(to, "null"...), nil
	}
	to = append(to, '[')
	for i, value := range values {
		if i > 0 {
			to = append(to, ',')
		}
		var err error
		if to, err = appendJSON(to, value); err != nil {
			return to, err
		}
	}
	return append(to, ']'), nil
}

func appendMap(to []byte, values map[string]any) ([]byte, error) {
	if values == nil {
		return append(to, "null"...), nil
	}
	var few [16]string
	names := few[:0]
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	to = append(to, '{')
	for i, name := range names {
		if i > 0 {
			to = append(to, ',')
		}
		var err error
		if to, err = appendString(to, name); err != nil {
			return to, err
		}
		if to, err = appendJSON(append(to, ':'), values[name]); err != nil {
			return to, err
		}
	}
	return append(to, '}'), nil
}
