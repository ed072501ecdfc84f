// Settings: the only reader of the environment, and of the files that settings name, with how large those may be. Every fault is
// reported at once, a line each.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type ImageFile, readImage } from './branding/image-file.ts';
import { SECOND_FACTOR_RULES } from './oauth/authentication-methods.ts';
import {
  accentFor,
  agentOrigins,
  databaseUrl,
  listenHost,
  mailAddress,
  mailFrom,
  networks,
  origin,
  origins,
  redisUrl,
  rpId,
  secret,
  smtpUrl,
  webPage,
  wholeNumber,
} from './settings/values.ts';

/** Settings that may be given as NAME_FILE: the value is the content of that file. */
const FROM_FILE = [
  'DATABASE_URL',
  'REDIS_URL',
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'METRICS_TOKEN',
  'SMTP_URL',
];

const TEN_YEARS = 315_360_000;
const NINETY_DAYS = 7_776_000;

const schema = z.object({
  NODE_ENV: z.enum(['production', 'development', 'test']).default('development'),
  HOST: listenHost.default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  BASE_URL: origin.optional(),
  SERVICE_NAME: z.string().trim().min(1).max(60).default('Sésame'),
  LOGO_FILE: z.string().optional(),
  LOGO_DARK_FILE: z.string().optional(),
  SIDE_PICTURE: z.enum(['door', 'none']).optional(),
  SIDE_PICTURE_FILE: z.string().optional(),
  ACCENT_COLOR: accentFor('light').optional(),
  ACCENT_COLOR_DARK: accentFor('dark').optional(),
  SUPPORT_EMAIL: mailAddress.optional(),
  SUPPORT_URL: webPage.optional(),
  PRIVACY_URL: webPage.optional(),
  TERMS_URL: webPage.optional(),
  LEGAL_NOTICE_URL: webPage.optional(),
  ACCESSIBILITY_URL: webPage.optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_POOL_SIZE: wholeNumber(1, 1000).default(10),
  DATABASE_PREPARE: z.enum(['on', 'off']).default('on'),
  REDIS_URL: redisUrl.optional(),
  SECRET_KEY: secret.optional(),
  SECRET_KEY_PREVIOUS: secret.optional(),
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  TRUSTED_PROXIES: networks.default([]),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0, 1_000_000_000).default(60),
  RATE_LIMIT_ALLOW: networks.default([]),
  BACKCHANNEL_ALLOW: networks.default([]),
  AGENTS: z.enum(['off', 'allowlist', 'open']).default('allowlist'),
  AGENT_ORIGINS: agentOrigins.default([]),
  AGENTS_REGISTRATION: z.enum(['on', 'off']).default('off'),
  AUTHORIZATION_CODE_TTL: wholeNumber(1, 600).default(60),
  ACCESS_TOKEN_TTL: wholeNumber(1, 86_400).default(3600),
  REFRESH_TOKEN_IDLE_TTL: wholeNumber(1, TEN_YEARS).default(2_592_000),
  REFRESH_TOKEN_MAX_TTL: wholeNumber(0, TEN_YEARS).default(0),
  SESSION_TTL: wholeNumber(60, TEN_YEARS).default(1_209_600),
  // Processes look for new keys every few seconds, applications less often: a key has to be known before it signs.
  SIGNING_KEY_ROTATION: wholeNumber(0, TEN_YEARS)
    .refine((seconds) => seconds === 0 || seconds >= 3600, 'must be 0, or 3600 or more')
    .default(7_776_000),
  AUDIT_RETENTION: wholeNumber(60, TEN_YEARS).default(NINETY_DAYS),
  DIAGNOSTICS_RETENTION: wholeNumber(60, TEN_YEARS).default(NINETY_DAYS),
  SESSION_RETENTION: wholeNumber(0, TEN_YEARS).default(NINETY_DAYS),
  ADDRESS_RETENTION: wholeNumber(60, TEN_YEARS).default(NINETY_DAYS),
  ACTIVITY_RETENTION: wholeNumber(86_400, TEN_YEARS).default(NINETY_DAYS),
  SECOND_FACTOR: z.enum(SECOND_FACTOR_RULES).optional(),
  SECOND_FACTOR_RESET_DELAY: wholeNumber(0, 2_592_000).default(86_400),
  PASSKEY_RP_ID: rpId.optional(),
  PASSKEY_RELATED_ORIGINS: origins.default([]),
  SIGN_UP: z.enum(['open', 'closed']).default('open'),
  APPLICATIONS_PER_ACCOUNT: wholeNumber(0, 100_000).default(20),
  APIS_PER_ACCOUNT: wholeNumber(0, 100_000).default(20),
  SIGN_UPS_PER_HOUR: wholeNumber(0, 1_000_000).default(20),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailFrom.optional(),
  MAIL_PER_MAILBOX_PER_HOUR: wholeNumber(1, 1000).default(5),
  MAIL_PER_ADDRESS_PER_HOUR: wholeNumber(0, 1_000_000).default(30),
  METRICS_PORT: wholeNumber(1, 65_535).optional(),
  METRICS_HOST: listenHost.optional(),
  METRICS_TOKEN: secret
    .regex(/^[A-Za-z0-9._~+/-]+=*$/, 'may hold letters, digits and - . _ ~ + / only, then =')
    .optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  DATA_DIR: z.string().min(1).default('data'),
});

