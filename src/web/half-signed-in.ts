// Between the password and the second factor: what was shown so far travels sealed in the address, for this browser and ten
// minutes. It is no session, and nothing takes it for one.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { passwordMark } from '../credentials/second-factor.ts';
import type { HalfSignedIn } from '../credentials/sign-in.ts';
import { parametersOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { HALF_SIGNED_IN } from '../oauth/lifetimes.ts';
import { openFormHolder } from './asking.ts';
import { browserIdsOf } from './browser.ts';
import { holderOf } from './csrf.ts';
import { entranceAddress, type Onward, withParameter } from './entering.ts';

const PURPOSE = 'half-signed-in';

interface Sealed {
  holder: string;
  userId: string;
  /** Of the password that was right (credentials/second-factor.ts). */
  mark: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Where the second factor is asked for. */
export function secondFactorAddress(
  reply: FastifyReply,
  parts: Parts,
  { userId, passwordHash }: HalfSignedIn,
  onward: Onward,
): string {
  const { sealer, now } = parts;
  const holder = openFormHolder(reply, parts);
  const mark = passwordMark(sealer, passwordHash);
  const sealed: Sealed = { holder, userId, mark, at: now().getTime() };
  return addressWith(sealer.sealJson(PURPOSE, sealed), onward);
}

const addressWith = (half: string, onward: Onward): string =>
  withParameter(entranceAddress('/signin/second-factor', onward), 'half', half);

/** Who is half signed in in this browser, and for how long; undefined where nobody is, or not any more. */
export function halfSignedIn(
  request: FastifyRequest,
  { sealer, now }: Parts,
): { text: string; userId: string; mark: string; address: (onward: Onward) => string } | undefined {
  const text = parametersOf(request).get('half');
  const sealed = sealer.openJson<Sealed>(PURPOSE, text);
  if (text === undefined || sealed === undefined) return undefined;
  const { holder, userId, mark, at } = sealed;
  const isHere = browserIdsOf(request).some((id) => holderOf(sealer, id) === holder);
  if (!isHere || at + HALF_SIGNED_IN * 1000 < now().getTime()) return undefined;
  return { text, userId, mark, address: (onward) => addressWith(text, onward) };
}
