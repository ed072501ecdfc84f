// Four weeks of counts for pictures of the graphs: working days with their hours, and an afternoon of wrong passwords.
import { dayOf, TIMED_ROUTES } from '../src/background/activity.ts';
import type { Parts } from '../src/http/parts.ts';
import { addActivity, noteLiveGrants } from '../src/store/activity.ts';

const HOUR = 3_600_000;
const DAYS = 28;

/** Counts as much as a small house would, the same at every run. @param clientIds the busiest first */
export async function countExampleActivity(
  { activity, database, now }: Pick<Parts, 'activity' | 'database' | 'now'>,
  clientIds: readonly string[],
): Promise<void> {
  const until = now().getTime();
  const today = dayOf(now()).getTime();
  let seed = 7;
  const some = (most: number): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return Math.round((seed / 2_147_483_647) * most);
  };
  for (let hour = -24 * (DAYS - 1); hour < 24; hour++) {
    const at = new Date(today + hour * HOUR);
    if (at.getTime() > until) break;
    const weekend = at.getUTCDay() % 6 === 0 ? 0.3 : 1;
    const busy = Math.max(0, Math.sin(((at.getUTCHours() - 5) / 18) * Math.PI)) * weekend;
    activity.happened('signed_in', at, some(60 * busy));
    activity.happened('signed_up', at, some(4 * busy));
    activity.happened('sign_in_failed', at, some((hour > -226 && hour < -220 ? 60 : 6) * busy));
    activity.happened('refused', at, some(12 * busy));
    for (const [place, clientId] of clientIds.entries()) {
      activity.happenedTo(clientId, 'signed_in', at, some((40 * busy) / (place + 1)));
      activity.happenedTo(clientId, 'renewed', at, some((260 * busy) / (place + 1)));
      activity.happenedTo(clientId, 'refused', at, some(2 * busy));
    }
  }
  await activity.flush();
  for (let day = 1 - DAYS; day <= 0; day++) {
    const live = clientIds.map((clientId, place): [string, number] => {
      const grants = Math.round(((DAYS + day) * 9 + 120) / (place + 1));
      return [clientId, grants];
    });
    const at = new Date(today + day * 24 * HOUR);
    await noteLiveGrants(database, at, new Map(live));
    // As many as fall into each bucket of /metrics: most within some milliseconds, a few of them slow.
    const times = TIMED_ROUTES.map((kind, place) => {
      const quick = [40 + some(60), 300 - 60 * place, 150 + some(60), 20 + some(25), 3 + some(12), some(4)];
      const counts = [0, ...quick, 0, 0, 0, 0, 0, 0, 0];
      return { clientId: null, kind, day: at, total: counts.reduce((sum, n) => sum + n, 0), counts };
    });
    if (day < 0) await addActivity(database, times);
  }
}
