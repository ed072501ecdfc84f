// Maps other services' names for identity providers to issuers.
// Microsoft is omitted because its `sub` differs between clients. Apple's `sub` differs only between teams.
import { PRESETS } from '../providers/presets.ts';

type Issuers = ReadonlyMap<string, string | undefined>;
const { google, apple, github, gitlab } = PRESETS;

export const KEYCLOAK_ISSUERS: Issuers = new Map([
  ['google', google.issuer],
  ['github', github.issuer],
  ['gitlab', gitlab.issuer],
]);

export const AUTH0_ISSUERS: Issuers = new Map([
  ['google-oauth2', google.issuer],
  ['apple', apple.issuer],
  ['github', github.issuer],
]);

export const FIREBASE_ISSUERS: Issuers = new Map([
  ['google.com', google.issuer],
  ['apple.com', apple.issuer],
  ['github.com', github.issuer],
]);
