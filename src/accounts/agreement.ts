// Gives and withdraws consent.

import { randomUUID } from 'node:crypto';
import { type ApiGrant, consentElements } from '../oauth/api.ts';
import { dataScopes, type GrantedScope } from '../oauth/scopes.ts';
import { findConsentedScopes, rememberConsent, withdrawConsent } from '../store/consents.ts';
import type { Database, Queryable } from '../store/database.ts';
import { recordOwnEvent } from '../store/events.ts';
import { holdSession } from '../store/session-locks.ts';
import { type OneUse, runOnce } from '../store/spent-tokens.ts';
import { readDevice } from './browser-name.ts';

export interface Consent {
  userId: string;
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

/**
 * Remembers a consent, and records it in the audit log.
 * @returns the epoch of consent and client, and what the person had consented to before (null: nothing); undefined when the
 *   account or the client is gone
 */
export async function giveConsent(
  transaction: Queryable,
  { userId, clientId, granted, address, userAgent }: Consent,
  now: Date,
): Promise<{ epoch: number; before: string[] | null } | undefined> {
  const before = (await findConsentedScopes(transaction, userId, clientId)) ?? null;
  const epoch = await rememberConsent(transaction, { userId, clientId, scopes: elementsOf(granted), now });
  if (epoch === undefined) return undefined;
  const scopes = [
    ...dataScopes(granted.scopes),
    ...granted.apis.flatMap(({ identifier, scopes: names }) =>
      names.length === 0 ? [identifier] : names.map((name) => `${name} (${identifier})`),
    ),
  ];
  const { browser, system } = readDevice(userAgent);
  const detail = { scopes, ...(browser && { browser }), ...(system && { system }) };
  await recordOwnEvent(transaction, { kind: 'consent_given', userId, clientId, address, detail }, now);
  return { epoch, before };
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
 * @returns the result and whether it is that of an earlier use; undefined if the client, the account or the session is gone
 */
export const agree = (
  database: Database,
  consent: Consent & { sid: string; token: OneUse },
  now: Date,
): Promise<(Agreed & { at: Date; again: boolean }) | undefined> =>
  database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, consent, now))) return undefined;
    const { at, again, result } = await runOnce(
      transaction,
      consent.token,
      now,
      async (): Promise<Agreed | null> => {
        const given = await giveConsent(transaction, consent, now);
        if (given === undefined) return null;
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
