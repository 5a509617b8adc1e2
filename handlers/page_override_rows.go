package handlers

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"odysseus/fleet"
	"odysseus/views"
)

// overrideForm is what was typed into the form of an override policy, as policyForm is. What steers the form itself is no
// part of it.
func overrideForm(values map[string][]string) (form views.PolicyForm, fits bool) {
	form = views.PolicyForm{}
	for name, typed := range values {
		switch name {
		case "action", "use", "check", "version", "base", "yaml", "kind", views.OverrideLook:
			continue
		}
		if name == "metadata.name" {
			name = views.PolicyName
		}
		name = strings.TrimPrefix(name, specPath) // as the manifest has it
		if !fieldPath.MatchString(name) || len(typed) == 0 || strings.HasPrefix(name, views.OverridePick) {
			continue
		}
		if !indexesFit(name) {
			return form, false
		}
		form[name] = lines(typed[0])
	}
	return form, overrideFits(form)
}

// overrideFits says whether a page can hold the form.
func overrideFits(form views.PolicyForm) bool {
	for name := range form {
		if !indexesFit(name) {
			return false
		}
	}
	return len(form)+len(form.OverrideInputs()) <= 2*views.MaxControls
}

// addOverride carries out add:LIST and add:LIST=VALUE, and answers the id of the control to go on with. To a rule's
// overriders the value is the list that a change is added to, and of an image the component.
func (e *overrideEditor) addOverride(list, value string) (focus string) {
	form := e.page.Form
	if !fieldPath.MatchString(list) || !indexesFit(list) {
		return ""
	}
	if rule, found := strings.CutSuffix(list, "."+overridersKey); found {
		kind, component, _ := strings.Cut(value, "=")
		if !slices.Contains(views.OverrideLists(), kind) || !strings.HasPrefix(rule, views.OverrideRules+".") {
			return list
		}
		return e.addOverrider(list+"."+kind, kind, component)
	}
	i := form.Rows(list)
	if value != "" {
		for row := range i {
			if rowEmpty(form, list, row) {
				i = row
				break
			}
		}
	}
	switch {
	case i > maxRow || !indexesFit(views.RowAt(list, i)):
		return ""
	case list == views.OverrideRules:
		i = max(i, 1) // the first row is shown, whether or not something is in it
		form[views.RowAt(views.RuleTargets(i), 0)] = ""
		return views.RowAt(views.RuleTargets(i), 0)
	case strings.HasPrefix(list, views.OverrideRules+".") && strings.HasSuffix(list, ".clusterNames") && value != "":
		form[views.RowAt(list, i)] = value
		return strings.TrimSuffix(list, ".targetCluster.clusterNames") + "." + overridersKey
	}
	// A list of which one empty row is shown has that row already.
	if i == 0 && value == "" {
		i = 1
	}
	at := views.RowAt(list, i)
	if first := overrideFirst(list); first != "" {
		at += "." + first
	}
	form[at] = value
	return at
}

// overrideFirst is the first field of a list's rows; empty where a row is one field.
func overrideFirst(list string) string {
	if list == views.OverrideRules {
		return "targetCluster.clusterNames.0"
	}
	for _, kind := range views.OverrideLists() {
		if strings.HasSuffix(list, "."+overridersKey+"."+kind) {
			return views.OverriderFields(kind)[0]
		}
		if views.KeyRows(kind) && strings.Contains(list, "."+kind+".") {
			return "key"
		}
	}
	return firstField(list)
}

// addOverrider adds a change with what it most likely is; the control to go on with is what is left to say.
func (e *overrideEditor) addOverrider(list, kind, component string) (focus string) {
	form := e.page.Form
	row := views.RowAt(list, form.Rows(list))
	if !indexesFit(row) {
		return ""
	}
	switch kind {
	case views.ListImage:
		form[row+".component"], form[row+".operator"], form[row+".value"] = component, fleet.OverrideAdd, ""
		if component != fleet.ImageRegistry {
			form[row+".operator"] = fleet.OverrideReplace
		}
		return row + ".value"
	case views.ListCommand, views.ListArgs:
		form[row+".operator"] = fleet.OverrideAdd
		form[row+".containerName"] = ""
		if len(e.page.Containers) == 1 && e.page.Containers[0].Name != "" {
			form[row+".containerName"] = e.page.Containers[0].Name
			return row + ".value.0"
		}
		return row + ".containerName"
	case views.ListLabels, views.ListAnnotations:
		form[row+".operator"] = fleet.OverrideAdd
		return row + ".value.0.key"
	}
	form[row+".operator"], form[row+".path"] = fleet.OverrideReplace, ""
	return row + ".path"
}

// takePath carries out take:PATH: the field of the resource that was chosen becomes the path, and what stands there the
// value to begin with.
func (e *overrideEditor) takePath(id, chosen string) (focus string) {
	if chosen == "" || !fieldPath.MatchString(id) || !indexesFit(id) {
		return id
	}
	e.page.Form[id] = chosen
	row := strings.TrimSuffix(id, ".path")
	at := slices.IndexFunc(e.page.Fields, func(f fleet.ResourceField) bool { return f.Path == chosen })
	if at < 0 || e.page.Form[row+".operator"] == fleet.OverrideRemove {
		return id
	}
	if e.page.Form[row+".value"] == "" {
		e.page.Form[row+".value"] = startingValue(e.page.Fields[at])
	}
	return row + ".value"
}

// startingValue is what stands in a field, as JSON; empty for what is more than a value, or hidden.
func startingValue(f fleet.ResourceField) string {
	switch {
	case f.Value == fleet.HiddenValue:
		return ""
	case f.Kind == "list" || f.Kind == "map":
		return ""
	case json.Valid([]byte(f.Value)) && f.Kind != "text":
		return f.Value
	}
	return quotedJSON(f.Value)
}

// quotedJSON is a text as a JSON value, without escapes that only a script in a page would need.
func quotedJSON(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return "" // no text has no JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// removeOverride carries out remove:ROW, as removeRow does for propagation.
func removeOverride(form views.PolicyForm, row string) (focus string) {
	dot := strings.LastIndexByte(row, '.')
	if dot < 0 {
		return ""
	}
	list := row[:dot]
	i, err := strconv.Atoi(row[dot+1:])
	if err != nil || i < 0 || i >= form.Rows(list) {
		return ""
	}
	shiftRows(form, list, i)
	if at := strings.LastIndex(list, "."+overridersKey+"."); at >= 0 && !strings.Contains(list[at+len(overridersKey)+2:], ".") {
		return list[:at] + "." + overridersKey // where the next is added
	}
	at := views.RowAt(list, max(i-1, 0))
	if first := overrideFirst(list); first != "" {
		at += "." + first
	}
	return at
}
