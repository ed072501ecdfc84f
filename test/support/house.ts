// An operator's own house: settings, and files beside them as an operator has them.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';

/** Where the operator's own pages are, and how the operators are reached. */
export const HOUSE = {
  SUPPORT_EMAIL: 'aide@example.fr',
  SUPPORT_URL: 'https://www.example.fr/aide',
  PRIVACY_URL: 'https://www.example.fr/donnees',
  TERMS_URL: 'https://www.example.fr/conditions',
  LEGAL_NOTICE_URL: 'https://www.example.fr/mentions',
  ACCESSIBILITY_URL: 'https://www.example.fr/accessibilite',
};

const leaf = (colour: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path fill="${colour}" d="M8 56C8 24 24 8 56 8c0 32-16 48-48 48z"/></svg>`;

/** All that an operator can put in place of ours, except what leads elsewhere. */
export async function brandedHouse(): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'sesame-house-'));
  const write = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const hall = sharp({ create: { width: 80, height: 120, channels: 3, background: '#14532d' } });
  return {
    SERVICE_NAME: 'Exemple',
    ACCENT_COLOR: '#0b6e4f',
    LOGO_FILE: write('logo.svg', leaf('#0b6e4f')),
    LOGO_DARK_FILE: write('logo-dark.svg', leaf('#86efac')),
    SIDE_PICTURE_FILE: write('hall.png', await hall.png().toBuffer()),
  };
}
