package views

import (
	"context"
	"strconv"

	"odysseus/fleet"
)

// EditorPage is the form for a new deployment or an existing one, or its YAML.
type EditorPage struct {
	Chrome    Chrome
	Namespace string
	// Existing is the name of the deployment that is edited; empty for a new one.
	Existing string
	// AsYAML says which of the two is shown.
	AsYAML bool
	Form   DeploymentForm
	YAML   string
	// Regions are those that this control plane declares, Advertised what the nodes within reach report.
	Regions    []fleet.Region
	Advertised fleet.Geography
	Refusals   []Refusal
	// Stays says that it could not be shown the other way, for these Refusals.
	Stays bool
	// Checked says that a dry run accepted what stands here, with these Warnings.
	Checked  bool
	Warnings []fleet.Warning
	// Conflict is set where somebody else changed the deployment since the form was opened.
	Conflict *Diff
}

// DeploymentForm holds what was typed, word for word, whether or not it can be read.
type DeploymentForm struct {
	Name, Image, Replicas string
	Country, Region       string
	BlockedCountries      []string
	Version               string
}

// The ids of the form's controls.
const (
	InputName     = "name"
	InputImage    = "image"
	InputReplicas = "replicas"
	InputCountry  = "country"
	InputRegion   = "region"
	InputBlocked  = "blockedCountries"
	InputYAML     = "yaml"
)

// InputBlockedAt is the id of one of the repeated controls.
func InputBlockedAt(i int) string { return InputBlocked + "-" + strconv.Itoa(i) }

// action is where the form goes.
func (m EditorPage) action() string {
	if m.Existing == "" {
		return DeploymentsPath(m.Namespace)
	}
	return DeploymentPath(m.Namespace, m.Existing)
}

func (m EditorPage) cancel() string { return m.action() }

// field is a control of the form with its refusals.
func (m EditorPage) field(id, key, value, class string) Field {
	return Field{ID: id, Name: id, Key: key, Value: value, Hinted: true, Class: class, Refusals: at(m.Refusals, id)}
}

func (m EditorPage) nameField() Field {
	f := m.field(InputName, "deployment_name", m.Form.Name, "name")
	f.ReadOnly = m.Existing != ""
	return f
}

func (m EditorPage) imageField() Field {
	return m.field(InputImage, "image", m.Form.Image, "")
}

func (m EditorPage) replicasField() Field {
	return m.field(InputReplicas, "replicas", m.Form.Replicas, "short")
}

func (m EditorPage) countryField() Field {
	f := m.field(InputCountry, "country", m.Form.Country, "code")
	f.List = "countries"
	return f
}

// blocked are the repeated inputs: those filled in and one more.
func (m EditorPage) blocked() []string {
	if count := len(m.Form.BlockedCountries); count > 0 && m.Form.BlockedCountries[count-1] == "" {
		return m.Form.BlockedCountries
	}
	return append(append([]string{}, m.Form.BlockedCountries...), "")
}

// declaredRegion says whether the form's region is one of the list; another stays in it as typed.
func (m EditorPage) declaredRegion() bool {
	for _, r := range m.Regions {
		if r.Name == m.Form.Region {
			return true
		}
	}
	return m.Form.Region == ""
}

// PartRefused says whether a part of the form, by the name of its fragment, was refused.
func (m EditorPage) PartRefused(part string) bool { return len(m.refusedIn(part)) > 0 }

func (m EditorPage) refusedIn(part string) []Refusal {
	var own []Refusal
	for _, r := range m.Refusals {
		if partOf(r.Input) == part {
			own = append(own, r)
		}
	}
	return own
}

// partOf is the part of the form that a control stands in.
func partOf(input string) string {
	switch input {
	case InputName:
		return FragmentName
	case InputImage:
		return FragmentImage
	case InputReplicas:
		return FragmentReplicas
	case InputYAML:
		return FragmentYAML
	case "":
		return ""
	default:
		return FragmentResidency
	}
}

// check asks for one part to be checked while the form is filled in, through the endpoint that stores it.
func check(part string) string { return `{"check":"` + part + `"}` }

func pressed(yes bool) string { return strconv.FormatBool(yes) }

func editorTitle(ctx context.Context, m EditorPage) string {
	if m.Existing == "" {
		return t(ctx, "editor.new")
	}
	return t(ctx, "editor.edit", "Name", m.Existing)
}

// editorCrumb and editorStep are the last steps of the way here.
func editorCrumb(ctx context.Context, m EditorPage) string {
	if m.Existing == "" {
		return t(ctx, "editor.new")
	}
	return m.Existing
}

func editorStep(ctx context.Context, m EditorPage) string {
	if m.Existing == "" {
		return ""
	}
	return t(ctx, "deployment.edit")
}
