// The last sign-ins of an account, as the audit log has them.
import { isWay, type Way } from '../oauth/sign-in-way.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

export interface SignIn {
  at: Date;
  /** Undefined where it is not known: an earlier version wrote it, or a later one. */
  way: Way | undefined;
  /** Null once it was forgotten. */
  address: string | null;
  browser: string | undefined;
  system: string | undefined;
}

const LIST = statement(
  'list_sign_ins',
  `select e.at, e.address, coalesce(e.detail ->> 'way', 'password') as way, e.detail ->> 'browser' as browser,
    e.detail ->> 'system' as system
  from events e where e.user_id = $1::uuid and e.kind in ('signed_in', 'signed_up')
  order by e.at desc, e.id desc limit 5`,
);

export async function listSignIns(database: Queryable, userId: string): Promise<SignIn[]> {
  type Row = { [Name in keyof SignIn]: SignIn[Name] | null } & { at: Date; way: string };
  const rows = await database.query<Row>(LIST, [userId]);
  return rows.map(({ at, address, way, browser, system }) => ({
    at,
    address,
    way: isWay(way) ? way : undefined,
    browser: browser ?? undefined,
    system: system ?? undefined,
  }));
}
