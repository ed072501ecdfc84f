// Shuffles queue rows so that different processes usually claim different rows.
import { randomInt } from 'node:crypto';

export function shuffle<Row>(rows: readonly Row[]): Row[] {
  const shuffled = [...rows];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const picked = randomInt(last + 1);
    [shuffled[last], shuffled[picked]] = [shuffled[picked] as Row, shuffled[last] as Row];
  }
  return shuffled;
}
