// Settings: the only reader of the environment and of the files it names.
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { SETTINGS, type SettingKey } from './settings/table.ts';
import { file, rpId } from './settings/values.ts';

type Values = { [Key in SettingKey]: z.output<(typeof SETTINGS)[Key]['schema']> };
type Given = Record<string, string | undefined>;

/**
 * Rules between settings. They check the given texts, so that they are reported together with errors of single settings.
 * A secret whose file can't be read is present without a value.
 */
function errorsBetween(given: Given): string[] {
  const host = hostOf(given.BASE_URL);
  const production = given.NODE_ENV === 'production';
  const rules: [broken: boolean, error: string][] = [
    [
      'TLS_CERT_FILE' in given !== 'TLS_KEY_FILE' in given,
      'TLS_CERT_FILE and TLS_KEY_FILE go together: set both or neither',
    ],
    [
      given.METRICS_PORT?.replace(/^.*:/, '') === (given.PORT ?? '3000'),
      'METRICS_PORT must be another port than PORT',
    ],
    [
      'SMTP_URL' in given && given.MAIL_FROM === undefined,
      'MAIL_FROM is required with SMTP_URL: the address that mails come from',
    ],
    [
      rpId.safeParse(given.PASSKEY_RP_ID).success && !`.${host}`.endsWith(`.${given.PASSKEY_RP_ID}`),
      `PASSKEY_RP_ID must be the host of BASE_URL, ${host}, or a domain above it`,
    ],
    [
      production && /http:|:\d/.test(given.AGENTS ?? ''),
      'AGENTS must hold https origins without a port in production',
    ],
    [production && given.BASE_URL === undefined, 'BASE_URL is required in production'],
    [
      production && given.BASE_URL !== undefined && !/^https:/i.test(given.BASE_URL),
      'BASE_URL must begin with https:// in production',
    ],
    [production && !('DATABASE_URL' in given), 'DATABASE_URL is required in production'],
    [
      production && !('SECRET_KEY' in given),
      'SECRET_KEY is required in production: at least 32 random characters',
    ],
  ];
  return rules.flatMap(([broken, error]) => (broken ? [error] : []));
}

const hostOf = (baseUrl = 'http://localhost'): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';

/** The settings can't be used; `faults` holds a line for each error. */
export class ConfigError extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/**
 * Reads the settings from an environment. An empty value counts as absent.
 * @throws ConfigError with all errors at once
 */
export function readConfig(environment: Given): Config {
  const errors: string[] = [];
  const given: Given = {};
  const values: Record<string, unknown> = {};
  for (const [key, { name, schema, ...setting }] of Object.entries(SETTINGS)) {
    if (environment[name]) given[name] = environment[name];
    const path = 'secret' in setting ? environment[`${name}_FILE`] : undefined;
    if (path) {
      if (name in given) errors.push(`${name} and ${name}_FILE are both set: use one`);
      const read = file.safeParse(path);
      if (!read.success) errors.push(`${name}_FILE ${read.error.issues[0]?.message}`);
      given[name] = read.data?.toString('utf8').trim();
    }
    const parsed = schema.safeParse(given[name]);
    if (parsed.success) values[key] = parsed.data;
    else errors.push(...parsed.error.issues.map(({ message }) => `${name} ${message}`));
  }
  errors.push(...errorsBetween(given));
  if (errors.length > 0) throw new ConfigError(errors);
  return configOf(values as Values);
}

/** The settings in force, read once and passed down. Durations are in seconds. */
export interface Config extends ReturnType<typeof configOf> {}

function configOf(values: Values) {
  const { environment, tlsCert: cert, tlsKey: key } = values;
  const baseUrl = values.baseUrl ?? `${cert === undefined ? 'http' : 'https'}://localhost:${values.port}`;
  const production = environment === 'production';
  return {
    ...values,
    production,
    /** Development logs for people and names cookies after each instance. Tests are neither this nor production. */
    development: environment === 'development',
    /** The issuer and the root of every link. */
    baseUrl,
    /** Whether the public URL is https: Secure cookies, HSTS. */
    secure: baseUrl.startsWith('https://'),
    cookiePrefix: cookiePrefixOf(environment, baseUrl),
    tls: cert && key && { cert, key },
    secondFactor: values.secondFactor ?? (production ? 'operators' : 'optional'),
    passkeyRpId: values.passkeyRpId ?? hostOf(baseUrl),
  };
}

/**
 * The prefix of cookie names. `__Host-` ties a cookie to this host and to HTTPS; browsers refuse it over plain HTTP. The
 * ports of a host share their cookies, so in development each instance has separate names.
 */
function cookiePrefixOf(environment: string, baseUrl: string): string {
  const name = `${baseUrl.startsWith('https://') ? '__Host-' : ''}sesame`;
  if (environment !== 'development') return name;
  return `${name}-${createHash('sha256').update(baseUrl).digest('hex').slice(0, 6)}`;
}
