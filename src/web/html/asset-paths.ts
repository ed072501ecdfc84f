// Owns the addresses of the static files that pages refer to; the server maps them to src/public/.

export const stylesheetPath = '/sesame.css';
export const buttonStylesheetPath = '/button.css';
export const fontPath = '/fonts/figtree.woff2';
export const logoPath = '/images/logo.svg';
export const pageScriptPath = '/page.js';
/** The library that speaks WebAuthn, and what pages do with it. */
export const webauthnScriptPath = '/webauthn.js';
export const passkeyScriptPath = '/passkeys.js';
