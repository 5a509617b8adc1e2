package fleet

import (
	"fmt"
	"net/mail"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/distribution/reference"
	"github.com/go-playground/validator/v10"
)

// shapes is the validator of single fields: validator/v10 with this product's own rules. Its English texts are
// never used: a failed rule becomes a FieldError by refusalOfRule.
var shapes = sync.OnceValue(func() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(jsonName)
	text := func(accept func(string) bool) validator.Func {
		return func(f validator.FieldLevel) bool { return accept(f.Field().String()) }
	}
	rules := map[string]validator.Func{
		"name":      text(IsName),
		"country":   text(CountryAssigned),
		"image":     text(isImage),
		"envname":   text(envName.MatchString),
		"quantity":  text(func(s string) bool { return Quantity(s).Valid() }),
		"address":   text(isEmail),
		"duration":  text(isDuration),
		"subdomain": text(isSubdomain),
		"datakey":   text(isDataKey),
	}
	for tag, rule := range rules {
		if err := v.RegisterValidation(tag, rule); err != nil {
			panic(fmt.Sprintf("register rule %q: %v", tag, err)) // a constant of this file is wrong
		}
	}
	return v
})

// isImage takes [registry/]repository[:tag][@digest]. Anything that docker would expand (nginx → docker.io/…)
// is a reference as well.
func isImage(s string) bool {
	_, err := reference.ParseNormalizedNamed(s)
	return err == nil
}

func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && len(s) <= 254
}

// isDuration takes Go's spelling, and nothing that lets something expire before it began.
func isDuration(s string) bool {
	d, err := time.ParseDuration(s)
	return err == nil && d > 0
}

// ValidateStruct checks the shape of a decoded struct by its validate tags and returns every fault, without
// positions.
func ValidateStruct(v any) FieldErrors {
	err := shapes().Struct(v)
	if err == nil {
		return nil
	}
	failed, ok := err.(validator.ValidationErrors) //nolint:errorlint // the library answers exactly this type
	if !ok {
		panic(fmt.Sprintf("validate %T: %v", v, err)) // only for something that is no struct
	}
	faults := make(FieldErrors, 0, len(failed))
	for _, f := range failed {
		faults = append(faults, refusalOfRule(f))
	}
	return faults
}

// validateText holds one text to a rule of a validate tag.
func validateText(text, rule string) FieldErrors {
	failed, ok := shapes().Var(text, rule).(validator.ValidationErrors) //nolint:errorlint // the library answers exactly this type
	if !ok {
		return nil
	}
	return FieldErrors{refusalOfRule(failed[0])}
}

// refusalOfRule names a failed rule by its code, and says what it accepts.
func refusalOfRule(f validator.FieldError) FieldError {
	_, path, _ := strings.Cut(f.Namespace(), ".")
	e := FieldError{Field: path, Value: textOf(f.Value())}
	switch f.Tag() {
	case "required":
		e.Code, e.Want, e.Value = CodeRequired, "required", ""
		if n, number := f.Value().(int); number && n == 0 {
			e.Code, e.Want, e.Value = CodeOutOfRange, "range_from_1", "0"
		}
	case "min", "max":
		e.Code, e.Want = CodeOutOfRange, "range"
		e.WantArgs = rangeOf(path)
	case "oneof":
		accepted := strings.Fields(f.Param())
		e.Code, e.Want, e.WantArgs = CodeNotAccepted, "one_of", map[string]string{"Values": strings.Join(accepted, ", ")}
		e.Suggestion = nearest(e.Value, accepted)
	case "name":
		e.Code, e.Want = CodeNameInvalid, "name"
		if lower := strings.ToLower(strings.TrimSpace(e.Value)); IsName(lower) {
			e.Suggestion = lower
		}
	case "country":
		return countryUnassigned(path, e.Value)
	case "image":
		e.Code, e.Want = CodeImageInvalid, "image"
		if lower := strings.TrimSpace(e.Value); isImage(strings.ToLower(lower)) && !strings.Contains(lower, ":") {
			e.Suggestion = strings.ToLower(lower)
		}
	case "envname":
		e.Code, e.Want = CodeEnvNameInvalid, "env_name"
	case "quantity":
		e.Code, e.Want = CodeQuantityInvalid, "quantity"
	case "subdomain":
		e.Code, e.Want = CodeNameInvalid, "subdomain"
	case "datakey":
		e.Code, e.Want = CodeNotAccepted, "data_key"
	case "address":
		e.Code, e.Want = CodeEmailInvalid, "email"
	case "duration":
		e.Code, e.Want = CodeDurationInvalid, "duration"
	default:
		panic("rule without a refusal: " + f.Tag()) // a tag was added and refusalOfRule was not
	}
	return e
}

func countryUnassigned(path, value string) FieldError {
	return FieldError{Code: CodeCountryUnassigned, Field: path, Value: value, Want: "country", Suggestion: SuggestCountry(value)}
}

func textOf(v any) string {
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer && !r.IsNil() {
		r = r.Elem()
	}
	return fmt.Sprint(r.Interface())
}

// rangeOf spells the accepted range of a number field for the refusal.
func rangeOf(path string) map[string]string {
	low, high := "0", "10000"
	switch last := path[strings.LastIndexByte(path, '.')+1:]; last {
	case "terminationGracePeriodSeconds":
		high = "3600"
	case "containerPort":
		low, high = "1", "65535"
	case "uses":
		low, high = "1", "1000"
	case "graceSeconds":
		high = "86400"
	case "weight":
		low, high = "1", "9223372036854775807"
	case "priority":
		low, high = "-2147483648", "2147483647"
	case "tolerationSeconds":
		high = "2147483647"
	case "gracePeriodSeconds":
		low, high = "1", "2147483647"
	}
	return map[string]string{"Low": low, "High": high}
}
