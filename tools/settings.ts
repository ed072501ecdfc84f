// npm run settings: writes docs/operations/settings.md.
import { writeFileSync } from 'node:fs';
import { messagesFor } from '../src/i18n/index.ts';
import { SETTING_GROUPS, SETTINGS, type SettingKey } from '../src/settings/table.ts';

export const SETTINGS_REFERENCE = 'docs/operations/settings.md';

/** Notes that docs/operations/settings.md adds to the descriptions of the settings. */
const NOTES: Partial<Record<SettingKey, string>> = {
  baseUrl:
    'Required in production, with `https://`. An origin in lowercase, without a default port, path or trailing slash. Write an internationalized domain name in Punycode (`xn--…`)',
  serviceName: 'From 1 to 60 characters. See [branding](branding.md)',
  logo: 'Set it to the path of an SVG, PNG, JPEG or WebP file of at most 100 kB. See [branding](branding.md)',
  accentColor:
    'A color in the form `#rrggbb`. The service does not start if the color’s contrast on light pages is below 4.5:1',
  support: 'Also shown wherever a page tells the user to contact you',
  signUp: 'See [invitations](accounts-and-administrators.md#invitations)',
  mfaPolicy:
    '`optional`, `administrators` or `everyone`. See [required MFA](mfa-and-passkeys.md#required-mfa)',
  passkeyRpId:
    'The host of `BASE_URL`, or one of its parent domains. See [passkeys and your domain](mfa-and-passkeys.md#passkeys-and-your-domain)',
  passkeyRelatedOrigins:
    'Published at `/.well-known/webauthn`. Browsers read only the first five domain names',
  sessionTtl: 'From 60 seconds to ten years',
  registrationsPerAccount:
    'From 0 to 100000. With `0`, applications and APIs can be registered only on the command line, which has no limit',
  smtpUrl:
    '`smtp://` or `smtps://`. In production, the service sends no email without it. See [email](email.md)',
  mailFrom: 'Required with `SMTP_URL`. `no-reply@example.com` or `Name <no-reply@example.com>`',
  authorizationCodeTtl: 'From 1 to 600 seconds',
  accessTokenTtl: 'From 1 to 86400 seconds. The lifetime of access tokens for an API is set by its owner',
  refreshTokenIdleTtl: 'From 1 second to ten years',
  refreshTokenMaxTtl: 'At most ten years',
  signingKeyRotation:
    'At least 3600 seconds. With `0`, keys are rotated only by `sesame keys rotate`. See [signing keys](keys-and-secrets.md#signing-keys)',
  backchannelAllow:
    'IP addresses and CIDR ranges. Logout URIs outside these networks must be `https` URLs whose hosts have public IP addresses',
  agents:
    'Origins such as `https://claude.ai`; outside production, also `http://localhost:PORT`. See [agents](agents.md)',
  agentsRegistration: '`on` lets agents from any origin register at `/oauth/register` (RFC 7591)',
  host: 'Write an IPv6 address without brackets (`::`)',
  port: 'From 0 to 65535. With `0`, the service chooses a free port',
  tlsCert: 'A PEM file. Requires `TLS_KEY_FILE`. To use a new certificate, restart the service',
  tlsKey: 'A PEM file. Requires `TLS_CERT_FILE`',
  trustedProxies:
    'IP addresses and CIDR ranges. Required behind a proxy. See [HTTPS and proxies](https-and-proxies.md)',
  rateLimitPerMinute: '`0` disables the limit',
  rateLimitAllow:
    'IP addresses and CIDR ranges, for example of an API that introspects every token, or of a hosted agent',
  hourlyLimits:
    'The limits per hour are 20 sign-ups per IP address, 5 requested emails per email address, and 30 requested emails per IP address or account. Use `off` for load tests',
  redisUrl:
    '`redis://` or `rediss://`. Without Redis, or while it is unreachable, each process counts separately',
  retention: 'From one day to ten years. See [retention](audit-log-and-retention.md#retention)',
  auditRetention: 'From 60 seconds to ten years. IP addresses are erased after `RETENTION`',
  environment:
    'Set it to `production`, as the image does. `production` requires HTTPS, `DATABASE_URL` and `SECRET_KEY`. `development` writes a human-readable log and names cookies after `BASE_URL`, so that several instances can run on one host',
  databaseUrl:
    'Required in production. `postgres://user:password@host:port/database`, with the user name and password percent-encoded. See [database](database.md)',
  databasePoolSize:
    'From 1 to 1000. Each process opens up to 6 more connections for its most frequent statements, and 1 more while it migrates the database',
  databasePrepare: 'See [PgBouncer](database.md#pgbouncer)',
  secretKey:
    'Required in production: at least 32 random characters. See [SECRET_KEY](keys-and-secrets.md#secret_key)',
  secretKeyPrevious: 'Set it while you [change SECRET_KEY](keys-and-secrets.md#change-secret_key)',
  metricsPort:
    '`9464`, or `10.0.0.5:9464` to listen on an address other than `HOST`. See [monitoring](../monitoring.md)',
  logLevel: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
  dataDir: 'Not used in production',
};

