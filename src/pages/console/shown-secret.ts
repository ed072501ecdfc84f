// A secret that a form has just made, shown for a while in the browser that sent it (ADR 11): the cookie that says which form.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import type { OneUseForm } from '../../ownership/owner.ts';
import { shownSecret } from '../../ownership/secrets.ts';
import type { Kind } from '../../store/owned.ts';
import { forgetCookie, readCookie, writeCookie } from '../../web/cookies.ts';
import { ownerOf } from './sections.ts';

/** The number of a secret in the address. @throws OAuthError `not_found` */
export function secretNumberOf(request: FastifyRequest): number {
  const { number = '' } = request.params as { number?: string };
  if (!/^[1-9]\d{0,8}$/.test(number)) throw notFound();
  return Number(number);
}

/** Lets the browser that sent a form show the secret that it made. @param id of the application or the API */
export const letShow = (reply: FastifyReply, id: string, number: number, form: OneUseForm): void =>
  writeCookie(reply, 'shown', form.value, { suffix: suffixOf(id, number) });

/** A secret, for as long as this browser may show it. */
export async function secretToShow(
  request: FastifyRequest,
  parts: Parts,
  kind: Kind,
  id: string,
  number: number,
): Promise<string | undefined> {
  const form = readCookie(request, 'shown', suffixOf(id, number));
  return form && shownSecret(kind, parts, ownerOf(request), id, number, form, parts.now());
}

export const forgetShown = (reply: FastifyReply, id: string, number: number): void =>
  forgetCookie(reply, 'shown', suffixOf(id, number));

const suffixOf = (id: string, number: number): string => `-${id}-${number}`;
