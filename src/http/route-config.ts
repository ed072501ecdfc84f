// What a route may say of itself, for the plugins that look at every request.

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A health address: answered without HTTPS, to whoever looks after the process. */
    health?: true;
    /** Not counted by the rate limit: static files, health, discovery and keys. */
    uncounted?: true;
    /** Behind the door: its form may bring a file (web/uploads.ts). */
    upload?: true;
  }
}

/** For routes that do not count. */
export const UNCOUNTED = { uncounted: true } as const;
/** For health routes, which neither count nor need HTTPS. */
export const HEALTH = { uncounted: true, health: true } as const;
/** For routes whose form may bring a file. */
export const UPLOAD = { upload: true } as const;
