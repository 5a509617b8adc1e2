package fleet_test

import (
	"os"
	"strings"
	"testing"

	"odysseus/fleet"
)

// regions are what most tests' control plane declares.
var regions = fleet.GeoAwareness{Regions: []fleet.Region{
	{Name: "eu-core", Description: "The Union's core", Countries: []string{"DE", "FR", "NL"}},
	{Name: "north-america", Countries: []string{"CA", "US"}},
}}

// check runs a manifest through all that every way in runs it through.
func check(t *testing.T, manifest string, format fleet.Format) (fleet.Deployment, fleet.FieldErrors, []fleet.Warning) {
	t.Helper()
	doc, faults := fleet.ParseOne([]byte(manifest), format)
	if len(faults) > 0 {
		return fleet.Deployment{}, faults, nil
	}
	d, faults := fleet.DecodeDeployment(doc)
	more, warnings := fleet.ValidateDeployment(&d, &regions)
	return d, append(faults, doc.Locate(more)...).Sorted(), warnings
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

const head = `apiVersion: odysseus/v1
kind: Deployment
metadata:
  name: ledger-api
spec:
  image: registry.example.com/ledger-api:1.4.0
`

func TestTheManifestOfTheReferenceIsAcceptedAsItStands(t *testing.T) {
	d, faults, warnings := check(t, readFile(t, "ledger-api.yaml"), fleet.FormatYAML)
	if len(faults)+len(warnings) > 0 {
		t.Fatalf("refused %v, warned %v", faults, warnings)
	}
	if d.Metadata.Name != "ledger-api" || d.Spec.ReplicaCount() != 2 || d.Spec.Residency().Country != "CA" {
		t.Errorf("decoded %+v", d)
	}
	if len(d.ResidencyLabels) != 1 || d.ResidencyLabels[fleet.LabelResidencyCountry] != "CA" {
		t.Errorf("compiled to %v", d.ResidencyLabels)
	}
	if d.Spec.RestartPolicy != "Always" || *d.Spec.TerminationGracePeriodSeconds != 10 {
		t.Errorf("defaults: %+v", d.Spec)
	}
}

// refusal is one expected fault, every part of it.
type refusal struct {
	code         fleet.Code
	field, value string
	line, column int
	suggestion   string
}

func refusals(faults fleet.FieldErrors) []refusal {
	var got []refusal
	for _, f := range faults {
		got = append(got, refusal{f.Code, f.Field, f.Value, f.Line, f.Column, f.Suggestion})
	}
	return got
}

func expect(t *testing.T, manifest string, faults fleet.FieldErrors, want []refusal) {
	t.Helper()
	got := refusals(faults)
	if len(got) != len(want) {
		t.Fatalf("refused with\n%+v\nwant\n%+v\nof\n%s", got, want, manifest)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("refusal %d is\n%+v, want\n%+v\nof\n%s", i, got[i], want[i], manifest)
		}
	}
}

