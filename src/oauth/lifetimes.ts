// Lifetimes that aren't configurable, in seconds.
// Configurable lifetimes are in config.ts. The lifetimes of signing keys are in keys/rotation.ts, those of cookies in
// web/cookies.ts, and those of database rows in store/pruning.ts.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Default time during which a superseded refresh token can still be exchanged for its successor. */
export const REFRESH_GRACE_PERIOD = 10;
/** The grace period for agents. It is longer because hosted agents share their tokens among several hosts. */
export const AGENT_REFRESH_GRACE_PERIOD = 60;
/** How long a pushed request can be used (RFC 9126 §2.2). */
export const PUSHED_REQUEST_TTL = 90;
/** How long users have to sign in and consent after an authorization request. */
export const PENDING_REQUEST_TTL = HOUR;
export const FLASH_TTL = 10 * MINUTE;
/** How long a device code and its user code are valid (RFC 8628 §3.2). */
export const DEVICE_CODE_TTL = 15 * MINUTE;
/** Initial polling interval for devices (RFC 8628 §3.5). */
export const DEVICE_POLL_INTERVAL = 5;
/** The maximum that OpenID Connect Back-Channel Logout 1.0 §2.4 recommends. */
export const LOGOUT_TOKEN_TTL = 2 * MINUTE;
/** How long users have to present the second factor after entering the password. */
export const PENDING_MFA_TTL = 10 * MINUTE;
/** How long users have to sign in at an identity provider, and then to link or create an account. */
export const PROVIDER_SIGN_IN_TTL = 10 * MINUTE;
export const PASSKEY_CHALLENGE_TTL = 5 * MINUTE;
/** Minimum time between two offers to create a passkey. */
export const PASSKEY_OFFER_INTERVAL = 14 * DAY;
/** How long users can sign in on a remembered device without the second factor. */
export const REMEMBERED_DEVICE_TTL = 30 * DAY;
/** How long after signing in users can make sensitive changes without re-authenticating. */
export const RECENT_SIGN_IN_TTL = 15 * MINUTE;
/** Delay between requesting and performing an MFA reset. During the delay, the user can cancel the reset. */
export const MFA_RESET_DELAY = DAY;
/** How long an offer to transfer ownership can be accepted. */
export const TRANSFER_OFFER_TTL = 7 * DAY;
/**
 * How far back a report of unauthorized activity reaches: it removes everything added to the account in this period,
 * counted back from when the alert was sent.
 */
export const REPORT_WINDOW = 30 * DAY;

/** Lifetimes of links and codes in emails, by purpose. */
export const EMAIL_LINK_TTL = {
  verify_email: DAY,
  change_email: DAY,
  reset_password: 30 * MINUTE,
  invitation: 7 * DAY,
  report_activity: 7 * DAY,
  sign_in: 30 * MINUTE,
  identity_sign_up: HOUR,
};
/** How long added redirect URIs and keys are recorded, so that a report of unauthorized activity can remove them. */
export const ADDED_ENTRY_TTL = REPORT_WINDOW + EMAIL_LINK_TTL.report_activity + DAY;
/** How long the service tries to deliver an email. An email with a link is only sent while the link is valid. */
export const UNSENT_EMAIL_TTL = DAY;
