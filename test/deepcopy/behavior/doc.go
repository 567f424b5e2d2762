// Package behavior tests and measures the deep copies of the API types of published modules, whoever has
// generated them.
package behavior
