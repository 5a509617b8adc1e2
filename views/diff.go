package views

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Diff is two texts side by side, unchanged stretches folded.
type Diff struct {
	BeforeTitle, AfterTitle string // in words
	Before, After           []DiffLine
}

// DiffLine is one line with its mark in the margin: + and − as text, … for a fold.
type DiffLine struct {
	Mark, Text string
}

const (
	markGone = "−"
	markNew  = "+"
	markSame = " "
	markFold = "…"
)

// Same says whether the two texts are equal.
func (d Diff) Same() bool { return len(d.Before) == 0 && len(d.After) == 0 }

// DiffOf compares two texts line by line.
func DiffOf(beforeTitle, before, afterTitle, after string) Diff {
	d := Diff{BeforeTitle: beforeTitle, AfterTitle: afterTitle}
	const context = 2
	// The edits are of these two texts, so applying them cannot fail.
	unified, _ := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), context)
	for i, hunk := range unified.Hunks {
		if i > 0 || hunk.FromLine > 1 {
			d.Before = append(d.Before, DiffLine{Mark: markFold})
			d.After = append(d.After, DiffLine{Mark: markFold})
		}
		for _, line := range hunk.Lines {
			text := strings.TrimSuffix(line.Content, "\n")
			switch line.Kind {
			case udiff.Delete:
				d.Before = append(d.Before, DiffLine{markGone, text})
			case udiff.Insert:
				d.After = append(d.After, DiffLine{markNew, text})
			default:
				d.level()
				d.Before = append(d.Before, DiffLine{markSame, text})
				d.After = append(d.After, DiffLine{markSame, text})
			}
		}
		d.level()
	}
	return d
}

// level fills the shorter side with empty lines, so that equal lines stand beside each other.
func (d *Diff) level() {
	for len(d.Before) < len(d.After) {
		d.Before = append(d.Before, DiffLine{Mark: markSame})
	}
	for len(d.After) < len(d.Before) {
		d.After = append(d.After, DiffLine{Mark: markSame})
	}
}

func (l DiffLine) class() string {
	switch l.Mark {
	case markGone:
		return "line gone"
	case markNew:
		return "line new"
	case markFold:
		return "line fold"
	default:
		return "line"
	}
}
