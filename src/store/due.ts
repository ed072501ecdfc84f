// Work that several processes share: each finds what is due, and claims it by a conditional update of its row.
import { randomInt } from 'node:crypto';

/** Rows in random order, so that processes that look at the same time claim different ones. */
export function shuffled<Row>(rows: readonly Row[]): Row[] {
  const all = [...rows];
  for (let last = all.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [all[last], all[other]] = [all[other] as Row, all[last] as Row];
  }
  return all;
}
