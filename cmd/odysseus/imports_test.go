package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rule is one line of the table of who may import whom. The empty reason is refused: a rule that nobody can defend
// should not stand.
type rule struct {
	pkg    string   // the folder, and all below it that have no rule of their own
	may    []string // our packages that it may import, beside those below itself
	never  []string // others' packages, by prefix
	reason string
}

var rules = []rule{
	{"fleet", nil, []string{"net/http", "database/sql", "os", "math/rand"},
		"the vocabulary is pure, so that a rule reads the same wherever it is applied"},
	{"scheduler", []string{"fleet"}, []string{"net/http", "database/sql", "math/rand", "crypto/rand"},
		"a decision depends on its inputs alone, so that it can be tested and repeated"},
	{"db", []string{"fleet"}, []string{"net/http"},
		"it satisfies the ports of its callers by shape and knows none of them"},
	{"control", []string{"fleet"}, []string{"net/http", "database/sql"},
		"what an actor may do does not depend on how it asked or where it is stored"},
	{"agent", []string{"fleet"}, []string{"database/sql"},
		"an agent runs on machines of its own and carries nothing of the server"},
	{"views", []string{"fleet", "static"}, []string{"database/sql"},
		"a template shows what it is given and asks nobody"},
	{"static", nil, []string{"database/sql"}, "assets depend on nothing"},
	{"handlers", []string{"fleet", "control", "views"}, []string{"database/sql"},
		"a handler decodes, calls one method and renders"},
	{"web", []string{"fleet", "handlers", "control", "views/locale", "static"}, []string{"database/sql"},
		"the server routes; storing is none of its business"},
}

// onlyIn names libraries that one package alone may import.
var onlyIn = map[string]string{
	"github.com/moby/moby/": "agent/docker",
	"k8s.io/client-go/":     "agent/kubernetes",
	"modernc.org/sqlite":    "db",
}

func TestImportsFollowTheTable(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() {
			if name := d.Name(); name == "node_modules" || name == "tools" || strings.HasPrefix(name, ".") && rel != "." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(rel))
		r := ruleOf(folder)
		if r == nil {
			if !strings.HasPrefix(folder, "cmd/") {
				t.Errorf("%s: no line of the table says what it may import", folder)
			}
			return nil
		}
		seen[r.pkg] = true
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if why := r.refuses(name); why != "" {
				t.Errorf("%s imports %s: %s", rel, name, why)
			}
			for library, home := range onlyIn {
				if strings.HasPrefix(name, library) && folder != home {
					t.Errorf("%s imports %s: only %s may", rel, name, home)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		if r.reason == "" {
			t.Errorf("%s: a rule without a reason", r.pkg)
		}
		if !seen[r.pkg] {
			t.Errorf("%s: the table names a package that is not there", r.pkg)
		}
	}
}

func ruleOf(folder string) *rule {
	for i := range rules {
		if within(folder, rules[i].pkg) {
			return &rules[i]
		}
	}
	return nil
}

func within(folder, pkg string) bool { return folder == pkg || strings.HasPrefix(folder, pkg+"/") }

func (r *rule) refuses(name string) string {
	if ours, found := strings.CutPrefix(name, "odysseus/"); found {
		allowed := within(ours, r.pkg) || slices.ContainsFunc(r.may, func(p string) bool { return within(ours, p) })
		if !allowed {
			return r.reason
		}
		return ""
	}
	for _, p := range r.never {
		if name == p || strings.HasPrefix(name, p+"/") {
			return r.reason
		}
	}
	return ""
}
