package fleet

import (
	"regexp"
	"strings"
)

// image: "Values are checked against their component and operator when written": a Registry is host[:port] with an
// optional path, Repository and Tag values of replace are held to their grammar, those of add as suffixes; "the result
// when applied".
func (v *overrideValidator) image(at string, o *ImageOverrider) {
	if o.Predicate != nil && o.Predicate.Path != "" {
		path, here := jsonPointer(o.Predicate.Path), at+".predicate.path"
		if v.reach(here, path) {
			v.add(path.faults(here))
		}
	}
	removes := o.Operator == OverrideRemove
	switch {
	case removes && o.Component == ImageRepository:
		f, _ := notOneOf(at+".operator", o.Operator, []string{OverrideAdd, OverrideReplace})
		v.fault(f)
	case removes && o.Value != "":
		v.fault(conflict(at+".value", o.Value, "operator: "+OverrideRemove))
	}
	if o.Operator != OverrideAdd && o.Operator != OverrideReplace {
		return
	}
	form, known := imageForms(o.Operator)[o.Component]
	switch {
	case !known: // refused as what it is
	case o.Value == "":
		v.fault(FieldError{Code: CodeRequired, Field: at + ".value", Want: form.want})
	case !form.accepts(o.Value):
		f := FieldError{Code: CodeNotAccepted, Field: at + ".value", Value: o.Value, Want: form.want}
		if better := form.better(o.Value); better != o.Value && form.accepts(better) {
			f.Suggestion = better
		}
		v.fault(f)
	}
}

// imageForm is what a component's value must look like.
type imageForm struct {
	want    string
	accepts func(string) bool
	// better is what may have been meant.
	better func(string) string
}

// imageForms are the forms of values, by component.
func imageForms(operator string) map[string]imageForm {
	registry := imageForm{"image_registry", isRegistryValue, func(s string) string {
		_, bare, schemed := strings.Cut(s, "://")
		if !schemed {
			bare = s
		}
		return strings.Trim(bare, "/ ")
	}}
	lower := func(s string) string { return strings.Trim(strings.ToLower(s), "/ ") }
	tag := func(s string) string { return strings.TrimLeft(s, ":@ ") }
	if operator == OverrideAdd {
		return map[string]imageForm{
			ImageRegistry:   registry,
			ImageRepository: {"image_repository_suffix", func(s string) bool { return isRepository("x" + s) }, func(s string) string { return strings.ToLower(strings.TrimSpace(s)) }},
			ImageTag:        {"image_tag_suffix", tagSuffix.MatchString, tag},
		}
	}
	return map[string]imageForm{
		ImageRegistry:   registry,
		ImageRepository: {"image_repository", isRepository, lower},
		ImageTag:        {"image_tag", func(s string) bool { return isTag(s) || isDigest(s) }, tag},
	}
}

// tagSuffix is what may follow in a tag: unlike a tag it may start with a dot or a dash.
var tagSuffix = regexp.MustCompile(`^[\w.-]{1,128}$`)

// isRegistryValue takes a registry, and a path in it: what can stand in front of a repository.
func isRegistryValue(s string) bool {
	ref, ok := parseImage(s + "/x")
	return ok && ref.registry != "" && ref.tag == "" && ref.digest == "" && strings.HasSuffix(ref.repository, "x")
}

// isRepository takes a repository alone. One that looks like a registry and a repository is taken as well: behind a
// registry that is what it is.
func isRepository(s string) bool {
	ref, ok := parseImage("localhost/" + s)
	return ok && ref.repository == s
}

func isTag(s string) bool {
	ref, ok := parseImage("x:" + s)
	return ok && ref.tag == s
}

// isDigest takes an algorithm and its whole value.
func isDigest(s string) bool {
	ref, ok := parseImage("x@" + s)
	return ok && ref.digest == s
}