/** Defaults that aren't in the settings' schemas. */
const DEFAULT_DESCRIPTIONS: Partial<Record<SettingKey, string>> = {
  baseUrl: '`http://localhost:PORT`; `https` with `TLS_CERT_FILE`',
  logo: 'Sésame’s',
  accentColor: 'Sésame’s',
  mfaPolicy: '`optional`; in production, `administrators`',
  passkeyRpId: 'host of `BASE_URL`',
  smtpUrl: 'none; outside production, emails are shown at `/dev/mail`',
  host: '`127.0.0.1`; in the image, `0.0.0.0`',
  environment: '`development`; in the image, `production`',
  databaseUrl: 'embedded PostgreSQL',
  secretKey: 'generated into `DATA_DIR`',
};

const { duration, noLimit, settingsOf } = messagesFor('en').operations;

function describeDefault(key: SettingKey): string {
  const value = SETTINGS[key].schema.safeParse(undefined).data;
  if (DEFAULT_DESCRIPTIONS[key] !== undefined) return DEFAULT_DESCRIPTIONS[key];
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  if (!('unit' in SETTINGS[key])) return `\`${value}\``;
  return `\`${value}\` (${value === 0 ? noLimit : duration(Number(value))})`;
}

const renderRow = (key: SettingKey): string => {
  const sentences = [settingsOf.explained[key], NOTES[key]].filter((text) => text !== undefined);
  return `| \`${SETTINGS[key].name}\` | ${describeDefault(key)} | ${sentences.map((text) => `${text}.`).join(' ')} |\n`;
};

export function renderSettingsReference(): string {
  const keys = Object.keys(SETTINGS) as SettingKey[];
  const secrets = keys.filter((key) => 'secret' in SETTINGS[key]).map((key) => `\`${SETTINGS[key].name}\``);
  const groups = SETTING_GROUPS.map((group) => {
    const rows = keys.filter((key) => SETTINGS[key].group === group).map(renderRow);
    return `\n## ${settingsOf.groups[group]}\n\n| Name | Default | Meaning |\n|---|---|---|\n${rows.join('')}`;
  });
  return `<!-- Generated by \`npm run settings\` from src/settings/table.ts. Edit that file, src/i18n/en/settings.ts or tools/settings.ts. -->

# Settings

Settings are environment variables. The service and the command line read the same variables, and \`sesame --help\` lists them.

- All settings are read once, at startup, and never reloaded. **To change a setting, restart every process.**
- An empty variable is treated as unset.
- Durations are in seconds. Lists are separated by commas or spaces.
- If a setting is missing or invalid, the service prints every error, one per line, and exits with code 78.
- A secret can be read from a file: with \`SECRET_KEY_FILE=/run/secrets/key\`, the value of \`SECRET_KEY\` is the trimmed content of that file. The
  \`_FILE\` form exists for ${secrets.join(', ')}. Setting both the variable and its \`_FILE\` form is an error.

Administrators can see the current settings under **Administration > Settings** (\`/console/operations/settings\`). Secrets are never shown.
${groups.join('')}`;
}

if (import.meta.main) writeFileSync(SETTINGS_REFERENCE, renderSettingsReference());
