// What this browser shows to be trusted by accounts, so that they ask for their password alone (D44): a token for each, in
// one cookie. Which account a token is of, and whether it still counts, the database knows.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { trustedBrowserDigest } from '../oauth/digests.ts';
import { readCookie, writeCookie } from './cookies.ts';

/** Accounts remembered at a time, the latest first. */
const REMEMBERED = 5;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
/** Between the tokens: nothing that one may hold. */
const SEPARATOR = '.';

const tokensOf = (request: FastifyRequest): string[] =>
  (readCookie(request, 'trusted')?.split(SEPARATOR) ?? [])
    .filter((token) => TOKEN.test(token))
    .slice(0, REMEMBERED);

/** What it shows, as the database knows it. */
export const trustedHashes = (request: FastifyRequest): Buffer[] =>
  tokensOf(request).map(trustedBrowserDigest);

/** Keeps one more. */
export function keepTrust(reply: FastifyReply, token: string): void {
  const tokens = [token, ...tokensOf(reply.request)].slice(0, REMEMBERED);
  writeCookie(reply, 'trusted', tokens.join(SEPARATOR));
}
