package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	koanfyaml "github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
	"gopkg.in/yaml.v3"

	"odysseus/fleet"
)

// envPrefix starts the name of every environment variable that is a setting.
const envPrefix = "ODYSSEUS_"

// notSettings are variables with the prefix that are read elsewhere.
var notSettings = []string{"ODYSSEUS_URL", "ODYSSEUS_TOKEN", "ODYSSEUS_REQUIRE", "ODYSSEUS_BOOTSTRAP_OPERATOR", "ODYSSEUS_BOOTSTRAP_PASSWORD", "ODYSSEUS_BOOTSTRAP_TOKEN"}

// settingFault is what is wrong with one setting, and where it was set.
type settingFault struct {
	Source string // a file's name or an environment variable's
	fleet.FieldError
}

// settingSources says where each setting was set, by its key, and where in the file.
type settingSources struct {
	by   map[string]string
	file string
	doc  *fleet.Doc // nil where there is no file
}

// locate words nothing: it says of a fault in a value where the value was set.
func (s settingSources) locate(key string, f fleet.FieldError) settingFault {
	fault := settingFault{s.by[key], f}
	if s.doc != nil && fault.Source == s.file {
		fault.FieldError = s.doc.Locate(fleet.FieldErrors{f})[0]
	}
	return fault
}

// loadSettings layers a file and the environment over the defaults that into points to; environment wins. It
// answers where each setting was set, by its key ("scheduler.geo_awareness.enabled"). A key that nobody knows and a
// value of the wrong type are faults, all at once; into is then not to be used.
func loadSettings(name string, file []byte, environ []string, into any) (sources settingSources, faults []settingFault, err error) {
	sources = settingSources{by: map[string]string{}, file: name}
	k := koanf.New(".")
	doc, unreadable := fleet.ParseOne(file, fleet.FormatYAML)
	switch {
	case len(unreadable) > 0 && unreadable[0].Code != fleet.CodeNoDocument:
		for _, f := range unreadable {
			faults = append(faults, settingFault{name, f})
		}
		return sources, faults, nil
	case len(unreadable) == 0:
		sources.doc = doc
		for _, f := range fleet.DecodeStrict(doc, zeroOf(into)) {
			faults = append(faults, settingFault{name, f})
		}
		if len(faults) > 0 {
			return sources, faults, nil
		}
		if err := k.Load(rawbytes.Provider(file), koanfyaml.Parser()); err != nil {
			return sources, nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
	for _, key := range settingKeys(into) {
		if k.Exists(key) {
			sources.by[key] = name
		}
	}
	if faults, err = loadEnvironment(k, environ, into, sources.by); err != nil || len(faults) > 0 {
		return sources, faults, err
	}
	if err := k.UnmarshalWithConf("", into, koanf.UnmarshalConf{Tag: "json"}); err != nil {
		return sources, nil, fmt.Errorf("merge settings: %w", err)
	}
	return sources, nil, nil
}

// loadEnvironment reads each variable's value as YAML, so that lists can be given too, and holds it to the same
// types as the file.
func loadEnvironment(k *koanf.Koanf, environ []string, into any, sources map[string]string) (faults []settingFault, err error) {
	keys := map[string]string{} // variable → key
	for _, key := range settingKeys(into) {
		keys[envPrefix+strings.ToUpper(strings.ReplaceAll(key, ".", "_"))] = key
	}
	provider := env.Provider(".", env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return environ },
		TransformFunc: func(variable, text string) (string, any) {
			if slices.Contains(notSettings, variable) {
				return "", nil
			}
			key, known := keys[variable]
			if !known {
				faults = append(faults, settingFault{variable, fleet.FieldError{Code: fleet.CodeUnknownField, Field: variable, Value: variable, AtKey: true,
					Want: "known_keys", WantArgs: map[string]string{"Keys": strings.Join(sortedKeys(keys), ", ")}, Suggestion: fleet.Nearest(variable, sortedKeys(keys))}})
				return "", nil
			}
			var v any
			if err := yaml.Unmarshal([]byte(text), &v); err != nil {
				v = text
			}
			sources[key] = variable
			faults = append(faults, checkVariable(variable, key, v, into)...)
			return key, v
		},
	})
	if err := k.Load(provider, nil); err != nil {
		return nil, fmt.Errorf("read environment: %w", err)
	}
	return faults, nil
}

// checkVariable decodes one variable as the file that would say the same.
func checkVariable(variable, key string, v any, into any) []settingFault {
	path := strings.Split(key, ".")
	for _, name := range slices.Backward(path) {
		v = map[string]any{name: v}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return []settingFault{{variable, fleet.FieldError{Code: fleet.CodeWrongType, Field: key, Want: "type_text"}}}
	}
	doc, unreadable := fleet.ParseOne(raw, fleet.FormatJSON)
	if len(unreadable) == 0 {
		unreadable = fleet.DecodeStrict(doc, zeroOf(into))
	}
	var faults []settingFault
	for _, f := range unreadable {
		f.Line, f.Column = 0, 0 // of the document made here, which nobody wrote
		faults = append(faults, settingFault{variable, f})
	}
	return faults
}

func zeroOf(into any) any { return reflect.New(reflect.TypeOf(into).Elem()).Interface() }

// settingKeys lists the keys of every setting: the leaves of the struct, by their json tags.
func settingKeys(into any) []string {
	var keys []string
	var walk func(t reflect.Type, prefix string)
	walk = func(t reflect.Type, prefix string) {
		for field := range t.Fields() {
			key := prefix + field.Tag.Get("json")
			if field.Type.Kind() == reflect.Struct {
				walk(field.Type, key+".")
				continue
			}
			keys = append(keys, key)
		}
	}
	walk(reflect.TypeOf(into).Elem(), "")
	slices.Sort(keys)
	return keys
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
