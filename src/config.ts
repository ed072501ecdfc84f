// Reads and validates the settings, from environment variables and secret files.
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { getDerivedDefaults, getHost } from './settings/defaults.ts';
import { SETTINGS, type SettingKey } from './settings/table.ts';
import { file, rpId } from './settings/validation.ts';

type SettingValues = { [Key in SettingKey]: z.output<(typeof SETTINGS)[Key]['schema']> };
type RawSettings = Record<string, string | undefined>;

/**
 * Checks rules that involve several settings.
 * @param raw unparsed values, or undefined for a secret whose file can't be read
 */
function findConflicts(raw: RawSettings): string[] {
  const host = getHost(raw.BASE_URL);
  const production = raw.NODE_ENV === 'production';
  const rules: [broken: boolean, error: string][] = [
    ['TLS_CERT_FILE' in raw !== 'TLS_KEY_FILE' in raw, 'TLS_CERT_FILE and TLS_KEY_FILE must be set together'],
    [raw.METRICS_PORT?.replace(/^.*:/, '') === (raw.PORT ?? '3000'), 'METRICS_PORT must differ from PORT'],
    ['SMTP_URL' in raw && raw.MAIL_FROM === undefined, 'MAIL_FROM is required if SMTP_URL is set'],
    [
      rpId.safeParse(raw.PASSKEY_RP_ID).success && !`.${host}`.endsWith(`.${raw.PASSKEY_RP_ID}`),
      `PASSKEY_RP_ID must be the host of BASE_URL (${host}) or one of its parent domains`,
    ],
    [
      production && /http:|:\d/.test(raw.AGENTS ?? ''),
      'AGENTS must contain only https origins without a port in production',
    ],
    [production && raw.BASE_URL === undefined, 'BASE_URL is required in production'],
    [
      production && raw.BASE_URL !== undefined && !/^https:/i.test(raw.BASE_URL),
      'BASE_URL must begin with https:// in production',
    ],
    [production && !('DATABASE_URL' in raw), 'DATABASE_URL is required in production'],
    [
      production && !('SECRET_KEY' in raw),
      'SECRET_KEY is required in production and must have at least 32 random characters',
    ],
  ];
  return rules.flatMap(([broken, error]) => (broken ? [error] : []));
}

export class ConfigError extends Error {
  readonly errors: string[];
  constructor(errors: string[]) {
    super(errors.join('\n'));
    this.errors = errors;
  }
}

/**
 * Empty environment variables count as unset.
 * @throws ConfigError with all errors
 */
export function readConfig(environment: RawSettings): Config {
  const errors: string[] = [];
  const raw: RawSettings = {};
  const values: Record<string, unknown> = {};
  for (const [key, { name, schema, ...setting }] of Object.entries(SETTINGS)) {
    if (environment[name]) raw[name] = environment[name];
    const path = 'secret' in setting ? environment[`${name}_FILE`] : undefined;
    if (path) {
      if (name in raw) errors.push(`${name} and ${name}_FILE are both set. Use only one`);
      const read = file.safeParse(path);
      if (!read.success) errors.push(`${name}_FILE ${read.error.issues[0]?.message}`);
      raw[name] = read.data?.toString('utf8').trim();
    }
    const parsed = schema.safeParse(raw[name]);
    if (parsed.success) values[key] = parsed.data;
    else errors.push(...parsed.error.issues.map(({ message }) => `${name} ${message}`));
  }
  errors.push(...findConflicts(raw));
  if (errors.length > 0) throw new ConfigError(errors);
  return buildConfig(values as SettingValues);
}

/** The validated settings. Durations are in seconds. */
export interface Config extends ReturnType<typeof buildConfig> {}

function buildConfig(values: SettingValues) {
  const { environment, tlsCert: cert, tlsKey: key } = values;
  const defaults = getDerivedDefaults(values);
  const baseUrl = values.baseUrl ?? defaults.baseUrl;
  const production = environment === 'production';
  return {
    ...values,
    production,
    /** In tests, `development` and `production` are both false. */
    development: environment === 'development',
    baseUrl,
    secure: baseUrl.startsWith('https://'),
    cookiePrefix: buildCookiePrefix(environment, baseUrl),
    tls: cert && key && { cert, key },
    mfaPolicy: values.mfaPolicy ?? defaults.mfaPolicy,
    passkeyRpId: values.passkeyRpId ?? defaults.passkeyRpId,
  };
}

/**
 * `__Host-` binds cookies to this host and requires HTTPS. In development, the prefix differs per instance because all
 * ports of a host share cookies.
 */
function buildCookiePrefix(environment: string, baseUrl: string): string {
  const name = `${baseUrl.startsWith('https://') ? '__Host-' : ''}sesame`;
  if (environment !== 'development') return name;
  return `${name}-${createHash('sha256').update(baseUrl).digest('hex').slice(0, 6)}`;
}
