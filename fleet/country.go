package fleet

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// assigned are the 249 officially assigned ISO 3166-1 alpha-2 codes. A table of our own: libraries disagree, and
// some accept XK, which ISO has not assigned.
const assigned = "" +
	"AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ " +
	"BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR " +
	"CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR " +
	"GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU " +
	"ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ " +
	"LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ " +
	"MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF " +
	"PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI " +
	"SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR " +
	"TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW"

var countries = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, code := range strings.Fields(assigned) {
		set[code] = true
	}
	return set
})

// CountryAssigned says whether code is an officially assigned ISO 3166-1 alpha-2 code, exactly as ISO writes it:
// neither case nor surrounding space is folded.
func CountryAssigned(code string) bool { return countries()[code] }

// Countries are the assigned codes, sorted.
func Countries() []string {
	codes := strings.Fields(assigned)
	slices.Sort(codes)
	return codes
}

// commonNames are codes and names that people write for a country and that no table of names holds.
var commonNames = map[string]string{
	"UK": "GB", "EL": "GR", // reserved for, and used by, the United Kingdom and Greece
	"ENGLAND": "GB", "SCOTLAND": "GB", "WALES": "GB", "BRITAIN": "GB", "GREAT BRITAIN": "GB",
	"AMERICA": "US", "UNITED STATES OF AMERICA": "US", "HOLLAND": "NL", "THE NETHERLANDS": "NL",
	"CZECH REPUBLIC": "CZ", "TURKEY": "TR", "IVORY COAST": "CI", "SWAZILAND": "SZ", "MACEDONIA": "MK",
	"BURMA": "MM", "CAPE VERDE": "CV", "EAST TIMOR": "TL", "VATICAN": "VA", "HONG KONG": "HK", "MACAU": "MO",
	"MACAO": "MO", "KOREA": "KR", "SOUTH KOREA": "KR", "NORTH KOREA": "KP", "RUSSIAN FEDERATION": "RU",
}

// nameLanguages are the console's own: somebody who writes a name writes it in one of them, or in the country's.
var nameLanguages = []language.Tag{language.English, language.French, language.Chinese, language.BrazilianPortuguese, language.German, language.Spanish}

// countryNames maps upper-case names and three-letter codes to the assigned code.
var countryNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, code := range Countries() {
		region, err := language.ParseRegion(code)
		if err != nil {
			continue // younger than the library's table: it has no name to offer
		}
		if iso3 := region.ISO3(); iso3 != "ZZZ" {
			names[iso3] = code
		}
		for _, lang := range nameLanguages {
			if name := display.Regions(lang).Name(region); name != "" {
				if _, taken := names[strings.ToUpper(name)]; !taken {
					names[strings.ToUpper(name)] = code
				}
			}
		}
	}
	for name, code := range commonNames {
		names[name] = code
	}
	return names
})

// englishNames are what a misspelt name is compared with.
var englishNames = sync.OnceValues(func() (names []string, codes map[string]string) {
	codes = map[string]string{}
	for _, code := range Countries() {
		if region, err := language.ParseRegion(code); err == nil {
			name := display.English.Regions().Name(region)
			names, codes[name] = append(names, name), code
		}
	}
	return names, codes
})

// SuggestCountry is the code that text most likely means: written in another case or with spaces, a name or
// three-letter code, a code in common use, or a name with a slip in it. Empty where none is meant for sure.
func SuggestCountry(text string) string {
	upper := strings.ToUpper(strings.Join(strings.Fields(text), " "))
	if CountryAssigned(upper) {
		return upper
	}
	if code := countryNames()[upper]; code != "" {
		return code
	}
	if joined := strings.ReplaceAll(upper, " ", ""); len(joined) == 2 && CountryAssigned(joined) {
		return joined
	}
	if len(upper) < 5 {
		return "" // within two edits of a short name stands almost anything
	}
	names, codes := englishNames()
	return codes[nearest(text, names)]
}
