// Writes docs/operations/settings.md, the reference of all settings: npm run settings.
import { writeFileSync } from 'node:fs';
import { messagesFor } from '../src/i18n/index.ts';
import { SETTING_GROUPS, SETTINGS, type SettingKey } from '../src/settings/table.ts';

export const SETTINGS_REFERENCE = 'docs/operations/settings.md';

/** Values, limits and links, which follow the description from the settings page and `sesame --help`. */
const NOTES: Partial<Record<SettingKey, string>> = {
  baseUrl:
    'Required in production, with `https://`. An origin in lower case, without default port, path or trailing slash; an international domain in its ASCII form (`xn--…`)',
  serviceName: '1 to 60 characters. See [branding](branding.md)',
  logo: 'The path of an SVG, PNG, JPEG or WebP file of at most 100 kB. See [branding](branding.md)',
  accentColor: '`#rrggbb`. Refused if its contrast on light pages is below 4.5:1',
  support: 'Shown wherever a page tells the user to contact you',
  signUp: 'See [invitations](accounts-and-administrators.md#invitations)',
  mfaPolicy:
    '`optional`, `administrators` or `everyone`. See [required MFA](mfa-and-passkeys.md#required-mfa)',
  passkeyRpId:
    'The host of `BASE_URL`, or a domain above it. See [passkeys and your domain](mfa-and-passkeys.md#passkeys-and-your-domain)',
  passkeyRelatedOrigins: 'Published at `/.well-known/webauthn`. Browsers read the first five domain names',
  sessionTtl: '60 seconds to ten years',
  registrationsPerAccount: '0 to 100000. `0`: only the command line registers them; it has no limit',
  smtpUrl: '`smtp://` or `smtps://`. Without it, production sends no email. See [email](email.md)',
  mailFrom: 'Required with `SMTP_URL`. `no-reply@example.com` or `Name <no-reply@example.com>`',
  authorizationCodeTtl: '1 to 600 seconds',
  accessTokenTtl: '1 to 86400 seconds. The owner of an API sets the lifetime of its tokens there',
  refreshTokenIdleTtl: '1 second to ten years',
  refreshTokenMaxTtl: 'Up to ten years',
  signingKeyRotation:
    '3600 seconds or more. `0`: keys are replaced only by `sesame keys rotate`. See [signing keys](keys-and-secrets.md#signing-keys)',
  backchannelAllow: 'IP addresses and CIDR ranges. Everywhere else, only https to public addresses is called',
  agents:
    'Origins such as `https://claude.ai`; outside production also `http://localhost:PORT`. See [agents](agents.md)',
  agentsRegistration: '`on` lets agents of any origin register at `/oauth/register` (RFC 7591)',
  host: 'IPv6 without brackets (`::`)',
  port: '0 to 65535. `0` chooses a free port',
  tlsCert: 'A PEM file; set both or neither. A new certificate needs a restart',
  tlsKey: 'A PEM file',
  trustedProxies:
    'IP addresses and CIDR ranges. Needed behind a proxy, see [HTTPS and proxies](https-and-proxies.md)',
  rateLimitPerMinute: '`0` disables the limit',
  rateLimitAllow:
    'IP addresses and CIDR ranges, such as those of an API that introspects every token, or of a hosted agent',
  hourlyLimits:
    '20 sign-ups per IP address; 5 requested emails per mailbox, 30 per IP address or account. `off` suits load tests',
  redisUrl:
    '`redis://` or `rediss://`. Without Redis, or while it is unreachable, each process counts separately',
  retention: 'A day to ten years. See [retention](audit-log-and-retention.md#retention)',
  auditRetention: '60 seconds to ten years. IP addresses are erased after `RETENTION`',
  environment:
    'Set it to `production`; the image does. `production` requires HTTPS, a database and a secret. `development` writes a readable log and names cookies after `BASE_URL`, so that several instances run on one host',
  databaseUrl:
    'Required in production. `postgres://user:password@host:port/database`, with user and password percent-encoded. See [database](database.md)',
  databasePoolSize:
    '1 to 1000. Each process opens up to 6 more for its most frequent statements, and 1 while it migrates',
  databasePrepare: 'See [PgBouncer](database.md#pgbouncer)',
  secretKey:
    'Required in production: at least 32 random characters. See [SECRET_KEY](keys-and-secrets.md#secret_key)',
  secretKeyPrevious: 'For a [change of SECRET_KEY](keys-and-secrets.md#change-secret_key)',
  metricsPort:
    '`9464`, or `10.0.0.5:9464` to listen elsewhere than `HOST`. See [monitoring](../monitoring.md)',
  logLevel: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
  dataDir: 'Not used in production',
};

/** Defaults that depend on the mode or on other settings. */
const DEFAULTS: Partial<Record<SettingKey, string>> = {
  baseUrl: '`http://localhost:PORT`; `https` with `TLS_CERT_FILE`',
  logo: 'Sésame’s',
  accentColor: 'Sésame’s',
  mfaPolicy: '`optional`; in production `administrators`',
  passkeyRpId: 'host of `BASE_URL`',
  smtpUrl: 'none; outside production emails are shown at `/dev/mail`',
  host: '`127.0.0.1`; in the image `0.0.0.0`',
  environment: '`development`; in the image `production`',
  databaseUrl: 'embedded PostgreSQL',
  secretKey: 'generated into `DATA_DIR`',
};

const { duration, noLimit, settingsOf } = messagesFor('en').operations;

function defaultOf(key: SettingKey): string {
  const value = SETTINGS[key].schema.safeParse(undefined).data;
  if (DEFAULTS[key] !== undefined) return DEFAULTS[key];
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  if (!('unit' in SETTINGS[key])) return `\`${value}\``;
  return `\`${value}\` (${value === 0 ? noLimit : duration(Number(value))})`;
}

const rowOf = (key: SettingKey): string => {
  const sentences = [settingsOf.explained[key], NOTES[key]].filter((text) => text !== undefined);
  return `| \`${SETTINGS[key].name}\` | ${defaultOf(key)} | ${sentences.map((text) => `${text}.`).join(' ')} |\n`;
};

export function renderSettingsReference(): string {
  const keys = Object.keys(SETTINGS) as SettingKey[];
  const secrets = keys.filter((key) => 'secret' in SETTINGS[key]).map((key) => `\`${SETTINGS[key].name}\``);
  const groups = SETTING_GROUPS.map((group) => {
    const rows = keys.filter((key) => SETTINGS[key].group === group).map(rowOf);
    return `\n## ${settingsOf.groups[group]}\n\n| Name | Default | Meaning |\n|---|---|---|\n${rows.join('')}`;
  });
  return `<!-- Generated by \`npm run settings\` from src/settings/table.ts. Edit that file, src/i18n/en/settings.ts or tools/settings.ts. -->

# Settings

Settings are environment variables. The service and the command line read the same ones, and \`sesame --help\` lists them.

- All settings are read once, at start. **To change one, restart every process.** None is reloaded.
- An empty variable counts as unset.
- Durations are in seconds. Lists are separated by commas or spaces.
- If a setting is missing or invalid, the service prints every error, one per line, and exits with code 78.
- A secret can be read from a file: \`SECRET_KEY_FILE=/run/secrets/key\` uses the content of that file, trimmed. This works for
  ${secrets.join(', ')}. Setting both forms is an error.

Administrators see the settings in force at **Administration**, **Settings** (\`/console/operations/settings\`). Secrets are never shown.
${groups.join('')}`;
}

if (import.meta.main) writeFileSync(SETTINGS_REFERENCE, renderSettingsReference());
