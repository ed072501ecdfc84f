// An account's latest sign-ins, from the audit log.
import { findAll, findValue } from './query.ts';

export interface SignIn {
  at: Date;
  /** Null once RETENTION has passed. */
  ip: string | null;
  browser: string | null;
  system: string | null;
  method: string;
}

export const listSignIns = findAll<SignIn, [userId: string]>(
  'list_sign_ins',
  `select e.at, e.ip, coalesce(e.detail ->> 'method', 'password') as method, e.detail ->> 'browser' as browser,
    e.detail ->> 'system' as system
  from events e where e.user_id = $1::uuid and e.kind in ('signed_in', 'signed_up')
  order by e.at desc, e.id desc limit 5`,
);

/** Null if the audit log contains no sign-in with the password. */
export const findLastPasswordUse = findValue<Date | null, [userId: string]>(
  'find_last_password_use',
  `select max(e.at) from events e where e.user_id = $1::uuid and e.kind in ('signed_in', 'signed_up')
    and coalesce(e.detail ->> 'method', 'password') like 'password%'`,
);
