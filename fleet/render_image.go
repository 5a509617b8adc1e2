package fleet

import (
	_ "crypto/sha256" // digests are held to the length of their algorithm, which must be linked in for that
	_ "crypto/sha512"
	"strings"

	"github.com/distribution/reference"
)

// imageRef is an image in its parts: "[registry/]repository[:tag][@digest]; the first part is a registry when it holds a
// dot or a colon or is localhost".
type imageRef struct{ registry, repository, tag, digest string }

// parseImage reads an image as it stands: unlike Docker it expands nothing.
func parseImage(text string) (imageRef, bool) {
	parsed, err := reference.Parse(text)
	if err != nil {
		return imageRef{}, false
	}
	named, ok := parsed.(reference.Named)
	if !ok {
		return imageRef{}, false
	}
	ref := imageRef{repository: named.Name()}
	if first, rest, slashed := strings.Cut(named.Name(), "/"); slashed && (strings.ContainsAny(first, ".:") || first == "localhost") {
		ref.registry, ref.repository = first, rest
	}
	if tagged, ok := parsed.(reference.Tagged); ok {
		ref.tag = tagged.Tag()
	}
	if digested, ok := parsed.(reference.Digested); ok {
		ref.digest = digested.Digest().String()
	}
	// The library takes the first part for a registry by its place alone, and lets it be upper case; a repository is not.
	return ref, ref.repository == strings.ToLower(ref.repository)
}

func (r imageRef) String() string {
	text := r.repository
	if r.registry != "" {
		text = r.registry + "/" + text
	}
	if r.tag != "" {
		text += ":" + r.tag
	}
	if r.digest != "" {
		text += "@" + r.digest
	}
	return text
}

// overrideImage changes one part of an image. A change that leaves no image, or another than was asked for, is none.
func overrideImage(image, component, operator, value string) (changed string, digestDropped bool, why *misfit) {
	before, ok := parseImage(image)
	if !ok {
		return "", false, &misfit{class: ClassImageParse, detail: detailImage, value: image}
	}
	if component == ImageTag && operator == OverrideAdd && before.digest != "" {
		return "", false, &misfit{class: ClassImageParse, detail: detailTagOfDigest, value: image}
	}
	after := before.override(component, operator, value)
	again, ok := parseImage(after.String())
	// What a registry gives way to may look like one: "docker.io/library/x" behind another. Nothing else may make one up.
	sameRegistry := component == ImageRegistry || again.registry == after.registry
	if !ok || !sameRegistry || again.tag != after.tag || again.digest != after.digest {
		return "", false, &misfit{class: ClassImageParse, detail: detailImageResult, value: after.String()}
	}
	return after.String(), before.digest != "" && after.digest == "", nil
}

func (r imageRef) override(component, operator, value string) imageRef {
	switch {
	case component == ImageRegistry && operator == OverrideAdd:
		// "Add puts a registry in front", of the one that is there too; Karmada glues it on.
		r.repository = strings.TrimPrefix(r.registry+"/"+r.repository, "/")
		r.registry = value
	case component == ImageRegistry: // replace, and remove, which has no value
		r.registry = value
	case component == ImageRepository && operator == OverrideAdd:
		r.repository += value
	case component == ImageRepository:
		r.repository = value
	case operator == OverrideAdd:
		r.tag += value
	case isDigest(value):
		// "a Tag value sha256:… sets the digest and drops the tag".
		r.tag, r.digest = "", value
	default:
		// "Replacing or removing the tag drops" a digest.
		r.tag, r.digest = value, ""
	}
	return r
}
