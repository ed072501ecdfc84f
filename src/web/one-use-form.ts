// Forms that are good for one use, because what answers them is shown once: a value that only this session can send.
import type { FastifyRequest } from 'fastify';
import { formOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { randomSecret } from '../oauth/secrets.ts';
import type { OneUseForm } from '../ownership/owner.ts';
import { formRefused } from './csrf.ts';

/** A fresh value for the hidden field `form`. */
export const newFormValue = randomSecret;

/**
 * The value that a form brings. It counts as used for as long as the session can last; after that the form's CSRF token
 * is nobody's.
 * @throws PageFault 403 when it brings none
 */
export function oneUseForm(request: FastifyRequest, { config, now }: Parts): OneUseForm {
  const value = formOf(request).get('form') ?? '';
  if (!/^[A-Za-z0-9_-]{43}$/.test(value)) throw formRefused();
  return { value, until: new Date(now().getTime() + config.sessionTtl * 1000) };
}
