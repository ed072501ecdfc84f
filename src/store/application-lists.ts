// What operators see of applications: the list, and one of them. Bounded counts.
import type { Client } from '../oauth/client.ts';
import { emailKey } from './emails.ts';
import { beginsWith, MATCHES, operatorsList } from './list-pages.ts';
import { findOne } from './query.ts';

/** An application as operators see it. `people` stops at a thousand. */
export interface ApplicationRow extends Client {
  ownerId: string;
  ownerEmail: string;
  suspendedAt: Date | null;
  verifiedAt: Date | null;
  createdAt: Date;
  people: number;
}

/** What `people` counts to at most, so that a list with large applications is as quick as any. */
export const PEOPLE_COUNTED = 1000;

const APPLICATION_COLUMNS = `c.client_id as "clientId", c.name, c.type, c.redirect_uris as "redirectUris", c.scopes,
  c.standard, c.owner_id as "ownerId", o.email as "ownerEmail", c.suspended_at as "suspendedAt",
  c.verified_at as "verifiedAt", c.created_at as "createdAt",
  (select count(*)::int from (select from consents k where k.client_id = c.client_id and k.withdrawn_at is null
    limit ${PEOPLE_COUNTED}) x) as people`;

const APPLICATION_STATES = {
  any: 'true',
  suspended: 'c.suspended_at is not null',
  verified: 'c.verified_at is not null',
  unverified: 'c.verified_at is null',
};
export type ApplicationState = keyof typeof APPLICATION_STATES;

/** Applications, latest first: all of a state, or those whose name or owner's email begins with a text, or by Client ID. */
export const listApplicationsPage = operatorsList<ApplicationRow, ApplicationState>({
  name: 'clients',
  columns: APPLICATION_COLUMNS,
  from: 'clients c join users o on o.id = c.owner_id',
  createdAt: 'c.created_at',
  id: 'c.client_id',
  states: APPLICATION_STATES,
  matching: `owners as materialized (${beginsWith('users', 'id', 'email_key', '$3::text')}),
    found as materialized (
      (select c.client_id as id from clients c join owners on c.owner_id = owners.id limit ${MATCHES})
      union ${beginsWith('clients', 'client_id', 'lower(name)', 'lower($4::text)')}
      union select client_id from clients where client_id = $4::text
    )`,
  searchFor: (text) => [emailKey(text), text],
  idOf: ({ clientId }) => clientId,
});

export const findApplication = findOne<ApplicationRow, [clientId: string]>(
  'operators_client',
  `select ${APPLICATION_COLUMNS} from clients c join users o on o.id = c.owner_id where c.client_id = $1::text`,
);
