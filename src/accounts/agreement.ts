// Gives and withdraws consent.

import { randomUUID } from 'node:crypto';
import { type ApiGrant, consentElements } from '../oauth/api.ts';
import { dataScopes, type GrantedScope } from '../oauth/scopes.ts';
import { upsertConsent, withdrawConsent } from '../store/consents.ts';
import type { Database, Queryable } from '../store/database.ts';
import { recordOwnEvent } from '../store/events.ts';
import { type OneUse, runOnce } from '../store/spent-tokens.ts';
import { readDevice } from './browser-name.ts';

export interface Consent {
  userId: string;
  sid: string;
  clientId: string;
  granted: { scopes: readonly GrantedScope[]; apis: readonly ApiGrant[] };
  address: string;
  userAgent: string;
}

/** What was granted, spelled as consents spell it. */
export const elementsOf = ({ scopes, apis }: Consent['granted']): string[] => [
  ...dataScopes(scopes),
  ...consentElements(apis),
];

/** Gives consent. @returns as `upsertConsent` */
export function giveConsent(
  transaction: Queryable,
  { granted, address, userAgent, ...consent }: Consent,
  now: Date,
): ReturnType<typeof upsertConsent> {
  const scopes = [
    ...dataScopes(granted.scopes),
    ...granted.apis.flatMap(({ identifier, scopes: names }) =>
      names.length === 0 ? [identifier] : names.map((name) => `${name} (${identifier})`),
    ),
  ];
  const { browser, system } = readDevice(userAgent);
  const detail = { scopes, ...(browser && { browser }), ...(system && { system }) };
  return upsertConsent(transaction, { ...consent, scopes: elementsOf(granted) }, { address, detail }, now);
}

/** The result of a consent form. */
export interface Agreed {
  grantId: string;
  /** The epochs of client and consent together. */
  epoch: number;
  granted: string[];
  /** What the person had consented to before; null: nothing. */
  before: string[] | null;
}

/**
 * Gives consent, once for each form: a consent that was withdrawn since stays withdrawn.
 * @param tell notifies the account's owner, in the same transaction
 * @returns the result and whether it is that of an earlier use; undefined if the client, the account or the session is gone
 */
export const agree = (
  database: Database,
  consent: Consent & { token: OneUse },
  now: Date,
  tell: (transaction: Queryable, before: Agreed['before']) => Promise<void>,
): Promise<(Agreed & { at: Date; again: boolean }) | undefined> =>
  database.transaction(async (transaction) => {
    const { at, again, result } = await runOnce(
      transaction,
      consent.token,
      now,
      async (): Promise<Agreed | null> => {
        const given = await giveConsent(transaction, consent, now);
        if (given === undefined) return null;
        await tell(transaction, given.before);
        const granted = elementsOf(consent.granted);
        return { grantId: randomUUID(), granted, ...given };
      },
    );
    return result ? { ...result, at, again } : undefined;
  });

/** Withdraws a consent: every code and token between the two dies at once (D28). False when there was none. */
export const withdraw = (
  database: Database,
  { userId, clientId, address }: { userId: string; clientId: string; address: string },
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const withdrawn = await withdrawConsent(transaction, userId, clientId, now);
    if (withdrawn)
      await recordOwnEvent(transaction, { kind: 'consent_withdrawn', userId, clientId, address }, now);
    return withdrawn;
  });
