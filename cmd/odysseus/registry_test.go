package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"odysseus/fleet"
)

// TestTheRegistryHoldsWhatIsGivenAndNothingElse: "a test fails when a code is returned that the registry lacks, or is
// listed and never returned". The code's constants are looked for where they are used.
func TestTheRegistryHoldsWhatIsGivenAndNothingElse(t *testing.T) {
	root := filepath.Join("..", "..")
	values := codeConstants(t, filepath.Join(root, "fleet", "code.go"))
	used := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "tools" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		base := filepath.Base(path)
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || base == "code.go" || base == "registry.go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok && values[name.Name] != "" {
				used[values[name.Name]] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, e := range fleet.Registry() {
		if listed[string(e.Code)] {
			t.Errorf("%s is listed twice", e.Code)
		}
		listed[string(e.Code)] = true
		if !used[string(e.Code)] {
			t.Errorf("%s is listed, and nothing gives it", e.Code)
		}
	}
	for name, code := range values {
		// Why a single node takes no replica is part of a reason, for staff, not a code of its own.
		if used[code] && !listed[code] && !strings.HasPrefix(name, "NodeReason") {
			t.Errorf("%s is given, and not listed", code)
		}
	}
}

// codeConstants maps the names of the constants of type Code to their values.
func codeConstants(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
				values[spec.Names[0].Name], _ = strconv.Unquote(literal.Value)
			}
		}
		return true
	})
	if len(values) < 50 {
		t.Fatalf("only %d codes found in %s", len(values), path)
	}
	return values
}
