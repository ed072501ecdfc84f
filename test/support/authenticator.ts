// An authenticator app, as people have it on their phone.
import { Secret, TOTP } from 'otpauth';

/** Its code at a moment, or so many steps of thirty seconds from it. @param secret base32 */
export const codeAt = (secret: string, at: Date, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() + steps * 30_000 });
