package syntax

import (
	"go/ast"
	"go/token"
	"slices"
)

// Scope has the top-level declarations of a package by name.
type Scope struct {
	Types map[string]TypeDecl
	// Repeated has the types that are declared twice: the name in both declarations.
	Repeated [][2]*ast.Ident
	Funcs    map[string]*ast.FuncDecl
	// Values has the constants and variables.
	Values map[string]ValueDecl
	// Methods are in the order of the files.
	Methods []Method
	// methods has the names of Methods by their receivers.
	methods map[string]map[string]bool
}

// TypeDecl is the declaration of a type.
type TypeDecl struct {
	File  *ast.File
	Group *ast.GenDecl
	Spec  *ast.TypeSpec
}

// ValueDecl is the declaration of a constant or a variable.
type ValueDecl struct {
	File  *ast.File
	Group *ast.GenDecl
	Name  *ast.Ident
	// Type and Expr are nil if the declaration lacks them.
	Type, Expr ast.Expr
}

// IsConst reports whether the value is a constant.
func (v ValueDecl) IsConst() bool { return v.Group.Tok == token.CONST }

// Method is the declaration of a method.
type Method struct {
	File *ast.File
	Decl *ast.FuncDecl
}

func newScope(files []*ast.File) *Scope {
	s := &Scope{
		Types: map[string]TypeDecl{}, Funcs: map[string]*ast.FuncDecl{}, Values: map[string]ValueDecl{}, methods: map[string]map[string]bool{},
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				s.addFunc(file, decl)
			case *ast.GenDecl:
				s.addGroup(file, decl)
			}
		}
	}
	return s
}

func (s *Scope) addFunc(file *ast.File, decl *ast.FuncDecl) {
	if decl.Recv == nil {
		s.Funcs[decl.Name.Name] = decl
		return
	}
	s.Methods = append(s.Methods, Method{file, decl})
	receiver := Receiver(decl)
	if s.methods[receiver] == nil {
		s.methods[receiver] = map[string]bool{}
	}
	s.methods[receiver][decl.Name.Name] = true
}

func (s *Scope) addGroup(file *ast.File, group *ast.GenDecl) {
	for _, spec := range group.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if first, ok := s.Types[spec.Name.Name]; ok && spec.Name.Name != "_" {
				s.Repeated = append(s.Repeated, [2]*ast.Ident{first.Spec.Name, spec.Name})
			}
			s.Types[spec.Name.Name] = TypeDecl{file, group, spec}
		case *ast.ValueSpec:
			for i, name := range spec.Names {
				value := ValueDecl{File: file, Group: group, Name: name, Type: spec.Type}
				if i < len(spec.Values) {
					value.Expr = spec.Values[i]
				}
				s.Values[name.Name] = value
			}
		}
	}
}

// Has reports whether the package declares a method of the type.
func (s *Scope) Has(typeName, methodName string) bool { return s.methods[typeName][methodName] }

// Resolve returns the type of the package that an alias stands for. It returns other types, aliases of types of other
// packages, and aliases of instances of generic types as they are.
func (s *Scope) Resolve(t TypeDecl) TypeDecl {
	for range len(s.Types) { // an alias of itself does not compile
		name, ok := t.Spec.Type.(*ast.Ident)
		if !ok || !t.Spec.Assign.IsValid() {
			break
		}
		local, ok := s.Types[name.Name]
		if !ok {
			break
		}
		t = local
	}
	return t
}

// Underlying returns the expression that declares a type without the names of other types of the package. A type that
// is declared by itself, which does not compile, has only its name.
func (s *Scope) Underlying(t TypeDecl) ast.Expr { return s.underlying(t, nil) }

// underlying returns Underlying of a type by which those in outer are declared.
func (s *Scope) underlying(t TypeDecl, outer []*ast.TypeSpec) ast.Expr {
	name, ok := t.Spec.Type.(*ast.Ident)
	if !ok {
		return t.Spec.Type
	}
	local, ok := s.Types[name.Name]
	if !ok || slices.Contains(outer, t.Spec) {
		return name
	}
	return s.underlying(local, append(outer, t.Spec))
}
