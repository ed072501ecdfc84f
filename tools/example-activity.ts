// Adds four weeks of activity for screenshots, with a peak of failed sign-ins.
import { TIMED_ROUTES, truncateToDay } from '../src/background/activity.ts';
import type { Services } from '../src/http/services.ts';
import { addActivity, storeLiveGrants } from '../src/store/activity.ts';

const HOUR_MS = 3_600_000;
const ACTIVITY_DAYS = 28;

/**
 * Adds the same activity on every run.
 * @param clientIds the most active client comes first
 */
export async function addExampleActivity(
  { activity, database, now }: Pick<Services, 'activity' | 'database' | 'now'>,
  clientIds: readonly string[],
): Promise<void> {
  const until = now().getTime();
  const today = truncateToDay(now()).getTime();
  let seed = 7;
  const randomUpTo = (max: number): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return Math.round((seed / 2_147_483_647) * max);
  };
  for (let hour = -24 * (ACTIVITY_DAYS - 1); hour < 24; hour++) {
    const at = new Date(today + hour * HOUR_MS);
    if (at.getTime() > until) break;
    const weekend = at.getUTCDay() % 6 === 0 ? 0.3 : 1;
    const busy = Math.max(0, Math.sin(((at.getUTCHours() - 5) / 18) * Math.PI)) * weekend;
    activity.countServiceEvent('signed_in', at, randomUpTo(60 * busy));
    activity.countServiceEvent('signed_up', at, randomUpTo(4 * busy));
    activity.countServiceEvent(
      'sign_in_failed',
      at,
      randomUpTo((hour > -226 && hour < -220 ? 60 : 6) * busy),
    );
    activity.countServiceEvent('refused', at, randomUpTo(12 * busy));
    for (const [index, clientId] of clientIds.entries()) {
      activity.countClientEvent(clientId, 'signed_in', at, randomUpTo((40 * busy) / (index + 1)));
      activity.countClientEvent(clientId, 'refreshed', at, randomUpTo((260 * busy) / (index + 1)));
      activity.countClientEvent(clientId, 'refused', at, randomUpTo(2 * busy));
    }
    // A full buffer would drop counts.
    if (at.getUTCHours() === 23) await activity.flush();
  }
  await activity.flush();
  for (let day = 1 - ACTIVITY_DAYS; day <= 0; day++) {
    const live = clientIds.map((clientId, index): [string, number] => {
      const grants = Math.round(((ACTIVITY_DAYS + day) * 9 + 120) / (index + 1));
      return [clientId, grants];
    });
    const at = new Date(today + day * 24 * HOUR_MS);
    await storeLiveGrants(database, at, new Map(live));
    const times = TIMED_ROUTES.map((kind, index) => {
      const fastCounts = [
        40 + randomUpTo(60),
        300 - 60 * index,
        150 + randomUpTo(60),
        20 + randomUpTo(25),
        3 + randomUpTo(12),
        randomUpTo(4),
      ];
      const counts = [0, ...fastCounts, 0, 0, 0, 0, 0, 0, 0];
      return { clientId: null, kind, day: at, total: counts.reduce((sum, n) => sum + n, 0), counts };
    });
    if (day < 0) await addActivity(database, times);
  }
}
