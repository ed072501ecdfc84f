// An account's recent sign-ins and consents, from the audit log.
import { findAll } from './query.ts';

interface EventOrigin {
  at: Date;
  /** Null when the retention period (RETENTION) is over. */
  ip: string | null;
  browser: string | null;
  system: string | null;
}

export interface SignIn extends EventOrigin {
  way: string;
}

export const listSignIns = findAll<SignIn, [userId: string]>(
  'list_sign_ins',
  `select e.at, e.ip, coalesce(e.detail ->> 'way', 'password') as way, e.detail ->> 'browser' as browser,
    e.detail ->> 'system' as system
  from events e where e.user_id = $1::uuid and e.kind in ('signed_in', 'signed_up')
  order by e.at desc, e.id desc limit 5`,
);

export interface GivenConsent extends EventOrigin {
  clientId: string;
}

/** Lists the user's last three consents for each client, newest first. */
export const listGivenConsents = findAll<GivenConsent, [userId: string]>(
  'list_given_consents',
  `select client_id as "clientId", at, ip, browser, system from (
    select e.client_id, e.at, e.id, e.ip, e.detail ->> 'browser' as browser, e.detail ->> 'system' as system,
      row_number() over (partition by e.client_id order by e.at desc, e.id desc) as position
    from events e where e.user_id = $1::uuid and e.kind = 'consent_given'
  ) ranked where position <= 3 order by at desc, id desc`,
);
