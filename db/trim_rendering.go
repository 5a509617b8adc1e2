package db

import "context"

// left says of renderings g that what they are of is deleted, and has no container left.
const left = "NOT EXISTS (SELECT 1 FROM deployments d WHERE d.uid = g.uid) AND NOT EXISTS (SELECT 1 FROM resources r WHERE r.uid = g.uid) AND " + idle

// trimRenderings looks beside the writer, and writes only where it found something.
func (d *DB) trimRenderings(ctx context.Context) error {
	for {
		var found []int64
		err := d.View(ctx, func(tx *Tx) (err error) {
			found, err = all(ctx, tx, func(s scanner) (id int64, err error) {
				err = s.Scan(&id)
				return id, err
			}, "SELECT g.rowid FROM renderings g WHERE "+left+" LIMIT ?", trimStep)
			return err
		})
		if err != nil || len(found) == 0 {
			return err
		}
		// SQLite may have given a number to another row since, so that it is asked again.
		err = d.Update(ctx, func(tx *Tx) error {
			_, err := tx.exec(ctx, "DELETE FROM renderings AS g WHERE g.rowid IN (SELECT value FROM json_each(?)) AND "+left, jsonText(found))
			return err
		})
		if err != nil {
			return err
		}
	}
}
