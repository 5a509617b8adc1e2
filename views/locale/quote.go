package locale

import (
	"strconv"
	"unicode/utf8"

	"odysseus/fleet"
)

// cut shortens a value to the most characters that the audit keeps of one too, so that a refusal never echoes
// a whole document back.
func cut(value string) string {
	if utf8.RuneCountInString(value) <= fleet.MaxAuditText {
		return value
	}
	return string([]rune(value)[:fleet.MaxAuditText]) + "…"
}

// quoted is the cut value between quotes, invisible and control characters written out: " CA" and "CA\n" are
// told from CA.
func quoted(value string) string { return strconv.Quote(cut(value)) }
