// Owns the addresses of the static files that pages refer to; the server maps them to src/public/.

export const stylesheetPath = '/sesame.css';
export const buttonStylesheetPath = '/button.css';
export const fontPath = '/fonts/figtree.woff2';
export const logoPath = '/images/logo.svg';
/** There only where the operator has one for dark pages. */
export const logoDarkPath = '/images/logo-dark.svg';
/** There only where the operator has put a picture in place of the door. */
export const sidePicturePath = '/images/side-picture';
/** The script of every page. */
export const pageScriptPath = '/page.js';
/** The library that speaks WebAuthn, and what pages do with it. */
export const webauthnScriptPath = '/webauthn.js';
export const passkeyScriptPath = '/passkeys.js';
