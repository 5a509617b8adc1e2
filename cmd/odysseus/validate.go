package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"odysseus/fleet"
	"odysseus/views/locale"
)

// validateCommand checks manifests offline, by the same validator as every other way in.
type validateCommand struct {
	File   []string `short:"f" required:"" help:"Manifest to check, YAML or JSON; - for standard input. May be repeated."`
	Config string   `help:"Configuration that declares the regions; without it regions are not checked."`
}

func (c *validateCommand) Run(p *program) error {
	var geo *fleet.GeoAwareness
	if c.Config != "" {
		config, _, err := loadConfig(c.Config, p.environ, p.words)
		if err != nil {
			return err
		}
		geo = &fleet.GeoAwareness{}
		if regions := config.Scheduler.GeoAwareness.Regions; regions != nil {
			geo.Regions = *regions
		}
	}
	refused := &refusedError{}
	for _, name := range c.File {
		body, err := readManifest(name, p.stdin)
		if err != nil {
			return err
		}
		faults, warnings := validateManifest(body, formatOf(name, body), geo)
		for _, w := range warnings {
			fmt.Fprintf(p.stderr, "%s: warning: %s: %s\n", name, w.Code, p.words.Warning(w))
		}
		for _, f := range faults {
			refused.lines = append(refused.lines, refusalLine(name, f, p.words))
		}
	}
	if len(refused.lines) > 0 {
		return refused
	}
	return nil
}

// validateManifest finds all faults of all documents, in order.
func validateManifest(body []byte, format fleet.Format, geo *fleet.GeoAwareness) (fleet.FieldErrors, []fleet.Warning) {
	docs, faults := fleet.Parse(body, format)
	if len(faults) > 0 {
		return faults, nil
	}
	if len(docs) == 0 {
		return fleet.FieldErrors{{Code: fleet.CodeNoDocument, Want: "document", Line: 1, Column: 1}}, nil
	}
	var warnings []fleet.Warning
	scopes := fleet.Scopes{}
	for _, doc := range docs {
		own, warned := validateDocument(doc, geo, scopes)
		faults, warnings = append(faults, own...), append(warnings, warned...)
	}
	return faults, warnings
}

// validateDocument finds the faults of one document, sorted. A CustomResourceDefinition adds its kind to the scopes.
// Which clusters and namespaces there are, only the control plane knows.
func validateDocument(doc *fleet.Doc, geo *fleet.GeoAwareness, scopes fleet.Scopes) (fleet.FieldErrors, []fleet.Warning) {
	switch doc.Declares() {
	case fleet.DeclaresForeignPolicy:
		return fleet.ForeignPolicy(doc), nil
	case fleet.DeclaresPolicy:
		policy, decoded := fleet.DecodePolicy(doc)
		checked, warnings := fleet.ValidatePolicy(&policy, nil)
		return fleet.JoinFaults(decoded, doc.Locate(checked)), warnings
	case fleet.DeclaresOverride:
		override, decoded := fleet.DecodeOverride(doc)
		checked, warnings := fleet.ValidateOverride(&override, nil)
		return fleet.JoinFaults(decoded, doc.Locate(checked)), warnings
	case fleet.DeclaresResource:
		resource, decoded := fleet.DecodeResource(doc, scopes)
		if kind, scope, defines := fleet.DefinedScope(&resource); defines {
			scopes[kind] = scope
		}
		// Whether a value of a Secret is stored, only the control plane knows.
		return fleet.JoinFaults(decoded, fleet.AdmitData(doc, &resource, resource.DataKeys())), nil
	}
	d, decoded := fleet.DecodeDeployment(doc)
	checked, warnings := fleet.ValidateDeployment(&d, geo)
	return append(decoded, doc.Locate(checked)...).Sorted(), warnings
}

// refusalLine is FILE:LINE:COL: CODE: message, and the block to paste below it where there is one.
func refusalLine(name string, f fleet.FieldError, words *locale.Words) string {
	line := fmt.Sprintf("%s:%d:%d: %s: %s", name, max(1, f.Line), max(1, f.Column), f.Code, words.Refusal(f))
	if f.Suggestion != "" && f.Code != fleet.CodeUnknownField {
		line += fmt.Sprintf(" (%s?)", f.Suggestion)
	}
	if f.Fix != "" {
		line += "\n    " + strings.ReplaceAll(strings.TrimSuffix(f.Fix, "\n"), "\n", "\n    ")
	}
	return line
}

func readManifest(name string, stdin io.Reader) ([]byte, error) {
	var body []byte
	var err error
	if name == "-" {
		body, err = io.ReadAll(stdin)
	} else {
		body, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	return body, nil
}

// formatOf goes by the file's name; of standard input by its first character, since YAML takes JSON as well but
// points less exactly into it.
func formatOf(name string, body []byte) fleet.Format {
	if strings.HasSuffix(name, ".json") || name == "-" && strings.HasPrefix(strings.TrimSpace(string(body)), "{") {
		return fleet.FormatJSON
	}
	return fleet.FormatYAML
}
