package locale

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"odysseus/fleet"
)

func english(t *testing.T) (*Catalogue, *Words) {
	t.Helper()
	c, err := New(OnMissing(func(key string) { t.Errorf("no words for %q", key) }))
	if err != nil {
		t.Fatal(err)
	}
	return c, c.Words()
}

func TestEveryCodeHasWords(t *testing.T) {
	_, w := english(t)
	for _, e := range fleet.Registry() {
		if w.Cause(e.Code) == "" || w.Title(e.Code) == "" {
			t.Errorf("%s has no cause or no title", e.Code)
		}
		var text string
		switch e.Kind {
		case fleet.EntryRefusal:
			text = w.Refusal(fleet.FieldError{Code: e.Code, Value: "a value"})
		case fleet.EntryWarning:
			text = w.Warning(fleet.Warning{Code: e.Code, Advertised: &fleet.Geography{}})
		case fleet.EntryReason:
			text = w.Reason(fleet.Reason{Code: e.Code, Required: &fleet.Requirement{Country: "CA"}, Reported: &fleet.Geography{}})
			if !w.Has("reasonname." + string(e.Code)) {
				t.Errorf("%s has no short name", e.Code)
			}
		}
		if text == "" || strings.Contains(text, "{{") || strings.Contains(text, "<no value>") {
			t.Errorf("%s: %q", e.Code, text)
		}
	}
}

// source is every string that the product's code holds, and every key that it asks for by name.
type source struct {
	literals map[string]bool
	asked    map[string]bool
}

var asking = regexp.MustCompile(`^(T|N|t|n)$`)

func sources(t *testing.T) source {
	t.Helper()
	s := source{literals: map[string]bool{}, asked: map[string]bool{}}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") && path != root):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(node.Value); err == nil && node.Kind == token.STRING {
					s.literals[text] = true
					for part := range strings.SplitSeq(text, ".") {
						s.literals[part] = true
					}
				}
			case *ast.Field:
				if node.Tag != nil {
					tag, _ := strconv.Unquote(node.Tag.Value)
					name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
					s.literals[name], s.literals[name+"[]"] = true, true
				}
			case *ast.CallExpr:
				s.ask(node)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask notes the key of a call such as t(ctx, "page.title") or words.T("page.title", nil).
func (s source) ask(call *ast.CallExpr) {
	name, at := "", 0
	switch called := call.Fun.(type) {
	case *ast.Ident:
		name, at = called.Name, 1
	case *ast.SelectorExpr:
		name = called.Sel.Name
	}
	if !asking.MatchString(name) || len(call.Args) <= at {
		return
	}
	if literal, ok := call.Args[at].(*ast.BasicLit); ok && literal.Kind == token.STRING {
		if key, err := strconv.Unquote(literal.Value); err == nil && strings.Contains(key, ".") {
			s.asked[key] = true
		}
	}
}

func TestEveryKeyThatIsAskedForHasWords(t *testing.T) {
	_, w := english(t)
	for key := range sources(t).asked {
		if !w.Has(key) {
			t.Errorf("%q is asked for and has no words", key)
		}
	}
}

// families are read by their prefix: every key of them is used.
var families = []string{"alteration.", "language."}

// has says whether the code holds a part of a key, whole or put together at an underscore: "type_" + kind.
func (s source) has(part string) bool {
	if s.literals[part] {
		return true
	}
	for i, c := range part {
		if c == '_' && s.literals[part[:i+1]] && s.literals[part[i+1:]] {
			return true
		}
	}
	return false
}

// A key is used where the code has it whole, or in parts: "refusal." + code, "docs." + page + ".title".
func TestNoKeyIsUnused(t *testing.T) {
	c, _ := english(t)
	s := sources(t)
	for _, key := range c.Keys() {
		if s.literals[key] || slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(key, f) }) {
			continue
		}
		for part := range strings.SplitSeq(key, ".") {
			if !s.has(part) {
				t.Errorf("%q is used nowhere", key)
				break
			}
		}
	}
}

func TestEventsOfPlacementAreInWords(t *testing.T) {
	_, w := english(t)
	for want, e := range map[string]fleet.Event{
		"1 replica got a place":                                                                                {Reason: "Scheduled", Args: map[string]string{"replicas": "1"}},
		"2 replicas are being replaced, to end a drift":                                                        {Reason: "Replacing", Args: map[string]string{"replicas": "2", "cause": "drift"}},
		"2 replicas have no place: outside the residency, no room":                                             {Reason: "Pending", Args: map[string]string{"replicas": "2", "codes": "geo_mismatch,capacity"}},
		"2 replicas require country CA and run where US and region na is reported":                             {Reason: "DriftDetected", Args: map[string]string{"replicas": "2", "country": "CA", "reportedCountry": "US", "reportedRegion": "na"}},
		"1 replica requires a country other than RU, US and runs where neither country nor region is reported": {Reason: "DriftDetected", Args: map[string]string{"replicas": "1", "blocked": "RU,US"}},
		"Replica 3 stopped":                          {Reason: "Stopped", Args: map[string]string{"Replica": "3"}},
		"3 replicas stopped":                         {Reason: "Stopped", Args: map[string]string{"replicas": "3"}},
		"Draining, with a grace of 300 seconds":      {Reason: "Draining", Args: map[string]string{"GraceSeconds": "300"}},
		"Replica 0 failed: <b>exit 1</b>":            {Reason: "Failed", Args: map[string]string{"Replica": "0", "Message": "<b>exit 1</b>"}},
		"Residency changed from none to country: CA": {Reason: "ResidencyChanged", Args: map[string]string{"After": "country: CA"}},
	} {
		if got := w.Event(e); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
