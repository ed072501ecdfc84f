// Schemas that validate setting values, with their error messages.
import { readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { type Hex, parseHex, validateAccent } from '../branding/accent.ts';
import { type ImageFile, parseImage } from '../branding/image-file.ts';

export const wholeNumberSetting = (minimum: number, maximum: number) =>
  z.string().transform((text, context) => {
    const number = Number(text);
    if (/^\d{1,10}$/.test(text) && number >= minimum && number <= maximum) return number;
    context.addIssue(`must be a whole number from ${minimum} to ${maximum}, not ${JSON.stringify(text)}`);
    return z.NEVER;
  });

// Rejects 10.1 and 2130706433, which the library accepts as IPv4 addresses.
const isIp = (text: string) => ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
const isNetwork = (text: string) =>
  !text.includes('%') && isIp(text.split('/')[0] ?? '') && (!text.includes('/') || ipaddr.isValidCIDR(text));

/** Parses a list separated by spaces or commas. Reports one error per invalid entry. */
const defineList = (isValid: (entry: string) => boolean, expected: string) =>
  z.string().transform((text, context) => {
    const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
    for (const entry of entries)
      if (!isValid(entry)) context.addIssue(`${JSON.stringify(entry)} is not ${expected}`);
    return entries;
  });

export const networks = defineList(isNetwork, 'an IP address or CIDR range');

/** Origins are compared as strings, so they must be written as browsers serialize them. */
export const origin = z.string().superRefine((text, context) => {
  const error = findOriginError(text);
  if (error !== undefined) context.addIssue(error);
});

function findOriginError(text: string): string | undefined {
  const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined)
    return 'must be an origin without a path or trailing slash, such as https://signin.example.com';
  return url.origin === text ? undefined : `must be written as ${url.origin}`;
}

export const listenHost = z.string().superRefine((text, context) => {
  const unbracketed = /^\[(.*)\]$/.exec(text)?.[1];
  if (unbracketed !== undefined) context.addIssue(`must be written without brackets: ${unbracketed}`);
});

// WebAuthn doesn't allow IP addresses, and browsers refuse top-level domains.
export const rpId = z
  .string()
  .regex(/^(localhost|([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9])$/, {
    error: 'must be a lowercase domain, such as example.com',
  });

export const origins = defineList(
  (entry) => entry.startsWith('https:') && origin.safeParse(entry).success,
  'an origin such as https://signin.example.org',
);

export const webPage = z.string().refine(isWebPage, {
  error: 'must be the URL of a page, such as https://www.example.com/privacy',
});

function isWebPage(text: string): boolean {
  if (!/^https?:\/\/[^\s"<>\\\p{C}]+$/u.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

export const accent = z.string().transform((text, context): Hex => {
  const color = parseHex(text);
  const error =
    color === undefined
      ? `must be a color such as #0b6e4f, not ${JSON.stringify(text)}`
      : validateAccent(color);
  if (error !== undefined) context.addIssue(error);
  return color ?? z.NEVER;
});

/** Checks that the user name and password are percent-encoded. */
function isPercentEncoded(text: string): boolean {
  if (text.includes('#') || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  try {
    decodeURIComponent(`${username}${password}`);
    return true;
  } catch {
    return false;
  }
}

// Omits the URL, which may contain a password.
const PERCENT_ENCODING_HINT =
  'percent-encode special characters in the user name and password: # is %23, / is %2F, ? is %3F, @ is %40, % is %25';

/** The driver would treat a list of hosts as one host name, so lists are rejected. */
export const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { error: 'must begin with postgres://', abort: true })
  .refine(isPercentEncoded, {
    error: `can't be read as a URL with one host: ${PERCENT_ENCODING_HINT}`,
    abort: true,
  })
  .refine(
    (text) => {
      const { hostname, searchParams } = new URL(text);
      return ![hostname, ...searchParams.getAll('host')].some((host) => /,|%2c/i.test(host));
    },
    { error: 'must contain one host, not a list' },
  );

export const redisUrl = z
  .string()
  .regex(/^rediss?:\/\//, { error: 'must begin with redis:// or rediss://', abort: true })
  .refine(isPercentEncoded, { error: `is not a valid URL: ${PERCENT_ENCODING_HINT}` });

export const smtpUrl = z
  .string()
  .refine(
    (text) => /^smtps?:\/\/[^\s]+$/.test(text) && isPercentEncoded(text) && new URL(text).hostname !== '',
    {
      error:
        'must be one URL that begins with smtp:// or smtps://, with a percent-encoded user name and password',
    },
  );

const EMAIL_PATTERN = '[^\\p{C}\\s<>"@,;]+@[^\\p{C}\\s<>"@,;]+';

/** An email address with an optional name: `sesame@example.org` or `Sésame <sesame@example.org>`. */
export const mailFrom = z
  .string()
  .trim()
  .regex(new RegExp(`^(${EMAIL_PATTERN}|[^\\p{C}<>"@]+ <${EMAIL_PATTERN}>)$`, 'u'), {
    error: 'must be an email address, such as no-reply@example.com or Sign-in <no-reply@example.com>',
  });

export const contact = z
  .string()
  .trim()
  .refine((text) => isWebPage(text) || new RegExp(`^${EMAIL_PATTERN}$`, 'u').test(text), {
    error:
      'must be an email address or the URL of a page, such as help@example.com or https://www.example.com/help',
  });

export const secret = z.string().refine((text) => text.length >= 32 && new Set(text).size >= 10, {
  error: 'is too weak: use at least 32 random characters, for example from `openssl rand -base64 48`',
});

const LOOPBACK_ORIGIN = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/;

/** `*` or origins. http is allowed only on loopback in development (config.ts checks this). */
export const agents = defineList(
  (entry) =>
    entry === '*' ||
    (origin.safeParse(entry).success && (entry.startsWith('https:') || LOOPBACK_ORIGIN.test(entry))),
  '* or an origin such as https://agent.example.org',
);

export const onOff = (defaultValue: 'on' | 'off') =>
  z
    .enum(['on', 'off'])
    .default(defaultValue)
    .transform((text) => text === 'on');

/** A port with an optional host: 9464, 127.0.0.1:9464 or [::1]:9464. */
export const metricsPort = z.string().refine(
  (text) => {
    const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
    const validHost = host === undefined || (URL.canParse(`http://${host}:1`) && !/[/@?#]/.test(host));
    return validHost && Number(port) >= 1 && Number(port) <= 65_535;
  },
  { error: 'must be a port from 1 to 65535, or a host and a port such as 127.0.0.1:9464' },
);

export const file = z.string().transform((path, context): Buffer => {
  try {
    return readFileSync(path);
  } catch (error) {
    context.addIssue(`can't be read: ${path} (${(error as NodeJS.ErrnoException).code})`);
    return z.NEVER;
  }
});

export const imageFile = (maxBytes: number) =>
  z.string().transform((path, context): ImageFile => {
    const content = file.safeParse(path);
    const image = content.success
      ? parseImage(content.data, maxBytes)
      : { error: content.error.issues[0]?.message ?? '' };
    if (!('error' in image)) return image;
    context.addIssue(content.success ? `${path} ${image.error}` : image.error);
    return z.NEVER;
  });
