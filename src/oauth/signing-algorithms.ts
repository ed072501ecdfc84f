// Signing algorithms for tokens.

/** Access tokens use ES256. id_tokens use the client's algorithm (RS256 by default). */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];
