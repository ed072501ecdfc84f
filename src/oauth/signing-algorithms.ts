// The algorithms that tokens are signed with.

/** The algorithms in use: ES256 for access tokens (D23), RS256 for id_tokens unless an application wants another (D24). */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];
