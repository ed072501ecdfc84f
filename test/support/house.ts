// An operator's own house: settings, and files beside them as an operator has them.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the operator's own pages are, and how the operators are reached. */
export const HOUSE = {
  SUPPORT: 'aide@example.fr',
  PRIVACY_URL: 'https://www.example.fr/donnees',
  TERMS_URL: 'https://www.example.fr/conditions',
  LEGAL_NOTICE_URL: 'https://www.example.fr/mentions',
  ACCESSIBILITY_URL: 'https://www.example.fr/accessibilite',
};

/** All that an operator can put in place of ours, except what leads elsewhere. */
export function brandedHouse(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'sesame-house-'));
  const logo = join(folder, 'logo.svg');
  writeFileSync(
    logo,
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path fill="#0b6e4f" d="M8 56C8 24 24 8 56 8c0 32-16 48-48 48z"/></svg>',
  );
  return {
    SERVICE_NAME: 'Exemple',
    ACCENT_COLOR: '#0b6e4f',
    LOGO_FILE: logo,
  };
}