/**
 * The rules that hold between settings. They look at what was given, not at what was parsed, so that they are reported
 * together with the faults of single settings. A setting whose file cannot be read is there, without a value.
 */
function faultsBetween(given: Record<string, string | undefined>): string[] {
  const faults: string[] = [];
  if ('TLS_CERT_FILE' in given !== 'TLS_KEY_FILE' in given)
    faults.push('TLS_CERT_FILE and TLS_KEY_FILE go together: set both or neither');
  if (given.METRICS_PORT !== undefined && given.METRICS_PORT === (given.PORT ?? '3000'))
    faults.push('METRICS_PORT must be another port than PORT');
  if ('LOGO_DARK_FILE' in given && given.LOGO_FILE === undefined)
    faults.push('LOGO_DARK_FILE goes with LOGO_FILE: set both, or LOGO_FILE alone');
  if ('SIDE_PICTURE' in given && 'SIDE_PICTURE_FILE' in given)
    faults.push('SIDE_PICTURE and SIDE_PICTURE_FILE are both set: use one');
  if ('ACCENT_COLOR_DARK' in given && given.ACCENT_COLOR === undefined)
    faults.push('ACCENT_COLOR_DARK goes with ACCENT_COLOR: set both, or ACCENT_COLOR alone');
  if ('SMTP_URL' in given && given.MAIL_FROM === undefined)
    faults.push('MAIL_FROM is required with SMTP_URL: the address that mails come from');
  const host = hostOf(given.BASE_URL);
  if (rpId.safeParse(given.PASSKEY_RP_ID).success && !`.${host}`.endsWith(`.${given.PASSKEY_RP_ID}`))
    faults.push(`PASSKEY_RP_ID must be the host of BASE_URL, ${host}, or a domain above it`);
  if (given.AGENTS === 'off' && given.AGENTS_REGISTRATION === 'on')
    faults.push('AGENTS_REGISTRATION=on goes with AGENTS=allowlist or AGENTS=open');
  if (given.NODE_ENV !== 'production') return faults;
  if (/http:|:\d/.test(given.AGENT_ORIGINS ?? ''))
    faults.push('AGENT_ORIGINS must hold https origins without a port in production');
  if (given.BASE_URL === undefined) faults.push('BASE_URL is required in production');
  else if (!/^https:/i.test(given.BASE_URL)) faults.push('BASE_URL must begin with https:// in production');
  if (!('DATABASE_URL' in given)) faults.push('DATABASE_URL is required in production');
  if (!('SECRET_KEY' in given))
    faults.push('SECRET_KEY is required in production: at least 32 random characters');
  return faults;
}

const hostOf = (baseUrl = 'http://localhost'): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';

/** The settings cannot be used; `faults` holds a line for each. */
export class ConfigError extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** The settings in force, read once and passed down. Lifetimes are in seconds. */
export type Config = ReturnType<typeof configOf>;

