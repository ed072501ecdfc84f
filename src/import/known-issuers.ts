// Maps the names that other services give to identity providers to issuers.
// Only providers whose subjects are the same for every client are listed. Microsoft's aren't: `sub` differs by client.

/** Issuers, as in the presets for providers. GitHub isn't an OpenID Connect provider, so its issuer is a convention. */
const GOOGLE = 'https://accounts.google.com';
const APPLE = 'https://appleid.apple.com';
const GITHUB = 'https://github.com';
const GITLAB = 'https://gitlab.com';

export const KEYCLOAK_ISSUERS: ReadonlyMap<string, string> = new Map([
  ['google', GOOGLE],
  ['github', GITHUB],
  ['gitlab', GITLAB],
]);

export const AUTH0_ISSUERS: ReadonlyMap<string, string> = new Map([
  ['google-oauth2', GOOGLE],
  ['apple', APPLE],
  ['github', GITHUB],
]);

export const FIREBASE_ISSUERS: ReadonlyMap<string, string> = new Map([
  ['google.com', GOOGLE],
  ['apple.com', APPLE],
  ['github.com', GITHUB],
]);
