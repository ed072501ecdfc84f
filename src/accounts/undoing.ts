// Undoing what a session added or changed, latest first; what cannot be put back as it was is held (D61).
import { type ApplicationSettings, changeOwnApplication, lockOwnApplication } from '../store/applications.ts';
import type { Queryable } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { ownSecrets } from '../store/own-secrets.ts';
import {
  changeProtocolSettings,
  findProtocolSettings,
  type ProtocolSettings,
} from '../store/protocol-settings.ts';
import { endTokensOfApplication, holdApplication, restoreConsent, restoreLogo } from '../store/restoring.ts';
import {
  type ApplicationSessionChange,
  type ChangeKind,
  forgetChanges,
  type SessionChange,
  thingOf,
} from '../store/session-changes.ts';
import { type Difference, entriesOf, has, reverted } from './reverting.ts';
import { undoApiChange } from './undoing-apis.ts';

/** What came of a change: it is as it was before, or the application or API is suspended until somebody has looked at it. */
export interface Undone {
  kind: SessionChange['kind'];
  name: string;
  held: boolean;
}

const HELD: readonly ChangeKind[] = [
  'registered',
  'received',
  'given',
  'released',
  'api_registered',
  'api_received',
  'api_given',
  'api_released',
];

/** Whether a change cannot be put back as it was: the application or API is held until somebody has looked at it. */
export const isHeld = (kind: ChangeKind): boolean => HELD.includes(kind);

/**
 * Undoes changes, each with its line in the audit log, and forgets them.
 * @param changes latest first, as the account's sessions made them
 */
export async function undoChanges(
  transaction: Queryable,
  { userId, address }: { userId: string; address: string | undefined },
  changes: readonly SessionChange[],
  now: Date,
): Promise<Undone[]> {
  const undone: Undone[] = [];
  for (const change of changes) {
    const { kind, name } = change;
    const outcome =
      'apiId' in change
        ? await undoApiChange(transaction, userId, change, now)
        : await undo(transaction, userId, change, now);
    if ('clientId' in change && letIn(change))
      await endTokensOfApplication(transaction, userId, change.clientId);
    if (outcome === undefined) continue;
    const thing = thingOf(change);
    undone.push({ kind, name: name ?? thing, held: outcome === 'held' });
    const of = 'apiId' in change ? { apiId: thing } : { clientId: thing };
    const event = { kind: 'change_undone', userId, ...of, address } as const;
    await recordEvent(transaction, { ...event, detail: { change: kind, held: outcome === 'held' } }, now);
  }
  await forgetChanges(
    transaction,
    userId,
    changes.map(({ id }) => id),
  );
  return undone;
}

/**
 * Whether a change let somebody in to be the application, or receive its codes: a secret, a key, a callback URL. What
 * they were given meanwhile, of whoever signed in, does not end with it.
 */
function letIn({ kind, detail }: ApplicationSessionChange): boolean {
  if (kind === 'secret') return true;
  if (kind !== 'settings' && kind !== 'protocol') return false;
  const { before, after } = detail as unknown as Difference<Record<string, unknown>>;
  return ['redirectUris', 'jwks'].some((name) => {
    const was = entriesOf(before[name]) ?? [];
    return entriesOf(after[name])?.some((entry) => !has(was, entry)) === true;
  });
}

/** @returns undefined when there is nothing to undo any more */
async function undo(
  transaction: Queryable,
  userId: string,
  { kind, clientId, detail }: ApplicationSessionChange,
  now: Date,
): Promise<'undone' | 'held' | undefined> {
  const done = (yes: boolean, as: 'undone' | 'held' = 'undone') => (yes ? as : undefined);
  switch (kind) {
    case 'registered':
    case 'received':
    case 'given':
    case 'released':
      return done(await holdApplication(transaction, userId, clientId, now), 'held');
    case 'secret':
      return done(await ownSecrets.end(transaction, userId, clientId, Number(detail.number), now));
    case 'consent':
      return done(await restoreConsent(transaction, userId, clientId, detail.before as string[] | null, now));
    case 'logo':
      return done(await restoreLogo(transaction, userId, clientId, detail as { before: null; after: null }));
    case 'settings': {
      const present = await lockOwnApplication(transaction, userId, clientId);
      if (present === undefined) return undefined;
      const difference = detail as unknown as Difference<ApplicationSettings>;
      await changeOwnApplication(transaction, userId, clientId, reverted(present, difference));
      return 'undone';
    }
    case 'protocol': {
      const present = await findProtocolSettings(transaction, userId, clientId);
      if (present === undefined) return undefined;
      const settings = reverted(present, detail as unknown as Difference<ProtocolSettings>);
      return done(await changeProtocolSettings(transaction, userId, clientId, settings));
    }
  }
}
