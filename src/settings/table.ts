// Declares every setting once: name, group, schema and default.
import { z } from 'zod';
import { MFA_POLICIES } from '../oauth/authentication-methods.ts';
import {
  accent,
  agents,
  contact,
  databaseUrl,
  file,
  imageFile,
  listenHost,
  mailFrom,
  metricsPort,
  networks,
  onOff,
  origin,
  origins,
  redisUrl,
  rpId,
  secret,
  smtpUrl,
  webPage,
  wholeNumberSetting,
} from './validation.ts';

export const SETTING_GROUPS = [
  'identity',
  'people',
  'mail',
  'tokens',
  'network',
  'retention',
  'process',
] as const;

interface Setting {
  name: string;
  group: (typeof SETTING_GROUPS)[number];
  schema: z.ZodType<unknown, string | undefined>;
  unit?: 'seconds';
  /** Secrets are never shown or logged. A second variable, such as `SECRET_KEY_FILE`, can point to a file with the value. */
  secret?: true;
}

const DAY = 86_400;
const TEN_YEARS = 315_360_000;

/**
 * The keys match `Config` and src/i18n. The settings page, `sesame --help` and docs/operations/settings.md are
 * generated from this table.
 */
export const SETTINGS = {
  baseUrl: { name: 'BASE_URL', group: 'identity', schema: origin.optional() },
  serviceName: {
    name: 'SERVICE_NAME',
    group: 'identity',
    schema: z.string().trim().min(1).max(60).default('Sésame'),
  },
  logo: { name: 'LOGO_FILE', group: 'identity', schema: imageFile(100_000).optional() },
  accentColor: { name: 'ACCENT_COLOR', group: 'identity', schema: accent.optional() },
  support: { name: 'SUPPORT', group: 'identity', schema: contact.optional() },
  privacyUrl: { name: 'PRIVACY_URL', group: 'identity', schema: webPage.optional() },
  termsUrl: { name: 'TERMS_URL', group: 'identity', schema: webPage.optional() },
  legalNoticeUrl: { name: 'LEGAL_NOTICE_URL', group: 'identity', schema: webPage.optional() },
  accessibilityUrl: { name: 'ACCESSIBILITY_URL', group: 'identity', schema: webPage.optional() },

  signUp: { name: 'SIGN_UP', group: 'people', schema: z.enum(['open', 'closed']).default('open') },
  mfaPolicy: { name: 'MFA_POLICY', group: 'people', schema: z.enum(MFA_POLICIES).optional() },
  passkeyRpId: { name: 'PASSKEY_RP_ID', group: 'people', schema: rpId.optional() },
  passkeyRelatedOrigins: { name: 'PASSKEY_RELATED_ORIGINS', group: 'people', schema: origins.default([]) },
  sessionTtl: {
    name: 'SESSION_TTL',
    group: 'people',
    schema: wholeNumberSetting(60, TEN_YEARS).default(14 * DAY),
    unit: 'seconds',
  },
  registrationsPerAccount: {
    name: 'REGISTRATIONS_PER_ACCOUNT',
    group: 'people',
    schema: wholeNumberSetting(0, 100_000).default(20),
  },

  smtpUrl: { name: 'SMTP_URL', group: 'mail', schema: smtpUrl.optional(), secret: true },
  mailFrom: { name: 'MAIL_FROM', group: 'mail', schema: mailFrom.optional() },

  authorizationCodeTtl: {
    name: 'AUTHORIZATION_CODE_TTL',
    group: 'tokens',
    schema: wholeNumberSetting(1, 600).default(60),
    unit: 'seconds',
  },
  accessTokenTtl: {
    name: 'ACCESS_TOKEN_TTL',
    group: 'tokens',
    schema: wholeNumberSetting(1, DAY).default(3600),
    unit: 'seconds',
  },
  refreshTokenIdleTtl: {
    name: 'REFRESH_TOKEN_IDLE_TTL',
    group: 'tokens',
    schema: wholeNumberSetting(1, TEN_YEARS).default(30 * DAY),
    unit: 'seconds',
  },
  refreshTokenMaxTtl: {
    name: 'REFRESH_TOKEN_MAX_TTL',
    group: 'tokens',
    schema: wholeNumberSetting(0, TEN_YEARS).default(0),
    unit: 'seconds',
  },
  signingKeyRotation: {
    name: 'SIGNING_KEY_ROTATION',
    group: 'tokens',
    // Shorter intervals would leave clients too little time to fetch new keys.
    schema: wholeNumberSetting(0, TEN_YEARS)
      .refine((seconds) => seconds === 0 || seconds >= 3600, 'must be 0 or at least 3600')
      .default(90 * DAY),
    unit: 'seconds',
  },
  backchannelAllow: { name: 'BACKCHANNEL_ALLOW', group: 'tokens', schema: networks.default([]) },
  agents: { name: 'AGENTS', group: 'tokens', schema: agents.default([]) },
  agentsRegistration: { name: 'AGENTS_REGISTRATION', group: 'tokens', schema: onOff('off') },

  host: { name: 'HOST', group: 'network', schema: listenHost.default('127.0.0.1') },
  port: { name: 'PORT', group: 'network', schema: wholeNumberSetting(0, 65_535).default(3000) },
  tlsCert: { name: 'TLS_CERT_FILE', group: 'network', schema: file.optional() },
  tlsKey: { name: 'TLS_KEY_FILE', group: 'network', schema: file.optional() },
  trustedProxies: { name: 'TRUSTED_PROXIES', group: 'network', schema: networks.default([]) },
  rateLimitPerMinute: {
    name: 'RATE_LIMIT_PER_MINUTE',
    group: 'network',
    schema: wholeNumberSetting(0, 1_000_000_000).default(60),
  },
  rateLimitAllow: { name: 'RATE_LIMIT_ALLOW', group: 'network', schema: networks.default([]) },
  hourlyLimits: { name: 'HOURLY_LIMITS', group: 'network', schema: onOff('on') },
  redisUrl: { name: 'REDIS_URL', group: 'network', schema: redisUrl.optional(), secret: true },

  retention: {
    name: 'RETENTION',
    group: 'retention',
    schema: wholeNumberSetting(DAY, TEN_YEARS).default(90 * DAY),
    unit: 'seconds',
  },
  auditRetention: {
    name: 'AUDIT_RETENTION',
    group: 'retention',
    schema: wholeNumberSetting(60, TEN_YEARS).default(90 * DAY),
    unit: 'seconds',
  },

  environment: {
    name: 'NODE_ENV',
    group: 'process',
    schema: z.enum(['production', 'development', 'test']).default('development'),
  },
  databaseUrl: { name: 'DATABASE_URL', group: 'process', schema: databaseUrl.optional(), secret: true },
  databasePoolSize: {
    name: 'DATABASE_POOL_SIZE',
    group: 'process',
    schema: wholeNumberSetting(1, 1000).default(10),
  },
  databasePrepare: { name: 'DATABASE_PREPARE', group: 'process', schema: onOff('on') },
  secretKey: { name: 'SECRET_KEY', group: 'process', schema: secret.optional(), secret: true },
  secretKeyPrevious: {
    name: 'SECRET_KEY_PREVIOUS',
    group: 'process',
    schema: secret.optional(),
    secret: true,
  },
  metricsPort: { name: 'METRICS_PORT', group: 'process', schema: metricsPort.optional() },
  logLevel: {
    name: 'LOG_LEVEL',
    group: 'process',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  },
  dataDir: { name: 'DATA_DIR', group: 'process', schema: z.string().min(1).default('data') },
} as const satisfies Record<string, Setting>;

export type SettingKey = keyof typeof SETTINGS;
