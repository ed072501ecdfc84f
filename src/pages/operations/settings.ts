// GET /console/operations/settings: the settings in force. Of secrets only whether there is one.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';
import type { Parts } from '../../http/parts.ts';
import { OPERATIONS } from './frame-view.ts';
import { type ShownSetting, settingsView } from './settings-view.ts';

type Kind = ShownSetting['kind'];

/**
 * How each setting is shown; null where another one says it already. A setting that is missing here is a type error, so
 * nobody adds one without deciding whether it is a secret.
 */
const SHOWN: Record<keyof Config, [name: string, kind: Kind] | null> = {
  production: ['NODE_ENV=production', 'switch'],
  host: ['HOST', 'text'],
  port: ['PORT', 'text'],
  workers: ['WORKERS', 'number'],
  baseUrl: ['BASE_URL', 'text'],
  secure: null,
  serviceName: ['SERVICE_NAME', 'text'],
  logo: ['LOGO_FILE', 'secret'], // a picture, which is no text
  logoDark: ['LOGO_DARK_FILE', 'secret'],
  sidePicture: ['SIDE_PICTURE', 'text'],
  sidePictureFile: ['SIDE_PICTURE_FILE', 'secret'],
  accentColor: ['ACCENT_COLOR', 'text'],
  accentColorDark: ['ACCENT_COLOR_DARK', 'text'],
  supportEmail: ['SUPPORT_EMAIL', 'text'],
  supportUrl: ['SUPPORT_URL', 'text'],
  privacyUrl: ['PRIVACY_URL', 'text'],
  termsUrl: ['TERMS_URL', 'text'],
  legalNoticeUrl: ['LEGAL_NOTICE_URL', 'text'],
  accessibilityUrl: ['ACCESSIBILITY_URL', 'text'],
  databaseUrl: ['DATABASE_URL', 'secret'], // holds a password
  databasePoolSize: ['DATABASE_POOL_SIZE', 'number'],
  databasePrepare: ['DATABASE_PREPARE', 'switch'],
  redisUrl: ['REDIS_URL', 'secret'], // holds a password
  secretKey: ['SECRET_KEY', 'secret'],
  secretKeyPrevious: ['SECRET_KEY_PREVIOUS', 'secret'],
  tls: ['TLS_CERT_FILE, TLS_KEY_FILE', 'secret'],
  trustedProxies: ['TRUSTED_PROXIES', 'text'],
  rateLimitPerMinute: ['RATE_LIMIT_PER_MINUTE', 'limit'],
  rateLimitAllow: ['RATE_LIMIT_ALLOW', 'text'],
  backchannelAllow: ['BACKCHANNEL_ALLOW', 'text'],
  authorizationCodeTtl: ['AUTHORIZATION_CODE_TTL', 'seconds'],
  accessTokenTtl: ['ACCESS_TOKEN_TTL', 'seconds'],
  refreshTokenIdleTtl: ['REFRESH_TOKEN_IDLE_TTL', 'seconds'],
  refreshTokenMaxTtl: ['REFRESH_TOKEN_MAX_TTL', 'seconds'],
  sessionTtl: ['SESSION_TTL', 'seconds'],
  auditRetention: ['AUDIT_RETENTION', 'seconds'],
  diagnosticsRetention: ['DIAGNOSTICS_RETENTION', 'seconds'],
  sessionRetention: ['SESSION_RETENTION', 'seconds'],
  addressRetention: ['ADDRESS_RETENTION', 'seconds'],
  activityRetention: ['ACTIVITY_RETENTION', 'seconds'],
  signingKeyRotation: ['SIGNING_KEY_ROTATION', 'seconds'],
  signUpOpen: ['SIGN_UP=open', 'switch'],
  applicationsPerAccount: ['APPLICATIONS_PER_ACCOUNT', 'number'],
  signUpsPerHour: ['SIGN_UPS_PER_HOUR', 'limit'],
  smtpUrl: ['SMTP_URL', 'secret'], // holds a password
  mailFrom: ['MAIL_FROM', 'text'],
  mailPerMailboxPerHour: ['MAIL_PER_MAILBOX_PER_HOUR', 'number'],
  mailPerAddressPerHour: ['MAIL_PER_ADDRESS_PER_HOUR', 'limit'],
  metricsPort: ['METRICS_PORT', 'text'],
  metricsHost: ['METRICS_HOST', 'text'],
  metricsToken: ['METRICS_TOKEN', 'secret'],
  logLevel: ['LOG_LEVEL', 'text'],
  dataDir: ['DATA_DIR', 'text'],
};

export function settingsPage(area: FastifyInstance, parts: Parts): void {
  area.get(`${OPERATIONS}/settings`, async (_request, reply) =>
    reply.page({
      title: (messages) => messages.operations.settings,
      main: (messages) => settingsView({ messages, settings: shownSettings(parts.config) }),
    }),
  );
}

/** The settings as they may be shown. */
function shownSettings(config: Config): ShownSetting[] {
  const keys = Object.keys(SHOWN) as (keyof Config)[];
  return keys.flatMap((key) => {
    const shown = SHOWN[key];
    return shown === null ? [] : [settingOf(...shown, config[key])];
  });
}

function settingOf(name: string, kind: Kind, value: Config[keyof Config]): ShownSetting {
  switch (kind) {
    case 'secret':
      return { name, kind, set: value !== undefined };
    case 'switch':
      return { name, kind, value: value === true };
    case 'text':
      return { name, kind, value: Array.isArray(value) ? value.join(', ') : value?.toString() };
    default:
      return { name, kind, value: Number(value) };
  }
}
