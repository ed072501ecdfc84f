// Schemas of setting values, with the error of each.
import { readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { accentFault, type Hex, parseHex } from '../branding/accent.ts';
import { type ImageFile, readImage } from '../branding/image-file.ts';

/** A number without sign or fraction, within bounds. */
export const wholeNumber = (minimum: number, maximum: number) =>
  z.string().transform((text, context) => {
    const number = Number(text);
    if (/^\d{1,10}$/.test(text) && number >= minimum && number <= maximum) return number;
    context.addIssue(`must be a whole number from ${minimum} to ${maximum}, not ${JSON.stringify(text)}`);
    return z.NEVER;
  });

// Four-part IPv4 only: the library also takes 10.1 and 2130706433, which an operator hardly means.
const isAddress = (text: string) => ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
const isNetwork = (text: string) =>
  !text.includes('%') &&
  isAddress(text.split('/')[0] ?? '') &&
  (!text.includes('/') || ipaddr.isValidCIDR(text));

/** A list separated by spaces or commas. Each entry that isn't valid has its own error. */
const listOf = (isValid: (entry: string) => boolean, expected: string) =>
  z.string().transform((text, context) => {
    const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
    for (const entry of entries)
      if (!isValid(entry)) context.addIssue(`${JSON.stringify(entry)} is not ${expected}`);
    return entries;
  });

export const networks = listOf(isNetwork, 'an IP address or CIDR range');

/**
 * Scheme, host and port, spelled as browsers do: it is compared as text. The message names the right spelling where there
 * is one.
 */
export const origin = z.string().superRefine((text, context) => {
  const fault = originFault(text);
  if (fault !== undefined) context.addIssue(fault);
});

function originFault(text: string): string | undefined {
  const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined)
    return 'must be an origin without path or trailing slash, such as https://signin.example.com';
  return url.origin === text ? undefined : `must be written ${url.origin}`;
}

/** A host to listen on: an IPv6 address stands without brackets here. */
export const listenHost = z.string().superRefine((text, context) => {
  const bare = /^\[(.*)\]$/.exec(text)?.[1];
  if (bare !== undefined) context.addIssue(`must be written without brackets: ${bare}`);
});

// What WebAuthn calls a valid domain, which an IP address is not; of a top-level domain no browser makes passkeys.
export const rpId = z
  .string()
  .regex(/^(localhost|([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9])$/, {
    error: 'must be a domain in lower case, such as example.com',
  });

/** Origins over https. */
export const origins = listOf(
  (entry) => entry.startsWith('https:') && origin.safeParse(entry).success,
  'an origin such as https://signin.example.org',
);

// A page of the operator's own, wherever it is. Only what browsers open: every page of ours links to it.
export const webPage = z.string().refine(isWebPage, {
  error: 'must be the address of a page, such as https://www.example.com/privacy',
});

function isWebPage(text: string): boolean {
  if (!/^https?:\/\/[^\s"<>\\\p{C}]+$/u.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** A colour that can be read on light pages. */
export const accent = z.string().transform((text, context): Hex => {
  const colour = parseHex(text);
  const error =
    colour === undefined
      ? `must be a colour such as #0b6e4f, not ${JSON.stringify(text)}`
      : accentFault(colour);
  if (error !== undefined) context.addIssue(error);
  return colour ?? z.NEVER;
});

/** Whether a URL parses and its user name and password are percent-encoded. */
function isEncoded(text: string): boolean {
  if (text.includes('#') || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  try {
    decodeURIComponent(`${username}${password}`);
    return true;
  } catch {
    return false;
  }
}

// The errors of these never repeat the value, which may hold a password.
const ENCODE =
  'percent-encode what is special in the user name and the password: # is %23, / is %2F, ? is %3F, @ is %40, % is %25';

/** One database. The driver would take a list of hosts for the name of one. */
export const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { error: 'must begin with postgres://', abort: true })
  .refine(isEncoded, { error: `can't be read as a URL of one host: ${ENCODE}`, abort: true })
  .refine(
    (text) => {
      const { hostname, searchParams } = new URL(text);
      return ![hostname, ...searchParams.getAll('host')].some((host) => /,|%2c/i.test(host));
    },
    { error: 'must name one host, not a list' },
  );

/** One Redis. */
export const redisUrl = z
  .string()
  .regex(/^rediss?:\/\//, { error: 'must begin with redis:// or rediss://', abort: true })
  .refine(isEncoded, { error: `can't be read as a URL: ${ENCODE}` });

/** One mail server. */
export const smtpUrl = z
  .string()
  .refine((text) => /^smtps?:\/\/[^\s]+$/.test(text) && isEncoded(text) && new URL(text).hostname !== '', {
    error: 'must be one address that begins with smtp:// or smtps://, user name and password percent-encoded',
  });

// An address, or a name before one in angle brackets: what a mail may say it comes from.
const ADDRESS = '[^\\p{C}\\s<>"@,;]+@[^\\p{C}\\s<>"@,;]+';
export const mailFrom = z
  .string()
  .trim()
  .regex(new RegExp(`^(${ADDRESS}|[^\\p{C}<>"@]+ <${ADDRESS}>)$`, 'u'), {
    error: 'must be an address, such as no-reply@example.com or Sign-in <no-reply@example.com>',
  });

/** An email address without a name, or a page. */
export const contact = z
  .string()
  .trim()
  .refine((text) => isWebPage(text) || new RegExp(`^${ADDRESS}$`, 'u').test(text), {
    error: 'must be an email address or a page, such as help@example.com or https://www.example.com/help',
  });

/** What nobody guesses. */
export const secret = z.string().refine((text) => text.length >= 32 && new Set(text).size >= 10, {
  error: 'is too weak: use at least 32 random characters, for example from `openssl rand -base64 48`',
});

const LOOPBACK_ORIGIN = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/;

/** Origins of agents, or `*`: https, and outside production (see config.ts) http on this machine. */
export const agents = listOf(
  (entry) =>
    entry === '*' ||
    (origin.safeParse(entry).success && (entry.startsWith('https:') || LOOPBACK_ORIGIN.test(entry))),
  '* or an origin such as https://agent.example.org',
);

/** A switch. */
export const onOff = (initial: 'on' | 'off') =>
  z
    .enum(['on', 'off'])
    .default(initial)
    .transform((text) => text === 'on');

/** A port, optionally with the host to listen on before it: 9464, 127.0.0.1:9464, [::1]:9464. */
export const metricsPort = z.string().refine(
  (text) => {
    const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
    const validHost = host === undefined || (URL.canParse(`http://${host}:1`) && !/[/@?#]/.test(host));
    return validHost && Number(port) >= 1 && Number(port) <= 65_535;
  },
  { error: 'must be a port from 1 to 65535, or a host and a port such as 127.0.0.1:9464' },
);

/** The content of the file that a path names. */
export const file = z.string().transform((path, context): Buffer => {
  try {
    return readFileSync(path);
  } catch (error) {
    context.addIssue(`cannot be read: ${path} (${(error as NodeJS.ErrnoException).code})`);
    return z.NEVER;
  }
});

/** The picture in the file that a path names, of so many bytes at most. */
export const imageFile = (maxBytes: number) =>
  z.string().transform((path, context): ImageFile => {
    const content = file.safeParse(path);
    const image = content.success
      ? readImage(content.data, maxBytes)
      : { fault: content.error.issues[0]?.message ?? '' };
    if (!('fault' in image)) return image;
    context.addIssue(content.success ? `${path} ${image.fault}` : image.fault);
    return z.NEVER;
  });
