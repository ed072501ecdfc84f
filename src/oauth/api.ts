// APIs that account holders own: what a request names them by, and what an application may ask of them (D45 to D48).

/** A scope of an API, in the words of its owner. */
export interface ApiScope {
  /** RFC 6749 §3.3 characters, 1 to 64 of them. */
  name: string;
  fr: string;
  en: string;
  /** Asked for apart, never agreed to beforehand, and each time again (D48). */
  sensitive: boolean;
  /** Whether agents may ask for it, where the API admits them at all. */
  agents: boolean;
}

/** Whose applications an API admits: its owner's; all that are registered, too; agents, too. */
export const ADMISSIONS = ['own', 'applications', 'agents'] as const;
export type Admission = (typeof ADMISSIONS)[number];

/**
 * What identifiers are compared by: character by character, but for a slash right after the origin, with which or without
 * an identifier is the same (D45).
 */
export const identifierKey = (identifier: string): string =>
  /^[a-z]+:\/\/[^/?#]+\/$/i.test(identifier) ? identifier.slice(0, -1) : identifier;

/**
 * What a consent holds of an API's scope: the API's id and the word. No scope has a space in it, so none can be spelled like
 * this, and nothing of one API like another's.
 */
export const consentElement = (apiId: string, scope: string): string => `${apiId} ${scope}`;
