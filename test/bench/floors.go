package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
)

// floor is what a row must not fall below. The checked-in file has them by the names
// of the rows.
type floor struct {
	// Floor is how many times better than the peer the row has to be at least.
	Floor float64 `json:"floor,omitempty"`
	// Reach is how many times better it is to become, where that is more.
	Reach float64 `json:"reach,omitempty"`
	// Most is what ours may be at most.
	Most *float64 `json:"most,omitempty"`
	// At has floors for certain numbers of objects.
	At map[string]float64 `json:"at,omitempty"`
}

type floors map[string]floor

func readFloors(file string) (floors, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var f floors
	if err := decoder.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return f, nil
}

// without returns the names of floors that no row has.
func (f floors) without(rows []Row) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(name string) bool {
		return slices.ContainsFunc(rows, func(r Row) bool { return r.Name == name })
	})
}

// apply gives each row its floor.
func (f floors) apply(rows []Row) {
	for i := range rows {
		row := &rows[i]
		row.Floor, row.Reach, row.Most = f[row.Name].Floor, f[row.Name].Reach, f[row.Name].Most
		if at, ok := f[row.Name].At[strconv.Itoa(row.Objects)]; ok {
			row.Floor = at
		}
	}
}
