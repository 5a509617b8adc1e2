package views

import (
	"context"
	"slices"
	"strings"

	"odysseus/fleet"
)

// OverrideEditorPage is the form for a new override policy or an existing one, or its YAML, and beside it what each
// cluster would receive. Form, YAML and names are those of any policy's form.
type OverrideEditorPage struct {
	PolicyEditorPage
	// Looked is the resource that is looked at; the zero value where nothing is selected.
	Looked fleet.ResourceKey
	// Fields and Containers of it are offered.
	Fields     []fleet.ResourceField
	Containers []fleet.ResourceContainer
	// Overriding is what saving would come to.
	Overriding OverridePreview
	// Own names the policy as the preview does: one without a name yet is given one there.
	Own fleet.PolicyRef
	// Targets are the clusters that its rules name.
	Targets []string
}

func (m OverrideEditorPage) heading(ctx context.Context) string {
	switch {
	case m.Existing != "":
		return t(ctx, "editor.edit", "Name", m.Existing)
	case m.Namespace == "":
		return t(ctx, "overrides.new_cluster_wide")
	}
	return t(ctx, "overrides.new")
}

func (m OverrideEditorPage) way(ctx context.Context) []Crumb {
	if m.Existing != "" {
		return m.crumbs(ctx)
	}
	return append(PolicyCrumbs(words(ctx), m.Namespace), Crumb{Text: t(ctx, "overrides.new")})
}

// cancel is where leaving the form leads.
func (m OverrideEditorPage) cancel() string { return m.action() }

// overrideName is the name's field: an override policy is given none.
func (m OverrideEditorPage) overrideName() Field {
	f := m.nameField()
	f.Key = "override_name"
	return f
}

// ResourceChoice is a resource as a choice sends it: "apiVersion|kind|namespace|name".
func ResourceChoice(k fleet.ResourceKey) string {
	return strings.Join([]string{k.APIVersion, k.Kind, k.Namespace, k.Name}, "|")
}

// report of the resource that is looked at; nil where there is none.
func (m OverrideEditorPage) report() *fleet.SimulationReport {
	for _, s := range m.Overriding.Selected {
		if s.ResourceKey == m.Looked {
			return s.Report
		}
	}
	return nil
}

func (m OverrideEditorPage) rendered() RenderedResource {
	return RenderedResource{Own: m.Own, ResourceKey: m.Looked, Report: m.report(), Targets: m.Targets, Edits: m.Chrome.Who.Edits()}
}

// addableTo are the clusters that the i-th rule does not name yet, as addable are of a placement.
func (m OverrideEditorPage) addableTo(i int) []string {
	named := m.Form.Texts(RuleTargets(i))
	free := slices.DeleteFunc(slices.Clone(m.Clusters), func(name string) bool { return slices.Contains(named, name) })
	if len(free) > offeredClusters {
		return nil
	}
	return free
}

// option of a select: a value and what it reads as, which is no key.
type option struct{ Value, Text string }

// imageOptions are the fields that an image stands in, each with the image.
func (m OverrideEditorPage) imageOptions(ctx context.Context) []option {
	options := []option{{"", t(ctx, "override_form.every_image")}}
	for _, c := range m.Containers {
		name := c.Name
		if name == "" {
			name = c.ImagePath
		}
		options = append(options, option{c.ImagePath, name + " · " + c.Image})
	}
	return options
}

// containerOptions are the names of the containers.
func (m OverrideEditorPage) containerOptions(ctx context.Context) []option {
	options := []option{{"", t(ctx, "policy_form.pick_none")}}
	for _, c := range m.Containers {
		o := option{c.Name, c.Name}
		if c.Name != "" && !slices.Contains(options, o) {
			options = append(options, o)
		}
	}
	return options
}

// unnamed says whether the only container there is has no name that an overrider could go by.
func (m OverrideEditorPage) unnamed() bool {
	return len(m.Containers) == 1 && m.Containers[0].Name == ""
}

// fieldOptions are the fields that may be changed, each with what stands there.
func (m OverrideEditorPage) fieldOptions() []option {
	var options []option
	for _, f := range m.Fields {
		if f.Refused != "" {
			continue
		}
		text := f.Path
		if f.Value != "" {
			text += " · " + shortened(f.Value)
		}
		options = append(options, option{f.Path, text})
		if len(options) == offeredFields {
			break
		}
	}
	return options
}

// offeredFields is how many fields are offered; a path can be typed all the same.
const offeredFields = 400

// shortened is the beginning of a value, on one line.
func shortened(text string) string {
	const most = 40
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

func operatorChoices(list string) []choiceOf {
	if TextRows(list) {
		return []choiceOf{{fleet.OverrideAdd, "operator.append"}, {fleet.OverrideRemove, "operator.remove"}}
	}
	return []choiceOf{{fleet.OverrideReplace, "operator.replace"}, {fleet.OverrideAdd, "operator.add"}, {fleet.OverrideRemove, "operator.remove"}}
}

// imageOperators are worded by the part of the image: a registry is added in front, anything else at the end.
func (m OverrideEditorPage) imageOperators(row string) []choiceOf {
	add := "operator.append"
	if m.Form[row+".component"] == fleet.ImageRegistry {
		add = "operator.put_in_front"
	}
	return []choiceOf{{fleet.OverrideAdd, add}, {fleet.OverrideReplace, "operator.replace"}, {fleet.OverrideRemove, "operator.remove"}}
}

func componentChoices() []choiceOf {
	return []choiceOf{{fleet.ImageRegistry, "component.registry"}, {fleet.ImageRepository, "component.repository"}, {fleet.ImageTag, "component.tag"}}
}

// rowsFor is how many lines a text area shows of a text.
func rowsFor(text string) string {
	const most = 12
	return number(min(strings.Count(text, "\n")+1, most))
}

// kept says whether a row's values stay as the YAML has them.
func (m OverrideEditorPage) kept(row string) bool { return m.Form[row+"."+RowKept] != "" }

// whatKey names a list's row in words.
func whatKey(list string) string { return "overrider." + list }

// offers says whether a value is among options.
func offers(options []option, value string) bool {
	return slices.ContainsFunc(options, func(o option) bool { return o.Value == value })
}

// ofRule tells the same words of one rule from those of another, for those who hear them out of their place.
func ofRule(ctx context.Context, i int, text string) string {
	return t(ctx, "override_form.of_rule", "Text", text, "Number", number(i+1))
}

// imageValue is the field of an image's new part.
func (m OverrideEditorPage) imageValue(row string) Field {
	f := m.field(row+".value", "image_value", "mono", true)
	switch m.Form[row+".component"] {
	case fleet.ImageRepository:
		f.Key = "image_repository"
	case fleet.ImageTag:
		f.Key = "image_tag"
	}
	return f
}
