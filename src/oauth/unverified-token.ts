// Decodes access tokens without verification, to look up their digests.

export interface UnverifiedToken {
  /** Account ID from `sub`, or undefined if the subject isn't an account. */
  userId: string | undefined;
  isServiceToken: boolean;
  scopes: string[];
}

/** @throws if the string isn't a JWT */
export const decodeTokenPayload = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Callers must not trust the returned values. */
export function decodeUnverifiedToken(token: string): UnverifiedToken {
  try {
    const { sub, client_id: clientId, scope } = decodeTokenPayload(token);
    const isService = typeof sub === 'string' && sub === clientId;
    return {
      userId: typeof sub === 'string' && !isService && UUID_PATTERN.test(sub) ? sub : undefined,
      isServiceToken: isService,
      scopes:
        typeof scope === 'string' && /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(scope) ? scope.split(' ') : [],
    };
  } catch {
    return { userId: undefined, isServiceToken: false, scopes: [] };
  }
}