/**
 * Reads the settings from an environment. An empty value is an absent one.
 * @throws ConfigError with all faults at once
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const faults: string[] = [];
  const given: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value !== '' && name in schema.shape),
  );
  const readFile = (setting: string, path: string): Buffer | undefined => {
    try {
      return readFileSync(path);
    } catch (error) {
      faults.push(`${setting}: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
      return undefined;
    }
  };
  for (const name of FROM_FILE) {
    const path = environment[`${name}_FILE`];
    if (path === undefined || path === '') continue;
    if (given[name] !== undefined) faults.push(`${name} and ${name}_FILE are both set: use one`);
    given[name] = readFile(`${name}_FILE`, path)?.toString('utf8').trim();
  }
  const parsed = schema.safeParse(given);
  if (!parsed.success)
    faults.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`));
  faults.push(...faultsBetween(given));
  const tls = readTls(given, readFile);
  const pictures = readPictures(given, readFile, faults);
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return configOf(parsed.data, tls, pictures);
}

interface Tls {
  cert: Buffer;
  key: Buffer;
}

function readTls(
  env: Record<string, string | undefined>,
  readFile: (setting: string, path: string) => Buffer | undefined,
): Tls | undefined {
  if (env.TLS_CERT_FILE === undefined || env.TLS_KEY_FILE === undefined) return undefined;
  const cert = readFile('TLS_CERT_FILE', env.TLS_CERT_FILE);
  const key = readFile('TLS_KEY_FILE', env.TLS_KEY_FILE);
  return cert && key && { cert, key };
}

/** Of files, in bytes: a logo is on every page and in every mail, the picture beside them on pages that have room. */
const MOST = { LOGO_FILE: 100_000, LOGO_DARK_FILE: 100_000, SIDE_PICTURE_FILE: 1_000_000 };

type Pictures = { [Name in keyof typeof MOST]?: ImageFile };

function readPictures(
  env: Record<string, string | undefined>,
  readFile: (setting: string, path: string) => Buffer | undefined,
  faults: string[],
): Pictures {
  const pictures: Pictures = {};
  for (const [name, most] of Object.entries(MOST) as [keyof typeof MOST, number][]) {
    const path = env[name];
    const content = path === undefined ? undefined : readFile(name, path);
    if (content === undefined) continue;
    const image = readImage(content, most);
    if ('fault' in image) faults.push(`${name}: ${path} ${image.fault}`);
    else pictures[name] = image;
  }
  return pictures;
}

/**
 * What the names of cookies begin with. `__Host-` ties a cookie to this very host and to HTTPS; browsers refuse it over
 * plain HTTP. The ports of a host share their cookies, so in development each instance has its own names.
 */
function cookiePrefixOf(environment: string, baseUrl: string): string {
  const name = `${baseUrl.startsWith('https://') ? '__Host-' : ''}sesame`;
  if (environment !== 'development') return name;
  return `${name}-${createHash('sha256').update(baseUrl).digest('hex').slice(0, 6)}`;
}

