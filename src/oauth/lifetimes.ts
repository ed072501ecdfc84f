// Fixed lifetimes in seconds. Configurable lifetimes are in config.ts.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long a superseded refresh token is still accepted, by default. */
export const REFRESH_GRACE_PERIOD = 10;
/** Agents get a longer grace period because hosted agents share tokens among several hosts. */
export const AGENT_REFRESH_GRACE_PERIOD = 60;
/** How long a pushed authorization request is valid (RFC 9126 §2.2). */
export const PUSHED_REQUEST_TTL = 90;
/** How long users have to sign in and consent. */
export const PENDING_REQUEST_TTL = HOUR;
export const FLASH_TTL = 10 * MINUTE;
/** How long a device code is valid (RFC 8628 §3.2). */
export const DEVICE_CODE_TTL = 15 * MINUTE;
/** Initial number of seconds between two polls (RFC 8628 §3.5). */
export const DEVICE_POLL_INTERVAL = 5;
/** The maximum that OpenID Connect Back-Channel Logout 1.0 §2.4 recommends. */
export const LOGOUT_TOKEN_TTL = 2 * MINUTE;
/** How long users have to present the second factor after the password. */
export const PENDING_MFA_TTL = 10 * MINUTE;
/**
 * How long users have to sign in at an identity provider. The same limit applies to linking or creating an account
 * afterward.
 */
export const PROVIDER_SIGN_IN_TTL = 10 * MINUTE;
export const PASSKEY_CHALLENGE_TTL = 5 * MINUTE;
/** Minimum time between two offers to create a passkey. */
export const PASSKEY_OFFER_INTERVAL = 14 * DAY;
/** How long a remembered device replaces the second factor. */
export const REMEMBERED_DEVICE_TTL = 30 * DAY;
/** How long after a sign-in the user can make sensitive changes without re-authentication. */
export const RECENT_SIGN_IN_TTL = 15 * MINUTE;
/** How long users have to cancel an MFA reset. */
export const MFA_RESET_DELAY = DAY;
export const TRANSFER_OFFER_TTL = 7 * DAY;
/** A report of unauthorized activity removes additions to the account from this period before the alert. */
export const REPORT_WINDOW = 30 * DAY;

export const EMAIL_LINK_TTL = {
  verify_email: DAY,
  change_email: DAY,
  reset_password: 30 * MINUTE,
  invitation: 7 * DAY,
  report_activity: 7 * DAY,
  sign_in: 30 * MINUTE,
  identity_sign_up: HOUR,
};
/** How long pages disable the button that sends an email again. */
export const RESEND_DELAY = 30;
/** How long added redirect URIs and keys are recorded so that a report of unauthorized activity can remove them. */
export const ADDED_ENTRY_TTL = REPORT_WINDOW + EMAIL_LINK_TTL.report_activity + DAY;
/** How long delivery of an email is retried. An email with a link is sent only while the link is valid. */
export const UNSENT_EMAIL_TTL = DAY;
