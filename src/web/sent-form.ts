// What a form said and was refused for, on its way from the POST to the page that shows it: sealed in that page's address.

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LOCALES, type Locale, messagesFor } from '../i18n/index.ts';
import { usedFormDigest } from '../oauth/digests.ts';
import { REFUSED_FORM } from '../oauth/lifetimes.ts';
import { createSealer, type Sealer } from '../oauth/seal.ts';
import { randomSecret } from '../oauth/secrets.ts';
import type { Queryable } from '../store/database.ts';
import { findKeptAnswer, keepRefused } from '../store/used-forms.ts';
import { type Fault, inWords } from './faults.ts';
import type { FormError } from './html/form.ts';

/** Proxies and servers take addresses of 8,000 characters; this page's own parameters need their share. */
const LONGEST = 5000;

/** A form that leads back to its page: what is wrong with it in each language, if anything, and what it said. */
export interface SentForm<Fields> {
  status: number;
  errors: Record<Locale, FormError[]>;
  fields: Fields;
  /** The id of the passkey that it brought, where there is none such here. */
  unknownPasskey?: string | undefined;
}

/** @param fields what the page shows again; never a password */
export const refusedForm = <Fields>(
  fields: Fields,
  faults: readonly Fault[],
  status: number,
): SentForm<Fields> => ({
  status,
  errors: Object.fromEntries(
    LOCALES.map((locale) => [locale, inWords(faults, messagesFor(locale))]),
  ) as SentForm<Fields>['errors'],
  fields,
});

interface Ticket {
  /** Whose form it is (web/csrf.ts: `holderOf`): anybody else is shown an empty form. */
  holder: string;
  path: string;
  now: Date;
}

interface Envelope<Fields> extends SentForm<Fields> {
  holder: string;
  path: string;
  until: number;
}

/** The value of `sent` in the address of the page; undefined when the form said too much for an address. */
export function sealSent<Fields>(
  sealer: Sealer,
  form: SentForm<Fields>,
  { holder, path, now }: Ticket,
  longest = LONGEST,
): string | undefined {
  const envelope: Envelope<Fields> = { ...form, holder, path, until: now.getTime() + REFUSED_FORM * 1000 };
  const sealed = sealer.seal('sent-form', deflateRawSync(JSON.stringify(envelope)));
  return sealed.length > longest ? undefined : sealed;
}

/** What `sent` in the address of a page says, where it was sealed for this page and this holder. */
export function openSent<Fields>(
  sealer: Sealer,
  text: string,
  { holder, path, now }: Ticket,
): SentForm<Fields> | undefined {
  const bytes = sealer.open('sent-form', text);
  if (bytes === undefined) return undefined;
  const envelope = JSON.parse(inflateRawSync(bytes).toString('utf8')) as Envelope<Fields>;
  const valid = envelope.holder === holder && envelope.path === path && envelope.until > now.getTime();
  return valid ? envelope : undefined;
}

interface Parts {
  database: Queryable;
  sealer: Sealer;
}

/**
 * The value of `sent` for a form that says more than an address can carry: it waits in the database, one for each session
 * and page, under a key that stands in that address alone. Neither the database nor SECRET_KEY has what opens it.
 */
export async function keepLong<Fields>(
  { database, sealer }: Parts,
  form: SentForm<Fields>,
  ticket: Ticket,
): Promise<string | undefined> {
  const value = randomSecret();
  const sealed = sealSent(sealerOf(sealer, value), form, ticket, Number.POSITIVE_INFINITY);
  const until = new Date(ticket.now.getTime() + REFUSED_FORM * 1000);
  if (sealed !== undefined) await keepRefused(database, keyOf(ticket), sealed, until);
  return sealed && value;
}

/** What such a form said. */
export async function openLong<Fields>(
  { database, sealer }: Parts,
  value: string,
  ticket: Ticket,
): Promise<SentForm<Fields> | undefined> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(value)) return undefined;
  const sealed = await findKeptAnswer(database, keyOf(ticket), ticket.now);
  return sealed ? openSent(sealerOf(sealer, value), sealed, ticket) : undefined;
}

const keyOf = ({ holder, path }: Ticket): Buffer => usedFormDigest('refused', holder, path);

const sealerOf = (sealer: Sealer, value: string): Sealer =>
  createSealer(sealer.mac('refused form', value).toString('base64url'));
