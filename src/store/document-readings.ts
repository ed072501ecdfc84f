// The places in which agents' documents are read: ten for all processes of all hosts (D49), and a share of them for one asker, so
// that whoever asks for slow documents takes nobody else's.
import { randomUUID } from 'node:crypto';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** Of the ten, for one asker, and for all who push their requests: the rest is left to those who are signed in. */
const FOR_ONE = 2;
const FOR_PUSHED = 5;

const roomAmong = (places: string) =>
  `(select coalesce(bool_or(not taken), false)
    and count(*) filter (where taken and asker = $1::bytea) < ${FOR_ONE}
    and (not $2::boolean or count(*) filter (where taken and pushed) < ${FOR_PUSHED}) from ${places})`;
const PLACES = `select place, asker, pushed, coalesce(taken_until > $4::timestamptz, false) as taken from document_readings`;

// Whoever seems to find room looks again with all places in hand; whoever finds none at first sight keeps nobody waiting.
const TAKE = statement(
  'take_document_reading',
  `with seen as materialized (${PLACES}),
  held as materialized (${PLACES} where ${roomAmong('seen')} order by place for update)
  update document_readings r
  set reading = $3::uuid, asker = $1::bytea, pushed = $2::boolean, taken_until = $5::timestamptz
  where r.place = (select min(place) from held where not taken and ${roomAmong('held')})
  returning r.place`,
);

const LEAVE = statement(
  'leave_document_reading',
  'update document_readings set taken_until = null where reading = $1::uuid',
);

/**
 * Takes a place to read a document in.
 * @param asker whom it is read for, as a key that tells one from another
 * @param pushed whether it is for a pushed request, and so for nobody who is signed in
 * @param within seconds after which the place is another's, should nobody give it back
 * @param now on the one clock that decides (D36)
 * @returns what gives it back; undefined where there is none for this asker
 */
export async function takePlaceToRead(
  database: Queryable,
  { asker, pushed }: { asker: Buffer; pushed: boolean },
  within: number,
  now: Date,
): Promise<(() => Promise<void>) | undefined> {
  const reading = randomUUID();
  const taken = await database.query(TAKE, [
    asker,
    pushed,
    reading,
    now,
    new Date(now.getTime() + within * 1000),
  ]);
  if (taken.length === 0) return undefined;
  return async () => {
    await database.query(LEAVE, [reading]);
  };
}
