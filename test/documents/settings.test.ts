// docs/operations/settings.md is what `npm run settings` writes.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { SETTINGS_REFERENCE, settingsReference } from '../../tools/settings.ts';

test('the settings reference is up to date: npm run settings writes it', async () => {
  expect(await readFile(SETTINGS_REFERENCE, 'utf8')).toBe(settingsReference());
});
