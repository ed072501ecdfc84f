// GET /console/operations/settings: the settings in force. Of secrets only whether there is one.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';
import type { Parts } from '../../http/parts.ts';
import { OPERATIONS } from './frame-view.ts';
import {
  GROUPS,
  type SettingGroup,
  type ShownGroup,
  type ShownSetting,
  settingsView,
} from './settings-view.ts';

type Kind = ShownSetting['kind'] | 'opening';

/** `NODE_ENV` decides `development`, too; it and `BASE_URL` decide `secure` and `cookiePrefix`. */
type SettingName = Exclude<keyof Config, 'development' | 'secure' | 'cookiePrefix'>;

/**
 * Where each setting stands, under which name, and how its value is shown. A setting that is missing here is a type error,
 * so nobody adds one without deciding whether it is a secret; and so is one that the dictionaries do not explain.
 */
const SHOWN: Record<SettingName, [group: SettingGroup, name: string, kind: Kind]> = {
  production: ['process', 'NODE_ENV=production', 'switch'],
  host: ['network', 'HOST', 'text'],
  port: ['network', 'PORT', 'text'],
  baseUrl: ['identity', 'BASE_URL', 'text'],
  serviceName: ['identity', 'SERVICE_NAME', 'text'],
  logo: ['identity', 'LOGO_FILE', 'secret'], // a picture, which is no text
  logoDark: ['identity', 'LOGO_DARK_FILE', 'secret'],
  sidePicture: ['identity', 'SIDE_PICTURE', 'text'],
  sidePictureFile: ['identity', 'SIDE_PICTURE_FILE', 'secret'],
  accentColor: ['identity', 'ACCENT_COLOR', 'text'],
  accentColorDark: ['identity', 'ACCENT_COLOR_DARK', 'text'],
  supportEmail: ['identity', 'SUPPORT_EMAIL', 'text'],
  supportUrl: ['identity', 'SUPPORT_URL', 'text'],
  privacyUrl: ['identity', 'PRIVACY_URL', 'text'],
  termsUrl: ['identity', 'TERMS_URL', 'text'],
  legalNoticeUrl: ['identity', 'LEGAL_NOTICE_URL', 'text'],
  accessibilityUrl: ['identity', 'ACCESSIBILITY_URL', 'text'],
  databaseUrl: ['process', 'DATABASE_URL', 'secret'], // holds a password
  databasePoolSize: ['process', 'DATABASE_POOL_SIZE', 'number'],
  databasePrepare: ['process', 'DATABASE_PREPARE', 'switch'],
  redisUrl: ['network', 'REDIS_URL', 'secret'], // holds a password
  secretKey: ['process', 'SECRET_KEY', 'secret'],
  secretKeyPrevious: ['process', 'SECRET_KEY_PREVIOUS', 'secret'],
  tls: ['network', 'TLS_CERT_FILE, TLS_KEY_FILE', 'secret'],
  trustedProxies: ['network', 'TRUSTED_PROXIES', 'text'],
  rateLimitPerMinute: ['network', 'RATE_LIMIT_PER_MINUTE', 'limit'],
  rateLimitAllow: ['network', 'RATE_LIMIT_ALLOW', 'text'],
  backchannelAllow: ['tokens', 'BACKCHANNEL_ALLOW', 'text'],
  agents: ['tokens', 'AGENTS', 'text'],
  agentOrigins: ['tokens', 'AGENT_ORIGINS', 'text'],
  agentsRegistration: ['tokens', 'AGENTS_REGISTRATION', 'switch'],
  authorizationCodeTtl: ['tokens', 'AUTHORIZATION_CODE_TTL', 'seconds'],
  accessTokenTtl: ['tokens', 'ACCESS_TOKEN_TTL', 'seconds'],
  refreshTokenIdleTtl: ['tokens', 'REFRESH_TOKEN_IDLE_TTL', 'seconds'],
  refreshTokenMaxTtl: ['tokens', 'REFRESH_TOKEN_MAX_TTL', 'seconds'],
  sessionTtl: ['people', 'SESSION_TTL', 'seconds'],
  auditRetention: ['retention', 'AUDIT_RETENTION', 'seconds'],
  diagnosticsRetention: ['retention', 'DIAGNOSTICS_RETENTION', 'seconds'],
  sessionRetention: ['retention', 'SESSION_RETENTION', 'seconds'],
  addressRetention: ['retention', 'ADDRESS_RETENTION', 'seconds'],
  activityRetention: ['retention', 'ACTIVITY_RETENTION', 'seconds'],
  signingKeyRotation: ['tokens', 'SIGNING_KEY_ROTATION', 'seconds'],
  secondFactor: ['people', 'SECOND_FACTOR', 'text'],
  secondFactorResetDelay: ['people', 'SECOND_FACTOR_RESET_DELAY', 'seconds'],
  passkeyRpId: ['people', 'PASSKEY_RP_ID', 'text'],
  passkeyRelatedOrigins: ['people', 'PASSKEY_RELATED_ORIGINS', 'text'],
  signUpOpen: ['people', 'SIGN_UP', 'opening'],
  applicationsPerAccount: ['people', 'APPLICATIONS_PER_ACCOUNT', 'number'],
  apisPerAccount: ['people', 'APIS_PER_ACCOUNT', 'number'],
  signUpsPerHour: ['people', 'SIGN_UPS_PER_HOUR', 'limit'],
  smtpUrl: ['mail', 'SMTP_URL', 'secret'], // holds a password
  mailFrom: ['mail', 'MAIL_FROM', 'text'],
  mailPerMailboxPerHour: ['mail', 'MAIL_PER_MAILBOX_PER_HOUR', 'number'],
  mailPerAddressPerHour: ['mail', 'MAIL_PER_ADDRESS_PER_HOUR', 'limit'],
  metricsPort: ['process', 'METRICS_PORT', 'text'],
  metricsHost: ['process', 'METRICS_HOST', 'text'],
  metricsToken: ['process', 'METRICS_TOKEN', 'secret'],
  logLevel: ['process', 'LOG_LEVEL', 'text'],
  dataDir: ['process', 'DATA_DIR', 'text'],
};

export function settingsPage(area: FastifyInstance, parts: Parts): void {
  area.get(`${OPERATIONS}/settings`, async (_request, reply) =>
    reply.page({
      title: (messages) => messages.operations.settings,
      main: (messages) => settingsView({ messages, groups: shownGroups(parts.config) }),
    }),
  );
}

/** The settings as they may be shown, in their groups. */
function shownGroups(config: Config): ShownGroup[] {
  const names = Object.keys(SHOWN) as SettingName[];
  return GROUPS.map((group) => ({
    group,
    settings: names
      .filter((name) => SHOWN[name][0] === group)
      .map((name) => {
        const [, variable, kind] = SHOWN[name];
        return { explained: name, ...settingOf(variable, kind, config[name]) };
      }),
  }));
}

function settingOf(name: string, kind: Kind, value: Config[keyof Config]): ShownSetting {
  switch (kind) {
    case 'secret':
      return { name, kind, set: value !== undefined };
    case 'switch':
      return { name, kind, value: value === true };
    case 'opening':
      return { name, kind: 'text', value: value === true ? 'open' : 'closed' };
    case 'text':
      return { name, kind, value: Array.isArray(value) ? value.join(', ') : value?.toString() };
    default:
      return { name, kind, value: Number(value) };
  }
}
