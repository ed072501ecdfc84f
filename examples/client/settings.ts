// Owns the application's settings: what they are, and how they are read from the environment.

export interface ClientSettings {
  /** Address of the sign-in service, an origin such as https://sesame.example.org. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Public address of this application, an origin; the registered callback is `${baseUrl}/callback`. */
  baseUrl: string;
  /** Display name of the service, for the button. */
  serviceName: string;
  /** Space-separated; must contain `openid`, because people are known by `sub`. */
  scope: string;
  /** Writes one line a request to standard output. */
  logger?: boolean;
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** True where plain HTTP is tolerable: on the developer's own machine. */
export function isInsecureLocal(address: string): boolean {
  const url = new URL(address);
  return url.protocol === 'http:' && loopback.has(url.hostname);
}

function isOrigin(value: string): boolean {
  return /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value;
}

/**
 * Reads the settings of the process.
 * @throws {Error} with one line per fault
 */
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
  const faults: string[] = [];
  if (!isOrigin(settings.issuer))
    faults.push('SESAME_ISSUER must be an address without path, like https://sesame.example.org');
  else if (!settings.issuer.startsWith('https:') && !isInsecureLocal(settings.issuer))
    faults.push('SESAME_ISSUER must be https, except on localhost');
  if (!settings.clientId) faults.push('CLIENT_ID is missing');
  if (!settings.clientSecret) faults.push('CLIENT_SECRET is missing');
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    faults.push('PORT must be a number from 0 to 65535');
  else if (!isOrigin(settings.baseUrl))
    faults.push('BASE_URL must be an address without path or trailing slash');
  if (!settings.scope.split(' ').includes('openid')) faults.push('SCOPE must contain openid');
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return settings;
}
