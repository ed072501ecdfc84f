// Reads an access token without verifying it, to know where to look for it. The digest of the whole token decides.

export interface UnverifiedToken {
  /** The account that it names as its subject; undefined if the subject is no account id. */
  userId: string | undefined;
  /** Whether it names a client as its own subject (RFC 9068 §2.2). */
  isService: boolean;
  scopes: string[];
}

/** The claims of a token that the database knows. @throws for a text that is no JWT */
export const payloadOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a text says if it is an access token. Its bearer may have chosen all of it. */
export function readUnverified(token: string): UnverifiedToken {
  try {
    const { sub, client_id: clientId, scope } = payloadOf(token);
    const isService = typeof sub === 'string' && sub === clientId;
    return {
      userId: typeof sub === 'string' && !isService && UUID.test(sub) ? sub : undefined,
      isService,
      scopes:
        typeof scope === 'string' && /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(scope) ? scope.split(' ') : [],
    };
  } catch {
    return { userId: undefined, isService: false, scopes: [] };
  }
}
