// The last sign-ins and consents of an account, as the audit log has them.
import { findAll } from './query.ts';

export interface SignIn {
  at: Date;
  way: string;
  /** Null once it was erased from the audit log. */
  address: string | null;
  browser: string | null;
  system: string | null;
}

export const listSignIns = findAll<SignIn, [userId: string]>(
  'list_sign_ins',
  `select e.at, e.address, coalesce(e.detail ->> 'way', 'password') as way, e.detail ->> 'browser' as browser,
    e.detail ->> 'system' as system
  from events e where e.user_id = $1::uuid and e.kind in ('signed_in', 'signed_up')
  order by e.at desc, e.id desc limit 5`,
);

export interface GivenConsent extends Omit<SignIn, 'way'> {
  clientId: string;
}

/** The last three consents that an account gave to each client, latest first. */
export const listGivenConsents = findAll<GivenConsent, [userId: string]>(
  'list_given_consents',
  `select client_id as "clientId", at, address, browser, system from (
    select e.client_id, e.at, e.id, e.address, e.detail ->> 'browser' as browser, e.detail ->> 'system' as system,
      row_number() over (partition by e.client_id order by e.at desc, e.id desc) as place
    from events e where e.user_id = $1::uuid and e.kind = 'consent_given'
  ) given where place <= 3 order by at desc, id desc`,
);
