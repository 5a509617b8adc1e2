package db

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"odysseus/fleet"
)

// Lists answer 1 to maxLimit rows; defaultLimit where the caller asks for none.
const (
	defaultLimit = 100
	maxLimit     = 500
)

// where collects the conditions of a query. Each is a constant of this package: values only ever travel as args.
type where struct {
	conds []string
	args  []any
}

func (w *where) and(cond string, args ...any) {
	w.conds = append(w.conds, cond)
	w.args = append(w.args, args...)
}

// contains narrows to rows whose column holds q, ignoring the case of ASCII letters.
func (w *where) contains(column, q string) {
	if q != "" {
		w.and(column+` LIKE ? ESCAPE '\'`, "%"+likeEscaper.Replace(q)+"%")
	}
}

// scope narrows to what is cluster-scoped, which no tenant has, or to a namespace, or to those of a tenant, or to all.
func (w *where) scope(tenant, namespace string, cluster bool) {
	if tenant != "" {
		w.and("tenant = ?", tenant)
	}
	switch {
	case cluster:
		w.and("namespace = ''")
	case namespace != "":
		w.and("namespace = ?", namespace)
	case tenant == "":
		w.and("namespace > ''")
	}
}

// likeEscaper takes the meaning from LIKE's wildcards. A Replacer is immutable.
var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func (w *where) sql() string {
	if len(w.conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conds, " AND ")
}

// list is one page of a query ordered by a unique key. Rows are streamed: the page ends the query, not a LIMIT, since
// a label selector decides in Go which rows count. The order is an index's, so a page costs what it reads, however deep
// it lies.
type list[T any] struct {
	// from is "SELECT … FROM …", order the ORDER BY of the key.
	from, order string
	where       where
	// beside, where there is one, is such a SELECT of another table: its rows are of the list, too, under the same where.
	beside string
	// arms, where there are any, are alternatives that exclude each other: a row satisfies where and one of them.
	arms []where
	scan func(scanner) (T, error)
	// key of a row, as the cursor keeps it.
	key func(T) []any
	// labels of a row; nil where the rows have none.
	labels func(T) map[string]string
}

// page runs the list. The caller has put the cursor's condition into where.
func (l list[T]) page(ctx context.Context, tx *Tx, o fleet.ListOptions) ([]T, string, error) {
	limit := pageSize(o.Limit)
	var items []T
	next := ""
	query, args := l.query()
	err := tx.each(ctx, query, args, func(s scanner) (bool, error) {
		v, err := l.scan(s)
		if err != nil {
			return false, err
		}
		if o.Labels != nil && l.labels != nil && !o.Labels.Matches(l.labels(v)) {
			return true, nil
		}
		if len(items) == limit {
			next = cursor(l.key(items[limit-1])...)
			return false, nil
		}
		items = append(items, v)
		return true, nil
	})
	if err != nil {
		return nil, "", err
	}
	return items, next, nil
}

// query is one SELECT, or one for each table or each arm, which SQLite merges in order without sorting.
func (l list[T]) query() (string, []any) {
	if l.beside != "" {
		return l.from + l.where.sql() + " UNION ALL " + l.beside + l.where.sql() + " ORDER BY " + l.order, slices.Concat(l.where.args, l.where.args)
	}
	if len(l.arms) == 0 {
		return l.from + l.where.sql() + " ORDER BY " + l.order, l.where.args
	}
	var selects []string
	var args []any
	for _, arm := range l.arms {
		both := where{slices.Concat(l.where.conds, arm.conds), slices.Concat(l.where.args, arm.args)}
		selects = append(selects, l.from+both.sql())
		args = append(args, both.args...)
	}
	return strings.Join(selects, " UNION ALL ") + " ORDER BY " + l.order, args
}

func pageSize(limit int) int {
	if limit < 1 {
		return defaultLimit
	}
	return min(limit, maxLimit)
}

// cursor is the key of a page's last row, opaque to everyone else.
func cursor(key ...any) string {
	return base64.RawURLEncoding.EncodeToString([]byte(jsonText(key)))
}

// after reads a cursor into the parts of its key; false for the first page. What is no cursor of this list is
// fleet.ErrCursor.
func after(text string, parts ...any) (bool, error) {
	if text == "" {
		return false, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return false, fmt.Errorf("read cursor: %w", fleet.ErrCursor)
	}
	var key []json.RawMessage
	if err := json.Unmarshal(raw, &key); err != nil || len(key) != len(parts) {
		return false, fmt.Errorf("read cursor: %w", fleet.ErrCursor)
	}
	for i := range parts {
		if err := json.Unmarshal(key[i], parts[i]); err != nil {
			return false, fmt.Errorf("read cursor: %w", fleet.ErrCursor)
		}
	}
	return true, nil
}

// afterName is after for lists by one text column.
func (w *where) afterName(column, text string) error {
	var name string
	ok, err := after(text, &name)
	if ok {
		w.and(column+" > ?", name)
	}
	return err
}

// beforeNumber is after for lists by one number, newest first.
func (w *where) beforeNumber(column, text string) error {
	var n int64
	ok, err := after(text, &n)
	if ok {
		w.and(column+" < ?", n)
	}
	return err
}
