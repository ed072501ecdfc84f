// Fixed lifetimes in seconds. Configurable lifetimes are in config.ts.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long a replaced refresh token is accepted by default. */
export const REFRESH_GRACE_PERIOD = 10;
/** Longer because hosted agents share tokens among several hosts. */
export const AGENT_REFRESH_GRACE_PERIOD = 60;
export const PUSHED_REQUEST_TTL = 90;
export const PENDING_REQUEST_TTL = HOUR;
export const FLASH_TTL = 10 * MINUTE;
export const DEVICE_CODE_TTL = 15 * MINUTE;
/** Initial polling interval (RFC 8628 §3.5). */
export const DEVICE_POLL_INTERVAL = 5;
/** Recommended maximum (OpenID Connect Back-Channel Logout 1.0 §2.4). */
export const LOGOUT_TOKEN_TTL = 2 * MINUTE;
export const PENDING_MFA_TTL = 10 * MINUTE;
/** Applies to the sign-in, and to linking or creating an account afterward. */
export const PROVIDER_SIGN_IN_TTL = 10 * MINUTE;
export const PASSKEY_CHALLENGE_TTL = 5 * MINUTE;
export const PASSKEY_OFFER_INTERVAL = 14 * DAY;
export const REMEMBERED_DEVICE_TTL = 30 * DAY;
/** For this long after sign-in, sensitive changes need no re-authentication. */
export const RECENT_SIGN_IN_TTL = 15 * MINUTE;
export const MFA_RESET_DELAY = DAY;
/** Owners are warned this long before a secret expires. */
export const SECRET_EXPIRY_NOTICE_PERIOD = 14 * DAY;
export const TRANSFER_OFFER_TTL = 7 * DAY;
/** A report of unauthorized activity undoes additions made up to this long before the alert. */
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
export const RESEND_DELAY = 30;
/** Additions stay recorded as long as a report can undo them. */
export const ADDED_ENTRY_TTL = REPORT_WINDOW + EMAIL_LINK_TTL.report_activity + DAY;
/** Delivery is retried for this long, but only while the link in the email is valid. */
export const UNSENT_EMAIL_TTL = DAY;
