// How long things live that no setting decides, in seconds. Settings: config.ts; signing keys: keys/rotation.ts; cookies:
// web/cookies.ts; how long rows are kept: store/pruning.ts.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** For how long a superseded refresh token gives its successor again: of new applications, whose owners can change it. */
export const REFRESH_GRACE = 10;
/** The same of agents. Hosted agents refresh from several hosts, which learn of a new token at different times. */
export const AGENT_REFRESH_GRACE = 60;
/** A pushed request (RFC 9126 §2.2). */
export const PUSHED_REQUEST = 90;
/** An authorization request on its way through the pages. */
export const PENDING_REQUEST = HOUR;
/** What a response leaves for the next page in the flash cookie. */
export const FLASH = 10 * MINUTE;
/** A device code with the code that the person types (RFC 8628 §3.2). */
export const DEVICE_CODE = 15 * MINUTE;
/** How long a device waits between two questions whether it has been let in, at first (§3.5). */
export const DEVICE_POLL = 5;
/** A logout token (OpenID Connect Back-Channel Logout 1.0 §2.4: two minutes at most). */
export const LOGOUT_TOKEN = 2 * MINUTE;
/** Between the password and the second factor. */
export const HALF_SIGNED_IN = 10 * MINUTE;
/** A challenge that a passkey answers (D38). */
export const PASSKEY_CHALLENGE = 5 * MINUTE;
/** Between two offers of a passkey. */
export const PASSKEY_OFFER = 14 * DAY;
/** A browser in which the code of the authenticator app is not asked for. */
export const TRUSTED_BROWSER = 30 * DAY;
/** A sign-in that is recent enough for what touches secrets and the account itself. */
export const RECENT_SIGN_IN = 15 * MINUTE;
/** Between requesting the reset of a second factor and its execution: its user can stop it. */
export const SECOND_FACTOR_RESET_DELAY = DAY;
/** An offer of an application to another account. */
export const TRANSFER_OFFER = 7 * DAY;
/** How far before the reported email a report of unauthorized activity removes what was added. */
export const REPORT_WINDOW = 30 * DAY;

/** The links in mails, and the codes beside them, by what they are for. */
export const MAILED_LINK = {
  verify_email: DAY,
  change_email: DAY,
  reset_password: 30 * MINUTE,
  invitation: 7 * DAY,
  not_me: 7 * DAY,
  sign_in: 30 * MINUTE,
};
/** When entries were added to lists of redirect URIs and keys: as long as a report may ask for it. */
export const ADDED_ENTRY = REPORT_WINDOW + MAILED_LINK.not_me + DAY;
/** A mail that has not been handed over: a day, or as long as its link is good. */
export const UNSENT_MAIL = DAY;
