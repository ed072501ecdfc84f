// Finds a browser's signed-in accounts and signs them out (ADR 12).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { signOut } from '../accounts/sessions.ts';
import { clientNetwork } from '../http/rate-limit.ts';
import type { Services } from '../http/services.ts';
import { findSessionsById, type Session } from '../store/sessions.ts';
import {
  activeSessionId,
  allSessionIds,
  otherSessionIds,
  recordSessionUse,
  writeSessionCookies,
} from './browser.ts';

export interface SignedInAccount extends Session {
  /** A secret, sent only in cookies. */
  id: string;
  /** Whether this is the account that pages and authorization requests use. */
  active: boolean;
}

/**
 * The active account is first.
 * @param options.needsActive whether to return an empty array if the active session isn't live
 */
export async function findSignedInAccounts(
  request: FastifyRequest,
  services: Services,
  { needsActive = false } = {},
): Promise<SignedInAccount[]> {
  const active = activeSessionId(request);
  const findLive = (ids: readonly string[]) => findSessionsById(services.database, ids, services.now());
  let live = await findLive(allSessionIds(request).filter((id) => !needsActive || id === active));
  if (needsActive && live.size > 0) live = new Map([...live, ...(await findLive(otherSessionIds(request)))]);
  const accounts: SignedInAccount[] = [];
  for (const [id, session] of live) {
    if (accounts.some(({ userId }) => userId === session.userId)) continue;
    accounts.push({ ...session, id, active: id === active });
  }
  const [first] = accounts;
  if (first?.active) recordSessionUse(request, services, first);
  return accounts;
}

/** @returns the accounts that stay signed in */
export async function signOutAccounts(
  reply: FastifyReply,
  services: Services,
  { accounts, ended }: { accounts: readonly SignedInAccount[]; ended: readonly SignedInAccount[] },
): Promise<SignedInAccount[]> {
  const ip = clientNetwork(reply.request);
  for (const session of ended) await signOut(services.database, session, ip, services.now());
  const remaining = accounts.filter((account) => !ended.includes(account));
  const others = remaining.filter(({ active }) => !active).map(({ id }) => id);
  if (ended.length > 0) writeSessionCookies(reply, remaining.find(({ active }) => active)?.id, others);
  return remaining;
}