func TestResidencyRefusals(t *testing.T) {
	const block = "  placement:\n    residency:\n"
	country, blocked := "spec.placement.residency.country", "spec.placement.residency.blockedCountries"
	tests := []struct {
		name, manifest string
		want           []refusal
	}{
		{"a reserved code", head + block + "      country: UK\n", []refusal{{fleet.CodeCountryUnassigned, country, "UK", 9, 16, "GB"}}},
		{"Greece's other code", head + block + "      country: EL\n", []refusal{{fleet.CodeCountryUnassigned, country, "EL", 9, 16, "GR"}}},
		{"small letters", head + block + "      country: ca\n", []refusal{{fleet.CodeCountryUnassigned, country, "ca", 9, 16, "CA"}}},
		{"surrounding space", head + block + "      country: \" CA\"\n", []refusal{{fleet.CodeCountryUnassigned, country, " CA", 9, 16, "CA"}}},
		{"a name", head + block + "      country: Canada\n", []refusal{{fleet.CodeCountryUnassigned, country, "Canada", 9, 16, "CA"}}},
		{"a name with a slip", head + block + "      country: Cannada\n", []refusal{{fleet.CodeCountryUnassigned, country, "Cannada", 9, 16, "CA"}}},
		{"three letters", head + block + "      country: CAN\n", []refusal{{fleet.CodeCountryUnassigned, country, "CAN", 9, 16, "CA"}}},
		{"Norway in small letters", head + block + "      country: \"no\"\n", []refusal{{fleet.CodeCountryUnassigned, country, "no", 9, 16, "NO"}}},
		{"a user-assigned code", head + block + "      country: XK\n", []refusal{{fleet.CodeCountryUnassigned, country, "XK", 9, 16, ""}}},
		{"a union", head + block + "      country: EU\n", []refusal{{fleet.CodeCountryUnassigned, country, "EU", 9, 16, ""}}},
		{"markup", head + block + "      country: <b>x\n", []refusal{{fleet.CodeCountryUnassigned, country, "<b>x", 9, 16, ""}}},
		{"a number", head + block + "      country: 124\n", []refusal{{fleet.CodeWrongType, country, "124", 9, 16, ""}}},
		{"a boolean", head + block + "      country: true\n", []refusal{{fleet.CodeWrongType, country, "true", 9, 16, ""}}},
		{"a list", head + block + "      country: [CA]\n", []refusal{{fleet.CodeWrongType, country, `["CA"]`, 9, 16, ""}}},
		{"a map", head + block + "      country: {code: CA}\n", []refusal{{fleet.CodeWrongType, country, `{"code":"CA"}`, 9, 16, ""}}},
		{"a list that is text", head + block + "      blockedCountries: US\n", []refusal{{fleet.CodeWrongType, blocked, "US", 9, 25, ""}}},
		{"an undeclared region", head + block + "      region: apac\n", []refusal{{fleet.CodeRegionUndeclared, "spec.placement.residency.region", "apac", 9, 15, ""}}},
		{"a region in another case", head + block + "      region: EU-Core\n", []refusal{{fleet.CodeRegionUndeclared, "spec.placement.residency.region", "EU-Core", 9, 15, "eu-core"}}},
		{"a region with space", head + block + "      region: \"eu-core \"\n", []refusal{{fleet.CodeRegionUndeclared, "spec.placement.residency.region", "eu-core ", 9, 15, "eu-core"}}},
		{"country and region", head + block + "      country: CA\n      region: eu-core\n", []refusal{{fleet.CodeCountryAndRegion, "spec.placement.residency.region", "eu-core", 10, 15, ""}}},
		{"blocked what it must run in", head + block + "      country: CA\n      blockedCountries: [US, CA]\n", []refusal{{fleet.CodeContradiction, blocked + "[1]", "CA", 10, 30, ""}}},
		{"blocked by name", head + block + "      blockedCountries: [US, Canada]\n", []refusal{{fleet.CodeCountryUnassigned, blocked + "[1]", "Canada", 9, 30, "CA"}}},
		{"blocked twice", head + block + "      blockedCountries: [US, RU, US]\n", []refusal{{fleet.CodeCountryRepeated, blocked + "[2]", "US", 9, 34, ""}}},
		{"blocked number", head + block + "      blockedCountries: [US, 7]\n", []refusal{{fleet.CodeWrongType, blocked + "[1]", "7", 9, 30, ""}}},
		{"empty placement", head + "  placement: {}\n", []refusal{{fleet.CodeResidencyEmpty, "spec.placement", "{}", 7, 14, ""}}},
		{"placement with nothing", head + "  placement:\n", []refusal{{fleet.CodeResidencyEmpty, "spec.placement", "null", 7, 13, ""}}},
		{"empty residency", head + "  placement:\n    residency: {}\n", []refusal{{fleet.CodeResidencyEmpty, "spec.placement.residency", "{}", 8, 16, ""}}},
		{"residency with nothing", head + "  placement:\n    residency:\n", []refusal{{fleet.CodeResidencyEmpty, "spec.placement.residency", "null", 8, 15, ""}}},
		{"empty country", head + block + "      country: \"\"\n", []refusal{{fleet.CodeResidencyEmpty, country, "", 9, 16, ""}}},
		{"null country", head + block + "      country: null\n", []refusal{{fleet.CodeResidencyEmpty, country, "null", 9, 16, ""}}},
		{"empty blocked list", head + block + "      blockedCountries: []\n", []refusal{{fleet.CodeResidencyEmpty, blocked, "[]", 9, 25, ""}}},
		{"blocked nothing", head + block + "      blockedCountries: [\"\"]\n", []refusal{{fleet.CodeResidencyEmpty, blocked + "[0]", "", 9, 26, ""}}},
		{"a misspelt key", head + block + "      contry: CA\n", []refusal{{fleet.CodeUnknownField, "spec.placement.residency.contry", "contry", 9, 7, "country"}}},
		{"a key in capitals", head + block + "      Country: CA\n", []refusal{{fleet.CodeUnknownField, "spec.placement.residency.Country", "Country", 9, 7, "country"}}},
		{"a key at the wrong depth", head + "  country: CA\n", []refusal{{fleet.CodeUnknownField, "spec.country", "country", 7, 3, "spec.placement.residency.country"}}},
		{"a misspelt block", head + "  placement:\n    residancy: {country: CA}\n", []refusal{{fleet.CodeUnknownField, "spec.placement.residancy", "residancy", 8, 5, "residency"}}},
		{"a block at the wrong depth", head + "residency: {country: CA}\n", []refusal{{fleet.CodeUnknownField, "residency", "residency", 7, 1, "spec.placement.residency"}}},
		{"a key twice", head + block + "      country: CA\n      country: US\n", []refusal{{fleet.CodeDuplicateKey, country, "country", 10, 7, ""}}},
		{"three faults at once", head + "  replicas: -1\n" + block + "      country: UK\n      contry: CA\n", []refusal{
			{fleet.CodeOutOfRange, "spec.replicas", "-1", 7, 13, ""},
			{fleet.CodeCountryUnassigned, country, "UK", 10, 16, "GB"},
			{fleet.CodeUnknownField, "spec.placement.residency.contry", "contry", 11, 7, "country"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults, _ := check(t, tt.manifest, fleet.FormatYAML)
			expect(t, tt.manifest, faults, tt.want)
		})
	}
}

func TestOtherRefusals(t *testing.T) {
	tests := []struct {
		name, manifest string
		want           []refusal
	}{
		{"no image", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  replicas: 1\n", []refusal{{fleet.CodeRequired, "spec.image", "", 5, 1, ""}}},
		{"no kind, another version", "apiVersion: apps/v1\nmetadata: {name: a}\nspec: {image: nginx}\n", []refusal{
			{fleet.CodeRequired, "kind", "", 1, 1, "Deployment"}, {fleet.CodeKindUnsupported, "apiVersion", "apps/v1", 1, 13, ""}}},
		{"reserved name", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: new}\nspec: {image: nginx}\n", []refusal{{fleet.CodeNameReserved, "metadata.name", "new", 3, 18, ""}}},
		{"a name in capitals", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: Web}\nspec: {image: nginx}\n", []refusal{{fleet.CodeNameInvalid, "metadata.name", "Web", 3, 18, "web"}}},
		{"a bad image", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {image: \"a b\"}\n", []refusal{{fleet.CodeImageInvalid, "spec.image", "a b", 4, 15, ""}}},
		{"replicas in words", head + "  replicas: two\n", []refusal{{fleet.CodeWrongType, "spec.replicas", "two", 7, 13, ""}}},
		{"half a replica", head + "  replicas: 1.5\n", []refusal{{fleet.CodeWrongType, "spec.replicas", "1.5", 7, 13, ""}}},
		{"too many replicas", head + "  replicas: 10001\n", []refusal{{fleet.CodeOutOfRange, "spec.replicas", "10001", 7, 13, ""}}},
		{"a policy in another case", head + "  restartPolicy: always\n", []refusal{{fleet.CodeNotAccepted, "spec.restartPolicy", "always", 7, 18, "Always"}}},
		{"too long a grace", head + "  terminationGracePeriodSeconds: 3601\n", []refusal{{fleet.CodeOutOfRange, "spec.terminationGracePeriodSeconds", "3601", 7, 34, ""}}},
		{"port zero", head + "  ports: [{containerPort: 0}]\n", []refusal{{fleet.CodeOutOfRange, "spec.ports[0].containerPort", "0", 7, 27, ""}}},
		{"a port twice", head + "  ports: [{containerPort: 80}, {containerPort: 80, protocol: TCP}]\n", []refusal{{fleet.CodeRepeated, "spec.ports[1].containerPort", "80", 7, 48, ""}}},
		{"a protocol in small letters", head + "  ports: [{containerPort: 80, protocol: udp}]\n", []refusal{{fleet.CodeNotAccepted, "spec.ports[0].protocol", "udp", 7, 41, "UDP"}}},
		{"a variable twice", head + "  env: [{name: A, value: x}, {name: A, value: y}]\n", []refusal{{fleet.CodeRepeated, "spec.env[1].name", "A", 7, 37, ""}}},
		{"a variable's number", head + "  env: [{name: A, value: 1}]\n", []refusal{{fleet.CodeWrongType, "spec.env[0].value", "1", 7, 26, ""}}},
		{"a value and where it comes from", head + "  env: [{name: A, value: x, valueFrom: {secretKeyRef: {name: s, key: k}}}]\n", []refusal{{fleet.CodeFieldConflict, "spec.env[0].value", "x", 7, 26, ""}}},
		{"a value from nowhere", head + "  env: [{name: A, valueFrom: {}}]\n", []refusal{{fleet.CodeRequired, "spec.env[0].valueFrom", "", 7, 30, ""}}},
		{"a value from two places", head + "  env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: k}, secretKeyRef: {name: s, key: k}}}]\n", []refusal{
			{fleet.CodeFieldConflict, "spec.env[0].valueFrom.secretKeyRef", `{"name":"s","key":"k"}`, 7, 81, ""}}},
		{"a value from the pod", head + "  env: [{name: A, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]\n", []refusal{
			{fleet.CodeRequired, "spec.env[0].valueFrom", "", 7, 30, ""}, {fleet.CodeUnknownField, "spec.env[0].valueFrom.fieldRef", "fieldRef", 7, 31, ""}}},
		{"a variable twice, once from a ConfigMap", head + "  env: [{name: A, value: x}, {name: A, valueFrom: {configMapKeyRef: {name: c, key: k}}}]\n", []refusal{{fleet.CodeRepeated, "spec.env[1].name", "A", 7, 37, ""}}},
		{"what no ConfigMap and no key can be called", head + "  env: [{name: A, valueFrom: {configMapKeyRef: {name: C, key: a/b}}}, {name: B, valueFrom: {secretKeyRef: {optional: true}}}]\n", []refusal{
			{fleet.CodeNameInvalid, "spec.env[0].valueFrom.configMapKeyRef.name", "C", 7, 55, ""}, {fleet.CodeNotAccepted, "spec.env[0].valueFrom.configMapKeyRef.key", "a/b", 7, 63, ""},
			{fleet.CodeRequired, "spec.env[1].valueFrom.secretKeyRef.name", "", 7, 93, ""}, {fleet.CodeRequired, "spec.env[1].valueFrom.secretKeyRef.key", "", 7, 93, ""}}},
		{"variables from nowhere and from two places", head + "  envFrom: [{prefix: A_}, {configMapRef: {name: c}, secretRef: {name: S}}]\n", []refusal{
			{fleet.CodeRequired, "spec.envFrom[0]", "", 7, 13, ""}, {fleet.CodeFieldConflict, "spec.envFrom[1].secretRef", `{"name":"S"}`, 7, 64, ""}, {fleet.CodeNameInvalid, "spec.envFrom[1].secretRef.name", "S", 7, 71, ""}}},
		{"a prefix that no variable has", head + "  envFrom: [{prefix: 1-, configMapRef: {name: c}}]\n", []refusal{{fleet.CodeEnvNameInvalid, "spec.envFrom[0].prefix", "1-", 7, 22, ""}}},
		{"a bad quantity", head + "  resources: {requests: {memory: 1 GB}}\n", []refusal{{fleet.CodeQuantityInvalid, "spec.resources.requests.memory", "1 GB", 7, 34, ""}}},
		{"more than the limit", head + "  resources: {requests: {cpu: 2}, limits: {cpu: 500m}}\n", []refusal{{fleet.CodeRequestExceedsLimit, "spec.resources.requests.cpu", "2", 7, 31, ""}}},
		{"an octal number", head + "  replicas: 010\n", []refusal{{fleet.CodeWrongType, "spec.replicas", "010", 7, 13, ""}}},
		{"a port in hexadecimal", head + "  ports: [{containerPort: 0x50}]\n", []refusal{{fleet.CodeWrongType, "spec.ports[0].containerPort", "0x50", 7, 27, ""}}},
		{"an empty policy", head + "  restartPolicy: \"\"\n", []refusal{{fleet.CodeNotAccepted, "spec.restartPolicy", "", 7, 18, ""}}},
		{"an empty protocol and quantity", head + "  ports: [{containerPort: 80, protocol: \"\"}]\n  resources: {requests: {cpu: \"\"}}\n", []refusal{
			{fleet.CodeNotAccepted, "spec.ports[0].protocol", "", 7, 41, ""}, {fleet.CodeQuantityInvalid, "spec.resources.requests.cpu", "", 8, 31, ""}}},
		{"a NUL", head + "  args: [\"a\\0b\"]\n  env: [{name: A, value: \"\\0\"}]\n", []refusal{
			{fleet.CodeNotAccepted, "spec.args[0]", "a\x00b", 7, 10, ""}, {fleet.CodeNotAccepted, "spec.env[0].value", "\x00", 8, 26, ""}}},
		{"an empty kind", "apiVersion: \"\"\nkind: \"\"\nmetadata: {name: a}\nspec: {image: nginx}\n", []refusal{
			{fleet.CodeRequired, "apiVersion", "", 1, 13, "odysseus/v1"}, {fleet.CodeRequired, "kind", "", 2, 7, "Deployment"}}},
		{"something else", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {}\n", []refusal{
			{fleet.CodeKindUnsupported, "apiVersion", "v1", 1, 13, ""}, {fleet.CodeKindUnsupported, "kind", "ConfigMap", 2, 7, ""}}},
		{"a slip in the kind", "apiVersion: odysseus/v1\nkind: Deploymnt\nmetadata: {name: a}\nspec: {}\n", []refusal{
			{fleet.CodeKindUnsupported, "kind", "Deploymnt", 2, 7, "Deployment"}, {fleet.CodeRequired, "spec.image", "", 4, 1, ""}}},
		{"fields of a later version", head + "  healthCheck: {}\n  ports: [{containerPort: 80, hostPort: 80}]\n", []refusal{
			{fleet.CodeFieldUnsupported, "spec.healthCheck", "healthCheck", 7, 3, ""}, {fleet.CodeFieldUnsupported, "spec.ports[0].hostPort", "hostPort", 8, 31, ""}}},
		{"two documents", head + "---\n" + head, []refusal{{fleet.CodeTooManyDocuments, "", "2", 8, 1, ""}}},
		{"nothing", "# nothing\n---\n", []refusal{{fleet.CodeNoDocument, "", "", 0, 0, ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults, _ := check(t, tt.manifest, fleet.FormatYAML)
			expect(t, tt.manifest, faults, tt.want)
		})
	}
}

func TestWhatGetAnswersCanBeSentBack(t *testing.T) {
	manifest := `{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":"a","namespace":"acme","uid":"u","resourceVersion":"7","generation":3,"creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"image":"nginx","env":[]},"status":{"state":"Placed","x":[1]}}`
	d, faults, _ := check(t, manifest, fleet.FormatJSON)
	if len(faults) > 0 {
		t.Fatalf("refused: %+v", faults)
	}
	if d.Metadata.ResourceVersion != "7" || d.Metadata.UID != "" || d.Metadata.Generation != 0 || d.Status != nil {
		t.Errorf("read what it must not, or not what it must: %+v %+v", d.Metadata, d.Status)
	}
}

func TestTwoLetterCodes(t *testing.T) {
	accepted := 0
	listed := map[string]bool{}
	for _, code := range strings.Fields(readFile(t, "iso3166-1-alpha2.txt")) {
		listed[code] = true
	}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			_, faults, _ := check(t, head+"  placement:\n    residency:\n      country: "+code+"\n", fleet.FormatYAML)
			if listed[code] {
				accepted++
			}
			if (len(faults) == 0) != listed[code] {
				t.Errorf("%s: listed %v, refused with %v", code, listed[code], faults.Codes())
			}
			if got := fleet.ValidateGeoAwareness(fleet.GeoAwareness{Regions: []fleet.Region{{Name: "r", Countries: []string{code}}}}); (len(got) == 0) != listed[code] {
				t.Errorf("%s in a region: listed %v, refused with %v", code, listed[code], got.Codes())
			}
		}
	}
	if accepted != 249 {
		t.Errorf("%d codes accepted, want 249", accepted)
	}
}

func TestNorwaySurvivesARoundTrip(t *testing.T) {
	for _, written := range []string{"country: NO", "country: 'NO'", "blockedCountries: [NO, SE]"} {
		d, faults, _ := check(t, head+"  placement:\n    residency:\n      "+written+"\n", fleet.FormatYAML)
		if len(faults) > 0 {
			t.Fatalf("%s: %v", written, faults)
		}
		text, err := fleet.YAML(d)
		if err != nil {
			t.Fatal(err)
		}
		again, faults, _ := check(t, text, fleet.FormatYAML)
		if len(faults) > 0 || !again.Spec.Residency().Equal(d.Spec.Residency()) {
			t.Errorf("%s came back as %+v, %v, from\n%s", written, again.Spec.Residency(), faults, text)
		}
	}
}
