package views

import (
	"slices"
	"strings"

	"odysseus/fleet"
	"odysseus/views/locale"
)

// PolicyReferenceField is one field of a propagation policy as the reference documents it.
type PolicyReferenceField struct {
	ReferenceField
	// Karmada is set where leaving the field out means another thing under Karmada's API.
	Karmada *ReferenceAbsence `json:"underKarmada,omitempty"`
	// Refusals and Warnings that are given at this field.
	Refusals []fleet.Code `json:"refusals,omitempty"`
	Warnings []fleet.Code `json:"warnings,omitempty"`
	absent   ReferenceAbsence
}

// ReferenceAbsence is what leaving a field out means, in words.
type ReferenceAbsence struct {
	Required bool   `json:"required"`
	Default  string `json:"default,omitempty"`
	// InWords: the default is no value that could be written.
	InWords bool `json:"-"`
}

// PolicyReferenceBlock is a part of a policy that is described once, wherever it stands.
type PolicyReferenceBlock struct {
	Key    string
	Places []string
	Fields []BlockReferenceField
}

// BlockReferenceField is a field under its path within the block.
type BlockReferenceField struct {
	Label string
	PolicyReferenceField
}

// PolicyReference lists every field of a policy in the order of the structs, so that page and code cannot drift.
func PolicyReference(w *locale.Words) []PolicyReferenceField {
	all := fleet.PolicyFields()
	fields := make([]PolicyReferenceField, len(all))
	for i, f := range all {
		fields[i] = referenceOfPolicy(w, f)
	}
	return fields
}

func referenceOfPolicy(w *locale.Words, f fleet.PolicyField) PolicyReferenceField {
	about := "reference.policy." + f.Name
	if f.Part != "" {
		about = "reference.policy." + f.Part + "." + f.Name
	}
	absent := absence(w, f.ACKOne)
	field := PolicyReferenceField{
		ReferenceField: ReferenceField{Path: f.Path, Type: typeName(f.Type), Required: absent.Required, Default: absent.Default, About: w.T(about, nil)},
		Refusals:       f.Refusals,
		Warnings:       f.Warnings,
		absent:         absent,
	}
	if f.Want != "" {
		field.Accepted = w.T("accepted."+f.Want, f.WantArgs)
	}
	if f.Karmada != f.ACKOne {
		other := absence(w, f.Karmada)
		field.Karmada = &other
	}
	return field
}

func absence(w *locale.Words, a fleet.Absence) ReferenceAbsence {
	if a.Words != "" {
		return ReferenceAbsence{Default: w.T("default."+a.Words, nil), InWords: true}
	}
	return ReferenceAbsence{Required: a.Required, Default: a.Default}
}

// referenceBlocks are the tables of the page: the parts that each holds, the first one at its root.
var referenceBlocks = []struct {
	key   string
	parts []string
}{
	{"object", []string{"", "metadata", "spec", "placement"}},
	{"selector", []string{"selector"}},
	{"affinity", []string{"affinity"}},
	{"scheduling", []string{"scheduling", "weights", "weight"}},
	{"failover", []string{"failover", "application", "conditions"}},
	{"labels", []string{"labels", "expression"}},
}

// PolicyReferenceBlocks puts the fields into tables. A block that stands at several places is listed once, with its places.
func PolicyReferenceBlocks(w *locale.Words) []PolicyReferenceBlock {
	blocks := make([]PolicyReferenceBlock, len(referenceBlocks))
	listed := map[string]bool{}
	for i, known := range referenceBlocks {
		b := &blocks[i]
		b.Key = known.key
		for _, f := range fleet.PolicyFields() {
			for level, part := range known.parts {
				if f.Part != part {
					continue
				}
				if place := strings.TrimSuffix(f.Path, "."+f.Name); level == 0 && f.Part != "" && !slices.Contains(b.Places, place) {
					b.Places = append(b.Places, place)
				}
				label := b.label(f.Path)
				if key := known.key + " " + label; !listed[key] {
					listed[key] = true
					b.Fields = append(b.Fields, BlockReferenceField{label, referenceOfPolicy(w, f)})
				}
			}
		}
	}
	return blocks
}

// label is a field's path within the block.
func (b *PolicyReferenceBlock) label(path string) string {
	for _, place := range b.Places {
		if label, found := strings.CutPrefix(path, place+"."); found {
			return label
		}
	}
	return path
}
