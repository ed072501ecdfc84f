// Checks that docs/operations/settings.md is up to date.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { renderSettingsReference, SETTINGS_REFERENCE } from '../../tools/settings.ts';

test('the settings reference is up to date (npm run settings)', async () => {
  expect(await readFile(SETTINGS_REFERENCE, 'utf8')).toBe(renderSettingsReference());
});
