// Reads the example client's settings from the environment.

export interface ClientSettings {
  /** The service's origin, such as https://sesame.example.org. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The redirect URI is `${baseUrl}/callback`. */
  baseUrl: string;
  serviceName: string;
  /** Separated by spaces. Must include `openid`. */
  scope: string;
  logger?: boolean;
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** OAuth allows http on loopback hosts for development. */
export function isLoopbackHttp(origin: string): boolean {
  const url = new URL(origin);
  return url.protocol === 'http:' && loopbackHosts.has(url.hostname);
}

function isOrigin(value: string): boolean {
  return /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value;
}

/** @throws {Error} with one line per invalid setting */
export function readSettings(env: NodeJS.ProcessEnv): ClientSettings & { port: number; host: string } {
  const port = Number(env.PORT || 4000);
  const settings = {
    issuer: env.SESAME_ISSUER || '',
    clientId: env.CLIENT_ID || '',
    clientSecret: env.CLIENT_SECRET || '',
    baseUrl: env.BASE_URL || `http://localhost:${port}`,
    serviceName: env.SERVICE_NAME || 'Sésame',
    scope: env.SCOPE || 'openid profile email',
    host: env.HOST || 'localhost',
    port,
  };
  const errors: string[] = [];
  if (!isOrigin(settings.issuer))
    errors.push('SESAME_ISSUER must be an origin, such as https://sesame.example.org');
  else if (!settings.issuer.startsWith('https:') && !isLoopbackHttp(settings.issuer))
    errors.push('SESAME_ISSUER must use https, except on localhost');
  if (!settings.clientId) errors.push('CLIENT_ID is missing');
  if (!settings.clientSecret) errors.push('CLIENT_SECRET is missing');
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    errors.push('PORT must be an integer from 0 to 65535');
  else if (!isOrigin(settings.baseUrl))
    errors.push('BASE_URL must be an origin, without path or trailing slash');
  if (!settings.scope.split(' ').includes('openid')) errors.push('SCOPE must contain openid');
  if (errors.length > 0) throw new Error(errors.join('\n'));
  return settings;
}