function configOf(env: z.output<typeof schema>, tls: Tls | undefined, pictures: Pictures) {
  const scheme = tls === undefined ? 'http' : 'https';
  const baseUrl = env.BASE_URL ?? `${scheme}://localhost:${env.PORT}`;
  return {
    production: env.NODE_ENV === 'production',
    /** Readable logs, and cookies for each instance. Tests are neither this nor production. */
    development: env.NODE_ENV === 'development',
    host: env.HOST,
    port: env.PORT,
    /** The issuer and the root of every link (D27). */
    baseUrl,
    /** Whether the public address is https: Secure cookies, HSTS. */
    secure: baseUrl.startsWith('https://'),
    cookiePrefix: cookiePrefixOf(env.NODE_ENV, baseUrl),
    serviceName: env.SERVICE_NAME,
    /** Absent: ours. The one for dark pages is the same where none is given. */
    logo: pictures.LOGO_FILE,
    logoDark: pictures.LOGO_DARK_FILE,
    /** What stands beside narrow pages: our door, nothing, or `sidePictureFile`. */
    sidePicture: pictures.SIDE_PICTURE_FILE === undefined ? (env.SIDE_PICTURE ?? 'door') : ('own' as const),
    sidePictureFile: pictures.SIDE_PICTURE_FILE,
    /** Absent: ours. The one for dark pages is derived where none is given (branding/accent.ts). */
    accentColor: env.ACCENT_COLOR,
    accentColorDark: env.ACCENT_COLOR_DARK,
    /** Where people reach whoever runs the service: an address to write to, a page, either or both. */
    supportEmail: env.SUPPORT_EMAIL,
    supportUrl: env.SUPPORT_URL,
    /** Pages of whoever runs the service that every page and mail of ours leads to. */
    privacyUrl: env.PRIVACY_URL,
    termsUrl: env.TERMS_URL,
    legalNoticeUrl: env.LEGAL_NOTICE_URL,
    accessibilityUrl: env.ACCESSIBILITY_URL,
    /** Absent: the embedded database of development. */
    databaseUrl: env.DATABASE_URL,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    /** Whether statements are prepared by name, which a pooler in transaction mode may not be able to carry. */
    databasePrepare: env.DATABASE_PREPARE === 'on',
    redisUrl: env.REDIS_URL,
    /** Absent: generated into the data folder outside production. */
    secretKey: env.SECRET_KEY,
    secretKeyPrevious: env.SECRET_KEY_PREVIOUS,
    tls,
    trustedProxies: env.TRUSTED_PROXIES,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    rateLimitAllow: env.RATE_LIMIT_ALLOW,
    /** Networks that are not public where applications may be told of logouts all the same. */
    backchannelAllow: env.BACKCHANNEL_ALLOW,
    /** Which agents are let in: none, those of these origins, or any (D49). */
    agents: env.AGENTS,
    agentOrigins: env.AGENT_ORIGINS,
    /** Whether agents may register themselves (RFC 7591). */
    agentsRegistration: env.AGENTS_REGISTRATION === 'on',
    authorizationCodeTtl: env.AUTHORIZATION_CODE_TTL,
    accessTokenTtl: env.ACCESS_TOKEN_TTL,
    refreshTokenIdleTtl: env.REFRESH_TOKEN_IDLE_TTL,
    refreshTokenMaxTtl: env.REFRESH_TOKEN_MAX_TTL,
    sessionTtl: env.SESSION_TTL,
    /** How long the audit log, refused requests, ended sessions and IP addresses in any of them are kept. */
    auditRetention: env.AUDIT_RETENTION,
    diagnosticsRetention: env.DIAGNOSTICS_RETENTION,
    sessionRetention: env.SESSION_RETENTION,
    addressRetention: env.ADDRESS_RETENTION,
    /** How long the counts of a day are kept. */
    activityRetention: env.ACTIVITY_RETENTION,
    /** How long a signing key signs; 0: until an operator says otherwise. */
    signingKeyRotation: env.SIGNING_KEY_ROTATION,
    /** Of whom a second factor is demanded (D42). */
    secondFactor: env.SECOND_FACTOR ?? (env.NODE_ENV === 'production' ? 'operators' : 'optional'),
    /** How long the reset of a second factor can be stopped before it is carried out; 0: it is done at once. */
    secondFactorResetDelay: env.SECOND_FACTOR_RESET_DELAY,
    /** The domain that passkeys are for (D37): an IP address has none. And other origins of ours that may use them. */
    passkeyRpId: env.PASSKEY_RP_ID ?? hostOf(baseUrl),
    passkeyRelatedOrigins: env.PASSKEY_RELATED_ORIGINS,
    signUpOpen: env.SIGN_UP === 'open',
    /** How many applications one account may have; operators register more on the command line. */
    applicationsPerAccount: env.APPLICATIONS_PER_ACCOUNT,
    /** How many APIs one account may have; operators register more on the command line. */
    apisPerAccount: env.APIS_PER_ACCOUNT,
    /** Accounts that may be made from one address in an hour; 0: any number. */
    signUpsPerHour: env.SIGN_UPS_PER_HOUR,
    /** Absent: no mail in production, mails kept in the process elsewhere. Holds a password. */
    smtpUrl: env.SMTP_URL,
    /** Whom mails come from; absent without `smtpUrl` only. */
    mailFrom: env.MAIL_FROM,
    /** Mails that a mailbox gets in an hour because somebody asked for them. */
    mailPerMailboxPerHour: env.MAIL_PER_MAILBOX_PER_HOUR,
    /** Mails that may be asked for from one address in an hour; 0: any number. */
    mailPerAddressPerHour: env.MAIL_PER_ADDRESS_PER_HOUR,
    /** Where /metrics has a port of its own; absent: nowhere. Absent host: `host`. */
    metricsPort: env.METRICS_PORT,
    metricsHost: env.METRICS_HOST,
    /** The bearer token for /metrics on the main port; absent: it is not there. */
    metricsToken: env.METRICS_TOKEN,
    logLevel: env.LOG_LEVEL,
    dataDir: env.DATA_DIR,
  };
}
