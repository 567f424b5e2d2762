package generator

import (
	"fmt"
	"regexp"
	"strings"
)

// OptionError is a mistake in a field of Options.
type OptionError struct {
	// Field is the name of the field, such as OutputDir.
	Field string
	// format names fields of Options in braces: {OutputDir}.
	format string
	args   []any
}

// optionError returns an OptionError. The format names fields of Options in braces.
func optionError(field, format string, args ...any) *OptionError {
	return &OptionError{field, format, args}
}

// Error returns the mistake in the field and, after a semicolon, its fix.
func (e *OptionError) Error() string { return e.Message(func(field string) string { return field }) }

var fieldName = regexp.MustCompile(`\{\w+\}`)

// Message returns the text of Error with other names of fields, such as the flags.
func (e *OptionError) Message(name func(field string) string) string {
	format := fieldName.ReplaceAllStringFunc(e.format, func(s string) string { return name(strings.Trim(s, "{}")) })
	return fmt.Errorf(format, e.args...).Error()
}

// Unwrap returns the cause, such as an error of the file system, or nil.
func (e *OptionError) Unwrap() error {
	for _, arg := range e.args {
		if err, ok := arg.(error); ok {
			return err
		}
	}
	return nil
}
