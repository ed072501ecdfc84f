// URLs of static files in src/public/, which routes/assets.ts serves.

export const stylesheetPath = '/sesame.css';
export const buttonStylesheetPath = '/button.css';
export const fontPath = '/fonts/figtree.woff2';
export const logoPath = '/images/logo.svg';
export const pageScriptPath = '/page.js';
export const cropScriptPath = '/crop.js';
export const webauthnScriptPath = '/webauthn.js';
export const passkeyScriptPath = '/passkeys.js';
