// What was typed into a form whose session was over: on its way through the sign-in page back to its own, sealed for
// the account and the browser, so that no link fills in what somebody else would have its owner send.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { formOf, queryOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { pathOf } from '../http/route-config.ts';
import { sessionDigest } from '../oauth/digests.ts';
import { REFUSED_FORM } from '../oauth/lifetimes.ts';
import { type Parameters, parseParameters } from '../oauth/parameters.ts';
import { findSessionOwner } from '../store/sessions.ts';
import { browserIdsOf, sessionIdOf } from './browser.ts';
import { holderOf, isCsrfToken } from './csrf.ts';

/** The address goes through another one's `next`: both have to be taken by proxies (web/sent-form.ts). */
const LONGEST = 4000;
/** Passwords, codes and passkeys, and what belongs to the session that is over. */
const NOT_KEPT = /password|passkey|^(confirmation_)?code$|^csrf$|^form$/;

interface Kept {
  userId: string;
  /** The browser that it was typed in (web/csrf.ts: `holderOf`): whoever has a session that was ended has not the owner's. */
  holder: string;
  path: string;
  until: number;
  form: string;
}

/**
 * What a form says, for the address of its page: only the account whose session it was can open it, in this browser.
 * @returns undefined where the session is nobody's any more, the browser has no id, or the form is another's, or says too much
 */
export async function keepForm(request: FastifyRequest, parts: Parts): Promise<string | undefined> {
  const id = sessionIdOf(request);
  const [browser] = browserIdsOf(request);
  const form = formOf(request);
  if (id === undefined || browser === undefined) return undefined;
  if (!isCsrfToken(parts.sealer, form.get('csrf'), [id])) return undefined;
  const userId = await findSessionOwner(parts.database, sessionDigest(id));
  if (userId === undefined) return undefined;
  const said = new URLSearchParams(form.entries.filter(([name]) => !NOT_KEPT.test(name)));
  const until = parts.now().getTime() + REFUSED_FORM * 1000;
  const holder = holderOf(parts.sealer, browser);
  const kept: Kept = { userId, holder, path: pathOf(request), until, form: String(said) };
  const sealed = parts.sealer.seal('kept-form', deflateRawSync(JSON.stringify(kept)));
  return sealed.length > LONGEST ? undefined : sealed;
}

/** What `kept` in the address of a page says, where it was this account's, this browser's and this page's. */
export function keptForm(request: FastifyRequest, parts: Parts): Parameters | undefined {
  const text = queryOf(request).get('kept');
  const bytes = text === undefined ? undefined : parts.sealer.open('kept-form', text);
  if (bytes === undefined) return undefined;
  const { userId, holder, path, until, form } = JSON.parse(inflateRawSync(bytes).toString('utf8')) as Kept;
  const valid =
    userId === request.member?.userId &&
    browserIdsOf(request).some((id) => holderOf(parts.sealer, id) === holder) &&
    path === pathOf(request) &&
    until > parts.now().getTime();
  return valid ? parseParameters(form) : undefined;
}
