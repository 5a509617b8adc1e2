package handlers

import (
	"bytes"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// deploymentForm is what was typed into the form of a deployment, word for word.
func deploymentForm(values url.Values) views.DeploymentForm {
	return views.DeploymentForm{
		Name: values.Get("name"), Image: values.Get("image"), Replicas: values.Get("replicas"),
		Country: values.Get("country"), Region: values.Get("region"), BlockedCountries: values["blockedCountries"],
		Version: values.Get("version"),
	}
}

// formManifest makes a manifest of the form, decoded and refused by the rules of every manifest. What the form
// has no field for keeps the value that is stored; stored is nil for a new deployment. An empty field counts as
// left out, but spaces are a value: they are refused, not trimmed.
func formManifest(form views.DeploymentForm, stored *fleet.Deployment) (control.Manifest, error) {
	document := map[string]any{"apiVersion": fleet.APIVersion, "kind": fleet.KindDeployment}
	metadata, spec := map[string]any{}, map[string]any{}
	if stored != nil {
		if len(stored.Metadata.Labels) > 0 {
			metadata["labels"] = stored.Metadata.Labels
		}
		if len(stored.Metadata.Annotations) > 0 {
			metadata["annotations"] = stored.Metadata.Annotations
		}
		raw, err := json.Marshal(stored.Spec)
		if err != nil {
			return control.Manifest{}, err
		}
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		if err := decoder.Decode(&spec); err != nil {
			return control.Manifest{}, err
		}
	}
	set := func(into map[string]any, key string, value any) {
		delete(into, key)
		if value != "" {
			into[key] = value
		}
	}
	set(metadata, "name", form.Name)
	set(spec, "image", form.Image)
	set(spec, "replicas", numberOrText(form.Replicas))
	delete(spec, "placement")
	residency := map[string]any{}
	set(residency, "country", form.Country)
	set(residency, "region", form.Region)
	if blocked, _ := blockedOf(form); len(blocked) > 0 {
		residency["blockedCountries"] = blocked
	}
	if len(residency) > 0 {
		spec["placement"] = map[string]any{"residency": residency}
	}
	document["metadata"], document["spec"] = metadata, spec
	raw, err := json.Marshal(document)
	if err != nil {
		return control.Manifest{}, err
	}
	manifest := control.ParseManifest(raw, fleet.FormatJSON)
	manifest.Doc = nil // nobody wrote this text: a line in it means nothing
	manifest.Faults = unplaced(manifest.Faults)
	return manifest, nil
}

// blockedOf are the blocked countries that were filled in, and for each the place of its input.
func blockedOf(form views.DeploymentForm) (codes []string, inputs []int) {
	for i, code := range form.BlockedCountries {
		if code != "" {
			codes, inputs = append(codes, code), append(inputs, i)
		}
	}
	return codes, inputs
}

// formOf fills the form from a deployment.
func formOf(d fleet.Deployment) views.DeploymentForm {
	form := views.DeploymentForm{
		Name: d.Metadata.Name, Image: d.Spec.Image, Version: d.Metadata.ResourceVersion,
	}
	if d.Spec.Replicas != nil {
		form.Replicas = strconv.Itoa(*d.Spec.Replicas)
	}
	if residency := d.Spec.Residency(); residency != nil {
		form.Country, form.Region, form.BlockedCountries = residency.Country, residency.Region, residency.BlockedCountries
	}
	return form
}

// formInput tells the id of the control that a field of the manifest stands in; empty where there is none.
func formInput(form views.DeploymentForm) func(field string) string {
	_, inputs := blockedOf(form)
	const residency = "spec.placement.residency"
	return func(field string) string {
		switch field {
		case "metadata.name":
			return views.InputName
		case "spec.image":
			return views.InputImage
		case "spec.replicas":
			return views.InputReplicas
		case "spec.placement", residency, residency + ".country":
			return views.InputCountry
		case residency + ".region":
			return views.InputRegion
		case residency + ".blockedCountries":
			return views.InputBlockedAt(0)
		}
		index, found := strings.CutPrefix(field, residency+".blockedCountries[")
		if i, err := strconv.Atoi(strings.TrimSuffix(index, "]")); found && err == nil && i < len(inputs) {
			return views.InputBlockedAt(inputs[i])
		}
		return ""
	}
}

// formOrder is where a control stands on the page.
func formOrder(input string) int {
	order := []string{views.InputYAML, views.InputName, views.InputImage, views.InputReplicas, views.InputCountry, views.InputRegion}
	if i := slices.Index(order, input); i >= 0 {
		return i
	}
	index, found := strings.CutPrefix(input, views.InputBlocked+"-")
	if i, err := strconv.Atoi(index); found && err == nil {
		return len(order) + i
	}
	return math.MaxInt
}

// use fills in a suggestion that was chosen without JavaScript: "country=GB".
func use(form *views.DeploymentForm, choice string) {
	input, value, _ := strings.Cut(choice, "=")
	switch input {
	case views.InputName:
		form.Name = value
	case views.InputImage:
		form.Image = value
	case views.InputReplicas:
		form.Replicas = value
	case views.InputCountry:
		form.Country = value
	case views.InputRegion:
		form.Region = value
	default:
		index, found := strings.CutPrefix(input, views.InputBlocked+"-")
		if i, err := strconv.Atoi(index); found && err == nil && i >= 0 && i < len(form.BlockedCountries) {
			form.BlockedCountries[i] = value
		}
	}
}
